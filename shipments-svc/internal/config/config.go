// Package config reads the program's configuration from the environment.
//
// All that is wrong with it is reported at once, by the names of the variables
// and without their values.
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
	ListenAddress      string     `env:"LISTEN_ADDRESS" envDefault:":8081" doc:"Where requests that came through the gateway are answered."`
	InnerAddress       string     `env:"INNER_ADDRESS" envDefault:":9081" doc:"Where health and metrics are answered. Never published."`
	DatabaseURL        string     `env:"DATABASE_URL,required" secret:"true" doc:"Postgres, perhaps through a transaction pooler."`
	DatabaseDirectURL  string     `env:"DATABASE_DIRECT_URL" secret:"true" doc:"Postgres itself, for migrate and for being told of work, which no pooler may stand before. DATABASE_URL if empty."`
	DatabaseReplicaURL string     `env:"DATABASE_REPLICA_URL" secret:"true" doc:"A hot standby of that Postgres, perhaps through a transaction pooler, for lists. None if empty."`
	PreparedStatements string     `env:"PREPARED_STATEMENTS" doc:"true or false: statements are prepared once per connection. true unless DATABASE_DIRECT_URL differs from DATABASE_URL, which then is a pooler: PgBouncer tracks prepared statements from 1.21 on, with max_prepared_statements."`
	GatewayPublicKeys  string     `env:"GATEWAY_PUBLIC_KEYS" file:"true" doc:"What gateways' signatures are checked with: one Ed25519 public key in PEM, or two while they change over. Needed by serve."`
	DocumentsDir       string     `env:"DOCUMENTS_DIR" envDefault:"documents" doc:"The directory in which the files of documents are kept, unless there is a S3_BUCKET. Only this service may use it."`
	S3Bucket           string     `env:"S3_BUCKET" doc:"The bucket in which the files of documents are kept; it must be there."`
	S3Endpoint         string     `env:"S3_ENDPOINT" envDefault:"https://s3.amazonaws.com" doc:"The http or https URL of the bucket's service."`
	S3Region           string     `env:"S3_REGION" doc:"The region of the bucket, where its service has several."`
	S3AccessKey        string     `env:"S3_ACCESS_KEY" secret:"true" doc:"Who may use the bucket."`
	S3SecretKey        string     `env:"S3_SECRET_KEY" secret:"true" doc:"The secret that proves it."`
	DocumentWorkers    int        `env:"DOCUMENT_WORKERS" envDefault:"2" doc:"How many documents are read at once, each in a process of up to 256 MiB. With 0 this replica reads none and removes no files."`
	WebhookKeys        string     `env:"WEBHOOK_KEYS" secret:"true" doc:"Keys that the secrets of webhook endpoints are sealed with, version:base64, separated by commas, newest first, 32 bytes each. Needed by serve."`
	LogLevel           slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"debug, info, warn or error."`
	Demo               bool       `env:"QUAYSIDE_DEMO" envDefault:"false" doc:"true admits what everybody knows, passwords and keys that begin with demo- and the key of the demo, having no GATEWAY_PUBLIC_KEYS, and webhook endpoints on this very machine."`
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

// checkDocuments judges what is said of documents.
func (c Config) checkDocuments() error {
	var errs []error
	if c.S3Bucket != "" && (c.S3AccessKey == "" || c.S3SecretKey == "") {
		errs = append(errs, errors.New("S3_BUCKET is set, and S3_ACCESS_KEY or S3_SECRET_KEY is not"))
	}
	if strings.HasPrefix(c.S3SecretKey, settings.DemoPrefix) && !c.Demo {
		errs = append(errs, errors.New("S3_SECRET_KEY is one of the demo, which everybody knows; set another, or QUAYSIDE_DEMO=true"))
	}
	if c.DocumentWorkers < 0 || c.DocumentWorkers > maxWorkers {
		errs = append(errs, fmt.Errorf("DOCUMENT_WORKERS must be from 0 to %d", maxWorkers))
	}
	return errors.Join(errs...)
}

// DirectURL returns the DSN that leads to Postgres and not to a pooler.
func (c Config) DirectURL() string {
	if c.DatabaseDirectURL != "" {
		return c.DatabaseDirectURL
	}
	return c.DatabaseURL
}

// checkDSN judges a DSN, if there is one, without repeating any of it.
func (c Config) checkDSN(name, dsn string) error {
	if dsn == "" {
		return nil
	}
	parsed, err := pq.NewConfig(dsn)
	if err != nil {
		return fmt.Errorf("%s is not a Postgres URL or key=value DSN", name)
	}
	if strings.HasPrefix(parsed.Password, settings.DemoPrefix) && !c.Demo {
		return fmt.Errorf("%s has a password of the demo, which everybody knows; set another, or QUAYSIDE_DEMO=true", name)
	}
	return nil
}

// GatewayKeys returns the keys that gateways sign with. Without them, or with
// the demo's, it takes QUAYSIDE_DEMO to go on.
func (c Config) GatewayKeys() (assertion.Keys, error) {
	keys, err := assertion.ParseKeys(c.GatewayPublicKeys)
	if err != nil {
		return assertion.Keys{}, fmt.Errorf("GATEWAY_PUBLIC_KEYS: %w", err)
	}
	if why := keys.DevelopmentOnly(); why != "" && !c.Demo {
		return assertion.Keys{}, fmt.Errorf("GATEWAY_PUBLIC_KEYS %s; set what `openssl pkey -pubout` makes of the gateway's GATEWAY_SIGNING_KEY, or QUAYSIDE_DEMO=true on a laptop", why)
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
		return sealing.Keys{}, errors.New("WEBHOOK_KEYS has the demo's, which everybody knows; set one of your own, or QUAYSIDE_DEMO=true on a laptop")
	}
	return keys, nil
}
