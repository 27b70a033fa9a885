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

	"github.com/quayside/quayside/shipments-svc/internal/identity"
)

// Config is every variable of the program. Its secrets are as they were given
// and must not be printed.
type Config struct {
	ListenAddress     string     `env:"LISTEN_ADDRESS" envDefault:":8081" doc:"Where requests that came through the gateway are answered."`
	InnerAddress      string     `env:"INNER_ADDRESS" envDefault:":9081" doc:"Where health and metrics are answered. Never published."`
	DatabaseURL       string     `env:"DATABASE_URL,required" secret:"true" doc:"Postgres, perhaps through a transaction pooler."`
	DatabaseDirectURL string     `env:"DATABASE_DIRECT_URL" secret:"true" doc:"Postgres itself, for migrate, which no pooler may stand before. DATABASE_URL if empty."`
	GatewayPublicKeys string     `env:"GATEWAY_PUBLIC_KEYS" file:"true" doc:"What gateways' signatures are checked with: one Ed25519 public key in PEM, or two while they change over. Needed by serve."`
	LogLevel          slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"debug, info, warn or error."`
	Demo              bool       `env:"QUAYSIDE_DEMO" envDefault:"false" doc:"true admits what everybody knows, passwords that begin with demo- and the key of the demo, and having no GATEWAY_PUBLIC_KEYS."`
}

// Load reads the configuration from environ, a list of NAME=value.
func Load(environ []string) (Config, error) {
	cfg, err := load[Config](environ)
	return cfg, errors.Join(err,
		cfg.checkDSN("DATABASE_URL", cfg.DatabaseURL),
		cfg.checkDSN("DATABASE_DIRECT_URL", cfg.DatabaseDirectURL))
}

// MigrationURL returns the DSN under which migrations run.
func (c Config) MigrationURL() string {
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
	if strings.HasPrefix(parsed.Password, demoPrefix) && !c.Demo {
		return fmt.Errorf("%s has a password of the demo, which everybody knows; set another, or QUAYSIDE_DEMO=true", name)
	}
	return nil
}

// GatewayKeys returns the keys that gateways sign with. Without them, or with
// the demo's, it takes QUAYSIDE_DEMO to go on.
func (c Config) GatewayKeys() (identity.Keys, error) {
	keys, err := identity.ParseKeys(c.GatewayPublicKeys)
	if err != nil {
		return identity.Keys{}, fmt.Errorf("GATEWAY_PUBLIC_KEYS: %w", err)
	}
	if why := keys.LaptopOnly(); why != "" && !c.Demo {
		return identity.Keys{}, fmt.Errorf("GATEWAY_PUBLIC_KEYS %s; set what `openssl pkey -pubout` makes of the gateway's GATEWAY_SIGNING_KEY, or QUAYSIDE_DEMO=true on a laptop", why)
	}
	return keys, nil
}
