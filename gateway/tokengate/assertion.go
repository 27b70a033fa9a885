package tokengate

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/upstream"
)

// setIdentityPlaceholders sets the placeholders of r's next handlers that identify caller. An assertion is signed when
// its placeholder is read; it is empty for a zero caller.
func (g *Gate) setIdentityPlaceholders(r *http.Request, caller identity.Caller) {
	repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return
	}
	repl.Map(func(name string) (any, bool) {
		service, ok := strings.CutPrefix(name, upstream.AssertionPrefix)
		if !ok {
			return userPlaceholder(name, caller)
		}
		if g.signer == nil || caller == (identity.Caller{}) {
			return "", true
		}
		text, err := g.signer.Assertion(service, caller)
		if err != nil {
			// The service refuses the request.
			g.logger.Error("no assertion", zap.String("service", service), zap.Error(err))
			return "", true
		}
		return text, true
	})
}

// userPlaceholder is the value of a placeholder of Caddy's authenticated user, if name is one.
func userPlaceholder(name string, caller identity.Caller) (any, bool) {
	switch {
	case caller.Subject == "":
	case name == "http.auth.user.id":
		return caller.Subject, true
	case name == "http.auth.user.organization_id":
		return caller.OrganizationID, true
	}
	return nil, false
}

// provisionSigner creates the signer, which development mode may be without. The errors name the environment
// variables of the shipped Caddyfile, because those are to be changed.
func (g *Gate) provisionSigner(text string) error {
	if text == "" {
		if g.demo {
			return nil
		}
		return errors.New("token_gate: the gateway's signing key is missing: set GATEWAY_SIGNING_KEY or " +
			"GATEWAY_SIGNING_KEY_FILE to what `openssl genpkey -algorithm ed25519` writes")
	}
	key, err := identity.ParseKey(text)
	if err != nil {
		return fmt.Errorf("token_gate: signing_key: %w", err)
	}
	if identity.Demo(key) && !g.demo {
		return errors.New("token_gate: the gateway's signing key is the demo's, which is published: set another " +
			"one, or QUAYSIDE_DEMO=true for development")
	}
	if g.signer, err = identity.NewSigner(key, g.Issuer, time.Now); err != nil {
		return fmt.Errorf("token_gate: signing_key: %w", err)
	}
	g.release = append(g.release, func() error {
		g.signer.Close()
		return nil
	})
	return nil
}
