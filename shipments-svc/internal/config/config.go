// Package config reads the program's configuration from the environment.
//
// All errors are reported at once, with the names of the variables and without
// their values.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/settings"
	"github.com/quayside/quayside/shipments-svc/internal/events/sealing"
)

// Config is every variable of the program. Its secrets are as they were given
// and must not be printed.
type Config struct {
	ListenAddress      string     `env:"LISTEN_ADDRESS" envDefault:":8081" doc:"Address of the public listener, which only the gateway connects to."`
	InnerAddress       string     `env:"INNER_ADDRESS" envDefault:":9081" doc:"Address of the listener for health checks and metrics. Do not publish it."`
	DatabaseURL        string     `env:"DATABASE_URL,required" secret:"true" doc:"Postgres, directly or through a transaction pooler."`
	DatabaseDirectURL  string     `env:"DATABASE_DIRECT_URL" secret:"true" doc:"Direct connection (no pooler) for migrations and LISTEN/NOTIFY. Defaults to DATABASE_URL."`
	DatabaseReplicaURL string     `env:"DATABASE_REPLICA_URL" secret:"true" doc:"A hot standby that serves lists, directly or through a transaction pooler."`
	PreparedStatements string     `env:"PREPARED_STATEMENTS" doc:"true or false: prepare statements once per connection. Defaults to true unless DATABASE_DIRECT_URL differs from DATABASE_URL, which then is a pooler; PgBouncer supports prepared statements from 1.21 on, with max_prepared_statements."`
	GatewayPublicKeys  string     `env:"GATEWAY_PUBLIC_KEYS" file:"true" doc:"Ed25519 public keys of gateways in PEM: one, or two during a rotation. Required by serve."`
	DocumentsDir       string     `env:"DOCUMENTS_DIR" envDefault:"documents" doc:"Directory for the files of documents if S3_BUCKET is empty. For this service only."`
	S3Bucket           string     `env:"S3_BUCKET" doc:"Existing bucket for the files of documents."`
	S3Endpoint         string     `env:"S3_ENDPOINT" envDefault:"https://s3.amazonaws.com" doc:"URL of the S3 service, http or https."`
	S3Region           string     `env:"S3_REGION" doc:"Region of the bucket."`
	S3AccessKey        string     `env:"S3_ACCESS_KEY" secret:"true" doc:"Access key of the bucket."`
	S3SecretKey        string     `env:"S3_SECRET_KEY" secret:"true" doc:"Secret key of the bucket."`
	DocumentWorkers    int        `env:"DOCUMENT_WORKERS" envDefault:"2" doc:"Number of documents that are read concurrently, each in a process of up to 256 MiB. With 0 this replica reads none and removes no files."`
	WebhookKeys        string     `env:"WEBHOOK_KEYS" secret:"true" doc:"Keys of 32 bytes that encrypt webhook secrets, as version:base64 separated by commas, newest first. Required by serve."`
	LogLevel           slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"Log level: debug, info, warn or error."`
	DebugEndpoints     bool       `env:"DEBUG_ENDPOINTS" envDefault:"false" doc:"Serve profiles (net/http/pprof) at /debug/pprof/ on the internal listener."`
	Demo               bool       `env:"QUAYSIDE_DEMO" envDefault:"false" doc:"Development mode: accepts the built-in demo secrets, a missing GATEWAY_PUBLIC_KEYS and webhook endpoints on loopback addresses. Never enable in production."`
}

// maxWorkers is how many documents are read at once at most.
const maxWorkers = 64

// Load reads the configuration from environ, a list of NAME=value.
func Load(environ []string) (Config, error) {
	cfg, err := settings.Load[Config](environ)
	return cfg, errors.Join(err,
		cfg.checkDSN("DATABASE_URL", cfg.DatabaseURL),
		cfg.checkDSN("DATABASE_DIRECT_URL", cfg.DatabaseDirectURL),
		cfg.checkDSN("DATABASE_REPLICA_URL", cfg.DatabaseReplicaURL),
		settings.CheckBool("PREPARED_STATEMENTS", cfg.PreparedStatements),
		cfg.checkDocuments())
}

// Session is how serve uses the sessions of Postgres.
func (c Config) Session() postgres.Session {
	return postgres.SessionOf(c.DatabaseURL, c.DirectURL(), c.PreparedStatements)
}

// ReplicaSession is how serve uses those of the replica, before which there may
// always be a pooler.
func (c Config) ReplicaSession() postgres.Session {
	return postgres.SessionOf(c.DatabaseReplicaURL, "", c.PreparedStatements)
}

// checkDocuments validates the settings of documents.
func (c Config) checkDocuments() error {
	var errs []error
	if c.S3Bucket != "" && (c.S3AccessKey == "" || c.S3SecretKey == "") {
		errs = append(errs, errors.New("S3_BUCKET is set, and S3_ACCESS_KEY or S3_SECRET_KEY is not"))
	}
	if strings.HasPrefix(c.S3SecretKey, settings.DemoPrefix) && !c.Demo {
		errs = append(errs, errors.New("S3_SECRET_KEY is a demo secret; set your own, or QUAYSIDE_DEMO=true for development"))
	}
	if c.DocumentWorkers < 0 || c.DocumentWorkers > maxWorkers {
		errs = append(errs, fmt.Errorf("DOCUMENT_WORKERS must be from 0 to %d", maxWorkers))
	}
	return errors.Join(errs...)
}

// DirectURL returns the DSN of the direct connection.
func (c Config) DirectURL() string {
	if c.DatabaseDirectURL != "" {
		return c.DatabaseDirectURL
	}
	return c.DatabaseURL
}

// checkDSN validates a DSN. Its error does not contain the DSN.
func (c Config) checkDSN(name, dsn string) error {
	if dsn == "" {
		return nil
	}
	parsed, err := pq.NewConfig(dsn)
	if err != nil {
		return fmt.Errorf("%s is not a Postgres URL or key=value DSN", name)
	}
	if strings.HasPrefix(parsed.Password, settings.DemoPrefix) && !c.Demo {
		return fmt.Errorf("%s has a demo password; set your own, or QUAYSIDE_DEMO=true for development", name)
	}
	return nil
}

// GatewayKeys returns the public keys of gateways. Missing and demo keys need
// QUAYSIDE_DEMO.
func (c Config) GatewayKeys() (assertion.Keys, error) {
	keys, err := assertion.ParseKeys(c.GatewayPublicKeys)
	if err != nil {
		return assertion.Keys{}, fmt.Errorf("GATEWAY_PUBLIC_KEYS: %w", err)
	}
	if why := keys.DevelopmentOnly(); why != "" && !c.Demo {
		return assertion.Keys{}, fmt.Errorf("GATEWAY_PUBLIC_KEYS %s; set what `openssl pkey -pubout` makes of the gateway's GATEWAY_SIGNING_KEY, or QUAYSIDE_DEMO=true for development", why)
	}
	return keys, nil
}

// SealingKeys returns the keys that seal the secrets of webhook endpoints.
func (c Config) SealingKeys() (sealing.Keys, error) {
	if c.WebhookKeys == "" {
		return sealing.Keys{}, errors.New(`WEBHOOK_KEYS is not set; make one with: echo "1:$(openssl rand -base64 32)"`)
	}
	keys, err := sealing.Parse(c.WebhookKeys)
	if err != nil {
		return sealing.Keys{}, fmt.Errorf("WEBHOOK_KEYS: %w", err)
	}
	if keys.AnyBeginsWith(settings.DemoPrefix) && !c.Demo {
		return sealing.Keys{}, errors.New("WEBHOOK_KEYS has a demo key; set your own, or QUAYSIDE_DEMO=true for development")
	}
	return keys, nil
}
