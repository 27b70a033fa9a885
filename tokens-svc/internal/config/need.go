package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/settings"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/credential"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Need reads a part of the configuration that a command cannot do without.
type Need func(*Config) error

// Database is needed by whatever reads or writes tokens.
func Database(c *Config) error {
	return errors.Join(c.checkDSN("DATABASE_URL", c.DatabaseURL), settings.CheckBool("PREPARED_STATEMENTS", c.PreparedStatements))
}

// Migration is needed to change the schema.
func Migration(c *Config) error {
	if c.DatabaseDirectURL == "" {
		return Database(c)
	}
	return c.checkDSN("DATABASE_DIRECT_URL", c.DatabaseDirectURL)
}

// Changes is needed, besides Database, to receive notifications of changes.
func Changes(c *Config) error {
	if c.DatabaseDirectURL == "" {
		return nil
	}
	return c.checkDSN("DATABASE_DIRECT_URL", c.DatabaseDirectURL)
}

// Peppers are needed to make and to verify tokens.
func Peppers(c *Config) error {
	if c.TokenPeppers == "" {
		return settings.Missing(c.environ, "TOKEN_PEPPERS", `make one with: echo "1:$(openssl rand -base64 32)"`)
	}
	var err error
	if c.Peppers, err = tokens.ParsePeppers(c.TokenPeppers); err != nil {
		return fmt.Errorf("TOKEN_PEPPERS: %w", err)
	}
	return c.refuseDemo("TOKEN_PEPPERS", c.Peppers.AnyBeginsWith(settings.DemoPrefix))
}

// AuditKeys are needed to write to audit logs and to verify them.
func AuditKeys(c *Config) error {
	if c.AuditKeys == "" {
		return settings.Missing(c.environ, "AUDIT_KEYS", `make one with: echo "1:$(openssl rand -base64 32)"`)
	}
	var err error
	if c.LogKeys, err = audit.ParseKeys(c.AuditKeys); err != nil {
		return fmt.Errorf("AUDIT_KEYS: %w", err)
	}
	return c.refuseDemo("AUDIT_KEYS", c.LogKeys.AnyBeginsWith(settings.DemoPrefix))
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
	return c.refuseDemo("GATEWAY_CREDENTIAL", demo)
}

// Callers are needed to answer requests that came through the gateway. Without
// keys, or with the demo's, it takes QUAYSIDE_DEMO to go on.
func Callers(c *Config) (err error) {
	c.CallerKeys, err = settings.GatewayKeys(c.environ, c.GatewayPublicKeys, c.Demo)
	return err
}

func (c *Config) checkDSN(name, dsn string) error {
	if dsn == "" {
		return settings.Missing(c.environ, name, "it looks like postgres://user:password@host:5432/tokens")
	}
	parsed, err := pq.NewConfig(dsn)
	if err != nil {
		return fmt.Errorf("%s must be a Postgres URL or key=value DSN", name)
	}
	return c.refuseDemo(name, strings.HasPrefix(parsed.Password, settings.DemoPrefix))
}

func (c Settings) refuseDemo(name string, demo bool) error {
	if demo && !c.Demo {
		return fmt.Errorf("%s is a demo secret from the repository; set one of your own, or QUAYSIDE_DEMO=true for development", name)
	}
	return nil
}
