// Package config reads the program's configuration from the environment.
//
// All that is wrong with it is reported at once, by the names of the variables and without the values of secrets.
// Secrets that stand in the repository for demonstrations are refused unless QUAYSIDE_DEMO admits them.
package config

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/settings"
	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/credential"
	"github.com/quayside/quayside/tokens-svc/internal/mail"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/passkey"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Config is the settings, and what the needs of a command have read of them.
type Config struct {
	Settings
	Peppers    tokens.Peppers           // read by Peppers
	Gateways   credential.Set           // by Gateways
	CallerKeys assertion.Keys           // by Callers: what gateways sign with
	Catalogue  *tokens.Catalogue        // by Permissions
	Public     *url.URL                 // by Pages
	Mail       *mail.Server             // by Pages; nil: none
	AppKeys    *sealing.Keys            // by Pages, of TOTP_KEYS; nil: none
	Domains    map[string]people.Domain // by Pages, of OIDC_DOMAINS
	Party      *passkey.Party           // by Pages; nil: no passkeys

	environ []string
}

// Settings is every variable of the program. Which of them must be set depends on the command: see Need. Its secrets
// are as they were given and must not be printed.
type Settings struct {
	settings.Service

	// Address of the public listener, for requests through the gateway.
	ListenAddress string `env:"LISTEN_ADDRESS" envDefault:":8082"`
	// Address of the listener for gateways: introspection, changes and usage. Do not publish.
	GatewaysAddress string `env:"GATEWAYS_ADDRESS" envDefault:":8092"`
	// Address of the listener for health checks and metrics. Do not publish.
	InnerAddress string `env:"INNER_ADDRESS" envDefault:":9082"`
	// Credentials of gateways, at least 32 bytes each, separated by commas. Needed by serve.
	GatewayCredential string `env:"GATEWAY_CREDENTIAL" secret:"true"`
	// Keys of the stored tokens, version:base64, separated by commas, at least 32 bytes each. The first one is for new
	// tokens, all of them verify; see Token peppers. Needed by serve and by commands that create, change or check tokens.
	TokenPeppers string `env:"TOKEN_PEPPERS" secret:"true"`
	// The most tokens that an organization may have active at a time; another one is refused
	// with too_many_tokens. 0: any number.
	MaxActiveTokens uint `env:"MAX_ACTIVE_TOKENS" envDefault:"1000"`
	// Public URL of the gateway for browsers. Plain http only for a loopback host.
	PublicURL string `env:"PUBLIC_URL" envDefault:"http://localhost:8080"`
	// URL of the OpenID Connect issuer. Empty: none. The redirect URL is PUBLIC_URL/sign-in/callback. Of a person who
	// signs in again its ID token must have the claim auth_time, for Entra ID an optional claim to be added to the app
	// registration; Google needs none.
	OIDCIssuer string `env:"OIDC_ISSUER"`
	// Client ID at the issuer.
	OIDCClientID string `env:"OIDC_CLIENT_ID"`
	// Client secret at the issuer.
	OIDCClientSecret string `env:"OIDC_CLIENT_SECRET" secret:"true"`
	// Claim of the ID token that marks the address in the claim email as verified: true, or the string. Addresses without
	// it are refused. For Entra ID xms_edov, an optional claim to be added to the app registration together with email.
	OIDCVerifiedClaim string `env:"OIDC_EMAIL_VERIFIED_CLAIM" envDefault:"email_verified"`
	// E-mail domains whose users become members at their first sign-in, without an invitation: domain=organization:role,
	// separated by commas. With :CLAIM=VALUE behind the role, such as hd=DOMAIN (Google Workspace) or tid=ID (Entra ID),
	// the ID token must have that claim, too. At Google, hd=domain is implied.
	OIDCDomains string `env:"OIDC_DOMAINS"`
	// true or false: sign-in with an e-mail address and a password. true without OIDC_ISSUER, false with it.
	LocalSignIn *bool `env:"LOCAL_SIGN_IN"`
	// Keys of 32 bytes that encrypt the keys of authenticator apps, as version:base64 separated by
	// commas, newest first. Empty: no app can be added, and codes of those added before are refused.
	TOTPKeys string `env:"TOTP_KEYS" secret:"true"`
	// Passkeys beside passwords. They belong to the host of PUBLIC_URL; for an IP address there are none.
	Passkeys bool `env:"PASSKEYS" envDefault:"true"`
	// Server for outgoing mail: smtp://user:password@host:587 (STARTTLS; to this machine
	// unencrypted) or smtps://user:password@host:465. Empty: no mail is sent, codes of
	// invitations are shown to the inviting person, and operators reset passwords.
	SMTPURL string `env:"SMTP_URL" secret:"true"`
	// Sender of mail, such as Quayside <quayside@example.com>. Needed with SMTP_URL.
	MailFrom string `env:"MAIL_FROM"`
	// Name of the operator, for the audit log.
	Operator string `env:"QUAYSIDE_OPERATOR"`
}

// Load reads the configuration from environ, a list of NAME=value, with what the command needs of it.
func Load(environ []string, needs ...Need) (Config, error) {
	set, err := settings.Load[Settings](environ)
	cfg, errs := Config{Settings: set, environ: environ}, []error{err}
	for _, need := range needs {
		errs = append(errs, need(&cfg))
	}
	if err := errors.Join(errs...); err != nil {
		return cfg, fmt.Errorf("configuration:\n%w", err)
	}
	return cfg, nil
}
