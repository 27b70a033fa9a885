package environment

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/identity"
)

// secretsApp is the Caddy app quayside, with which no gateway starts whose secrets are missing, short or published.
type secretsApp struct {
	// Demo is development mode, which accepts published secrets and no key.
	Demo bool `json:"demo,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (*secretsApp) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "quayside", New: func() caddy.Module { return new(secretsApp) }}
}

// announceDemo logs development mode once, because a configuration is provisioned more than once.
var announceDemo sync.Once

// Provision implements caddy.Provisioner.
func (a *secretsApp) Provision(ctx caddy.Context) error {
	if a.Demo {
		announceDemo.Do(func() {
			ctx.Logger().Warn("development mode: accepts the public demo secrets", zap.String("setting", "QUAYSIDE_DEMO"))
		})
	}
	return errors.Join(checkCredential(os.Getenv("GATEWAY_CREDENTIAL"), a.Demo),
		checkKey(os.Getenv("GATEWAY_SIGNING_KEY"), a.Demo))
}

// Start implements caddy.App.
func (*secretsApp) Start() error { return nil }

// Stop implements caddy.App.
func (*secretsApp) Stop() error { return nil }

// minCredentialBytes is the shortest credential that both sides accept.
const minCredentialBytes = 32

// checkCredential reports what is wrong with the gateway's credential.
func checkCredential(credential string, demo bool) error {
	switch {
	case credential == "":
		return errors.New("the gateway's credential is missing: set GATEWAY_CREDENTIAL or GATEWAY_CREDENTIAL_FILE")
	case len(credential) < minCredentialBytes:
		return fmt.Errorf("the gateway's credential must have at least %d bytes", minCredentialBytes)
	case strings.ContainsFunc(credential, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the gateway's credential must be printable ASCII without spaces")
	case strings.HasPrefix(credential, "demo-") && !demo:
		return errors.New("the gateway's credential is the demo's, which is published: set another one, or " +
			"QUAYSIDE_DEMO=true for development")
	default:
		return nil
	}
}

// checkKey reports what is wrong with the key that signs assertions, which development mode may be without.
func checkKey(text string, demo bool) error {
	switch key, err := identity.ParseKey(text); {
	case text == "" && demo:
		return nil
	case text == "":
		return errors.New("the gateway's signing key is missing: set GATEWAY_SIGNING_KEY or " +
			"GATEWAY_SIGNING_KEY_FILE to what `openssl genpkey -algorithm ed25519` writes")
	case err != nil:
		return fmt.Errorf("GATEWAY_SIGNING_KEY: %w", err)
	case identity.Demo(key) && !demo:
		return errors.New("the gateway's signing key is the demo's, which is published: set another one, or " +
			"QUAYSIDE_DEMO=true for development")
	default:
		return nil
	}
}

// Interface guards
var (
	_ caddy.App         = (*secretsApp)(nil)
	_ caddy.Provisioner = (*secretsApp)(nil)
)
