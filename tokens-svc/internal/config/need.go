package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/settings"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/credential"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Need reads a part of the configuration that a command cannot do without.
type Need func(*Config) error

// Database is needed by commands that use Postgres.
func Database(c *Config) error {
	var missing error
	if c.DatabaseURL == "" {
		missing = settings.Missing(c.environ, "DATABASE_URL", "it looks like postgres://user:password@host:5432/tokens")
	}
	return errors.Join(missing,
		c.checkDSN("DATABASE_URL", c.DatabaseURL),
		c.checkDSN("DATABASE_DIRECT_URL", c.DatabaseDirectURL))
}

// Migration is needed to change the schema.
func Migration(c *Config) error {
	if c.DatabaseDirectURL == "" {
		return Database(c)
	}
	return c.checkDSN("DATABASE_DIRECT_URL", c.DatabaseDirectURL)
}

// Peppers are needed to make and to verify tokens.
func Peppers(c *Config) error {
	const name = "TOKEN_PEPPERS"
	if c.TokenPeppers == "" {
		return settings.Missing(c.environ, name, `make one with: echo "1:$(openssl rand -base64 32)"`)
	}
	var err error
	if c.Peppers, err = tokens.ParsePeppers(c.TokenPeppers); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return c.refuseDemo(name, "key", c.Peppers.AnyBeginsWith(settings.DemoPrefix))
}

// Gateways are needed to answer introspections.
func Gateways(c *Config) error {
	if c.GatewayCredential == "" {
		return settings.Missing(c.environ, "GATEWAY_CREDENTIAL", "make one with: openssl rand -hex 32")
	}
	var err error
	if c.Gateways, err = credential.Parse(c.GatewayCredential); err != nil {
		return fmt.Errorf("GATEWAY_CREDENTIAL: %w", err)
	}
	demo := false
	for entry := range strings.SplitSeq(c.GatewayCredential, ",") {
		demo = demo || strings.HasPrefix(strings.TrimSpace(entry), settings.DemoPrefix)
	}
	return c.refuseDemo("GATEWAY_CREDENTIAL", "secret", demo)
}

// Callers are needed to answer requests that came through the gateway. Without
// keys, or with the demo's, it takes QUAYSIDE_DEMO to go on.
func Callers(c *Config) (err error) {
	c.CallerKeys, err = settings.GatewayKeys(c.environ, c.GatewayPublicKeys, c.Demo)
	return err
}

// checkDSN validates a DSN. Its error does not contain the DSN.
func (c *Config) checkDSN(name, dsn string) error {
	if dsn == "" {
		return nil
	}
	parsed, err := pq.NewConfig(dsn)
	if err != nil {
		return fmt.Errorf("%s is not a Postgres URL or key=value DSN", name)
	}
	return c.refuseDemo(name, "password", strings.HasPrefix(parsed.Password, settings.DemoPrefix))
}

func (c Settings) refuseDemo(name, what string, demo bool) error {
	if demo && !c.Demo {
		return fmt.Errorf("%s has a demo %s; set your own, or QUAYSIDE_DEMO=true for development", name, what)
	}
	return nil
}
