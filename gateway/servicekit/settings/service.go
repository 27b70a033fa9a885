package settings

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/gateway/servicekit/postgres"
)

// DemoPrefix begins the secrets of development mode, which are public.
const DemoPrefix = "demo-"

// Service is the settings of every service behind the gateway that stores its data in Postgres, to be embedded in the
// struct of its own ones.
type Service struct {
	// Postgres, directly or through a transaction pooler. Required by all commands that use it.
	DatabaseURL string `env:"DATABASE_URL" secret:"true"`
	// Direct connection (no pooler) for migrations and LISTEN/NOTIFY. Defaults to DATABASE_URL.
	DatabaseDirectURL string `env:"DATABASE_DIRECT_URL" secret:"true"`
	// Login in Postgres that serve uses: migrate up grants it its rights and takes CONNECT from all
	// others. Empty: serve has the login of migrate. See Logins.
	ServeLogin string `env:"SERVE_LOGIN"`
	// Ed25519 public keys of gateways in PEM: one, or two during a rotation. Required by serve.
	GatewayPublicKeys string `env:"GATEWAY_PUBLIC_KEYS" file:"true"`
	// Issuer of the gateways: issuer of their token_gate.
	GatewayIssuer string `env:"GATEWAY_ISSUER" envDefault:"quayside-gateway"`
	// Files that define further services: a path, or a pattern such as /etc/quayside/services/*.json. Read at start;
	// see Add a service. Empty: none.
	ServiceDefinitions string `env:"SERVICE_DEFINITIONS"`
	// Log level: debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info"`
	// Serve profiles (net/http/pprof) at /debug/pprof/ on the internal listener.
	DebugEndpoints bool `env:"DEBUG_ENDPOINTS" envDefault:"false"`
	// Development mode: accepts the built-in demo secrets, a missing GATEWAY_PUBLIC_KEYS, plain http, and
	// webhook endpoints on loopback addresses. Never enable in production.
	Demo bool `env:"QUAYSIDE_DEMO" envDefault:"false"`
}

// DirectURL returns the DSN of the direct connection.
func (s Service) DirectURL() string { return cmp.Or(s.DatabaseDirectURL, s.DatabaseURL) }

// DefinitionFiles returns the files of ServiceDefinitions. A pattern that matches none is no error: then there is no
// further service.
func (s Service) DefinitionFiles() ([]string, error) {
	files, err := filepath.Glob(s.ServiceDefinitions)
	isPattern := strings.ContainsAny(s.ServiceDefinitions, "*?[")
	if err == nil && len(files) == 0 && s.ServiceDefinitions != "" && !isPattern {
		err = fmt.Errorf("there is no file %s", s.ServiceDefinitions)
	}
	return files, err
}

// Sections returns the sections of pages, those of further services among them.
func (s Service) Sections() (pages.Sections, error) {
	files, err := s.DefinitionFiles()
	if err != nil {
		return nil, fmt.Errorf("SERVICE_DEFINITIONS: %w", err)
	}
	return pages.ReadSections(files...)
}

// Session is how serve uses the sessions of Postgres.
func (s Service) Session() postgres.Session {
	return postgres.Session{Direct: s.DatabaseURL == s.DirectURL()}
}

// CheckDatabase fails without a usable DATABASE_URL. Its error contains no DSN.
func (s Service) CheckDatabase(environ []string) error {
	var missing error
	if s.DatabaseURL == "" {
		missing = Missing(environ, "DATABASE_URL", "it looks like postgres://user:password@host:5432/database")
	}
	return errors.Join(missing,
		s.checkDSN("DATABASE_URL", s.DatabaseURL),
		s.checkDSN("DATABASE_DIRECT_URL", s.DatabaseDirectURL))
}

func (s Service) checkDSN(name, dsn string) error {
	if dsn == "" {
		return nil
	}
	parsed, err := pq.NewConfig(dsn)
	if err != nil {
		return fmt.Errorf("%s is not a Postgres URL or key=value DSN", name)
	}
	return s.RefuseDemo(name, "password", strings.HasPrefix(parsed.Password, DemoPrefix))
}

// RefuseDemo fails for a demo secret outside of development mode.
func (s Service) RefuseDemo(name, what string, demo bool) error {
	if demo && !s.Demo {
		return fmt.Errorf("%s has a demo %s; set your own, or QUAYSIDE_DEMO=true for development", name, what)
	}
	return nil
}

// Keys returns the keys that verify gateways' assertions. Without keys, or with those of development mode, it fails
// outside of development mode.
func (s Service) Keys(environ []string) (assertion.Keys, error) {
	const name, hint = "GATEWAY_PUBLIC_KEYS", "set what `openssl pkey -pubout` makes of the gateway's " +
		"GATEWAY_SIGNING_KEY, or QUAYSIDE_DEMO=true for development"
	keys, err := assertion.ParseKeys(s.GatewayPublicKeys)
	if err != nil {
		return keys, fmt.Errorf("%s: %w", name, err)
	}
	why := keys.DevelopmentOnly()
	switch {
	case why == "" || s.Demo:
		return keys, nil
	case s.GatewayPublicKeys == "":
		return keys, Missing(environ, name, hint)
	}
	return keys, fmt.Errorf("%s %s; %s", name, why, hint)
}
