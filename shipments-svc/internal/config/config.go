// Package config reads the program's configuration from the environment.
//
// All errors are reported at once, with the names of the variables and without
// the values of secrets.
package config

import (
	"errors"
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/settings"
	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/documents/storage"
)

// Config is the settings, and what the needs of a command made of them.
type Config struct {
	Settings

	GatewayKeys assertion.Keys // by Gateways
	SealingKeys sealing.Keys   // by Webhooks
	Files       storage.Store  // by Storage

	environ []string
}

// Settings is every variable of the program. Which of them must be set depends
// on the command: see Need. Its secrets are as they were given and must not be
// printed.
type Settings struct {
	settings.Service

	// Address of the public listener, which only the gateway connects to.
	ListenAddress string `env:"LISTEN_ADDRESS" envDefault:":8081"`
	// Address of the listener for health checks and metrics. Do not publish it.
	InnerAddress string `env:"INNER_ADDRESS" envDefault:":9081"`
	// Directory for the files of documents if S3_BUCKET is empty. For this service only.
	DocumentsDir string `env:"DOCUMENTS_DIR" envDefault:"documents"`
	// Existing bucket for the files of documents.
	S3Bucket string `env:"S3_BUCKET"`
	// URL of the S3 service, http or https.
	S3Endpoint string `env:"S3_ENDPOINT" envDefault:"https://s3.amazonaws.com"`
	// Region of the bucket.
	S3Region string `env:"S3_REGION"`
	// Access key of the bucket. Without keys the workload's identity is used: a web identity token,
	// or the metadata of the container or host.
	S3AccessKey string `env:"S3_ACCESS_KEY" secret:"true"`
	// Secret key of the bucket.
	S3SecretKey string `env:"S3_SECRET_KEY" secret:"true"`
	// Number of documents that are read concurrently, each in a process of up to 256 MiB. With 0 this
	// replica reads none and removes no files.
	DocumentWorkers int `env:"DOCUMENT_WORKERS" envDefault:"2"`
	// Keys of 32 bytes that encrypt webhook secrets, as version:base64 separated by commas, newest
	// first. Required by serve.
	WebhookKeys string `env:"WEBHOOK_KEYS" secret:"true"`
}

// maxWorkers is how many documents are read at once at most.
const maxWorkers = 64

// Load reads the configuration from environ, a list of NAME=value, with what a
// command needs of it.
func Load(environ []string, needs ...Need) (Config, error) {
	set, err := settings.Load[Settings](environ)
	cfg, errs := Config{Settings: set, environ: environ}, []error{err}
	if set.DocumentWorkers < 0 || set.DocumentWorkers > maxWorkers {
		errs = append(errs, fmt.Errorf("DOCUMENT_WORKERS is %d; it must be from 0 to %d",
			set.DocumentWorkers, maxWorkers))
	}
	for _, need := range needs {
		errs = append(errs, need(&cfg))
	}
	if err := errors.Join(errs...); err != nil {
		return cfg, fmt.Errorf("configuration:\n%w", err)
	}
	return cfg, nil
}
