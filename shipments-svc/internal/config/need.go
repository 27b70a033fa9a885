package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/settings"
	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/documents/storage"
)

// Need validates a part of the configuration that a command requires.
type Need func(*Config) error

// Database is needed by commands that use Postgres.
func Database(c *Config) error { return c.CheckDatabase(c.environ) }

// Gateways are needed to verify requests.
func Gateways(c *Config) (err error) {
	c.GatewayKeys, err = c.Keys(c.environ)
	return err
}

// Webhooks are needed to seal the secrets of webhook endpoints.
func Webhooks(c *Config) error {
	if c.WebhookKeys == "" {
		return settings.Missing(c.environ, "WEBHOOK_KEYS", `make one with: echo "1:$(openssl rand -base64 32)"`)
	}
	keys, err := sealing.Parse(c.WebhookKeys)
	if err != nil {
		return fmt.Errorf("WEBHOOK_KEYS: %w", err)
	}
	c.SealingKeys = keys
	return c.RefuseDemo("WEBHOOK_KEYS", "key", keys.AnyBeginsWith(settings.DemoPrefix))
}

// Storage is needed to use the files of documents. It does not connect.
func Storage(c *Config) error {
	if c.S3Bucket == "" {
		disk, err := storage.NewDisk(c.DocumentsDir)
		if err != nil {
			return fmt.Errorf("DOCUMENTS_DIR: %w", err)
		}
		c.Files = disk
		return nil
	}
	s3, err := storage.NewS3(storage.Bucket{
		Endpoint: c.S3Endpoint, Name: c.S3Bucket, Region: c.S3Region,
		AccessKey: c.S3AccessKey, SecretKey: c.S3SecretKey,
	})
	errs := []error{err, c.RefuseDemo("S3_SECRET_KEY", "secret", strings.HasPrefix(c.S3SecretKey, settings.DemoPrefix))}
	if (c.S3AccessKey == "") != (c.S3SecretKey == "") {
		errs = append(errs, errors.New("S3_ACCESS_KEY and S3_SECRET_KEY belong together; "+
			"set both, or neither for the identity of the workload"))
	}
	c.Files = s3
	return errors.Join(errs...)
}

// WritableStorage is Storage for new files: a directory must be writable. It
// does not connect to a bucket.
func WritableStorage(c *Config) error {
	if err := Storage(c); err != nil {
		return err
	}
	if disk, ok := c.Files.(*storage.Disk); ok {
		if err := disk.CheckWritable(); err != nil {
			return fmt.Errorf("DOCUMENTS_DIR: %w", err)
		}
	}
	return nil
}
