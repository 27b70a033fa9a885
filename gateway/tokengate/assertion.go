package tokengate

import (
	"net/http"
	"strings"

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
