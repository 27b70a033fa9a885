// Package config reads the program's configuration from the environment.
//
// All that is wrong with it is reported at once, by the names of the variables
// and without the values of secrets. Secrets that stand in the repository for
// demonstrations are refused unless QUAYSIDE_DEMO admits them.
package config

import (
	"errors"
	"log/slog"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/settings"
)

// Config is every variable of the program. Which of them must be set depends
// on the command: see Need. Its secrets are as they were given and must not be
// printed.
type Config struct {
	ListenAddress      string     `env:"LISTEN_ADDRESS" envDefault:":8082" doc:"Where requests that came through the gateway are answered."`
	InnerAddress       string     `env:"INNER_ADDRESS" envDefault:":9082" doc:"Where introspection, health and metrics are answered. Never published."`
	DatabaseURL        string     `env:"DATABASE_URL" secret:"true" doc:"Postgres, perhaps through a transaction pooler. Needed by all but health."`
	DatabaseDirectURL  string     `env:"DATABASE_DIRECT_URL" secret:"true" doc:"Postgres itself, without a pooler, for migrate and for being told of changes. DATABASE_URL if empty."`
	PreparedStatements string     `env:"PREPARED_STATEMENTS" doc:"true or false: statements are prepared once per connection. true unless DATABASE_DIRECT_URL differs from DATABASE_URL, which then is a pooler: PgBouncer tracks prepared statements from 1.21 on, with max_prepared_statements."`
	GatewayCredential  string     `env:"GATEWAY_CREDENTIAL" secret:"true" doc:"What gateways show to introspect, at least 32 bytes; of several, separated by commas, each is good. Needed by serve."`
	GatewayPublicKeys  string     `env:"GATEWAY_PUBLIC_KEYS" file:"true" doc:"What gateways' signatures are checked with: one Ed25519 public key in PEM, or two while they change over. Needed by serve."`
	TokenPeppers       string     `env:"TOKEN_PEPPERS" secret:"true" doc:"Keys of the stored tokens, version:base64, separated by commas, at least 32 bytes each. The first one seals, all of them verify; see Changing the pepper. Needed by serve and by what makes, changes or checks tokens."`
	AuditKeys          string     `env:"AUDIT_KEYS" secret:"true" doc:"Keys of the audit logs, version:base64, separated by commas, at least 32 bytes each. The first one is for new events, all of them verify; keep every one. See Audit log. Needed by serve, by audit verify and audit anchor, and by what changes organizations, tokens or accounts."`
	SealOldTokens      bool       `env:"SEAL_OLD_TOKENS" envDefault:"false" doc:"true: accepts tokens without a MAC of their bounds, which earlier versions stored, and gives them one. For an upgrade only; see What is stored."`
	PublicURL          string     `env:"PUBLIC_URL" envDefault:"http://localhost:8080" doc:"What browsers use to reach the gateway. Plain http only for a loopback host."`
	OIDCIssuer         string     `env:"OIDC_ISSUER" doc:"URL of the OpenID Connect issuer where people sign in. Empty: none. PUBLIC_URL/sign-in/callback is where it sends them back."`
	OIDCClientID       string     `env:"OIDC_CLIENT_ID" doc:"This program's id there."`
	OIDCClientSecret   string     `env:"OIDC_CLIENT_SECRET" secret:"true" doc:"This program's secret there."`
	OIDCVerifiedClaim  string     `env:"OIDC_EMAIL_VERIFIED_CLAIM" envDefault:"email_verified" doc:"Claim of the ID token that says that the issuer verified the address in the claim email: true, or the string. Addresses without it are refused. For Entra ID xms_edov, an optional claim to be added to the app registration together with email."`
	OIDCDomains        string     `env:"OIDC_DOMAINS" doc:"E-mail domains whose users are provisioned at their first sign-in, without an invitation: domain=organization:role, separated by commas. With :hd=DOMAIN (Google Workspace) or :tid=ID (Entra ID) behind the role, the ID token must have that claim, too. At Google, hd=domain is implied."`
	LocalSignIn        string     `env:"LOCAL_SIGN_IN" doc:"true or false: people may sign in with an e-mail address and a password. true without OIDC_ISSUER, false with it."`
	Operator           string     `env:"QUAYSIDE_OPERATOR" doc:"Name of the person at the command line, for the audit log. The operating system's user if empty."`
	LogLevel           slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"debug, info, warn or error."`
	Demo               bool       `env:"QUAYSIDE_DEMO" envDefault:"false" doc:"true admits what everybody knows, secrets that begin with demo- and the key of the demo, having no GATEWAY_PUBLIC_KEYS, and plain http."`
}

// Load reads the configuration from environ, a list of NAME=value, and checks
// what the command needs.
func Load(environ []string, needs ...Need) (Config, error) {
	cfg, err := settings.Load[Config](environ)
	errs := []error{err}
	for _, need := range needs {
		errs = append(errs, need(cfg))
	}
	return cfg, errors.Join(errs...)
}

// DirectURL returns the DSN that leads to Postgres itself.
func (c Config) DirectURL() string {
	if c.DatabaseDirectURL != "" {
		return c.DatabaseDirectURL
	}
	return c.DatabaseURL
}

// Session is how the program uses the sessions of Postgres.
func (c Config) Session() postgres.Session {
	return postgres.SessionOf(c.DatabaseURL, c.DirectURL(), c.PreparedStatements)
}
