package tokengate

import (
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/upstream"
)

// setAssertions sets the placeholders of r's next handlers with the assertions for services. Each is signed when it is
// read; it is empty for a zero caller.
func (g *Gate) setAssertions(r *http.Request, caller identity.Caller) {
	repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return
	}
	repl.Map(func(name string) (any, bool) {
		service, ok := strings.CutPrefix(name, upstream.AssertionPrefix)
		if !ok {
			return nil, false
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
