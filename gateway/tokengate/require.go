package tokengate

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

func init() {
	caddy.RegisterModule(new(Require))
	httpcaddyfile.RegisterHandlerDirective("token_gate_require", parseRequire)
	httpcaddyfile.RegisterDirectiveOrder("token_gate_require", httpcaddyfile.After, "tracing")
}

// Require admits requests whose token, or person, has all of these scopes. It works behind a gate only.
type Require struct {
	Scopes []string `json:"scopes"`
}

// CaddyModule returns the Caddy module information.
func (*Require) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.token_gate_require", New: func() caddy.Module { return new(Require) }}
}

// ServeHTTP implements caddyhttp.MiddlewareHandler.
func (q *Require) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	granted, _ := repl.GetString(placeholders + "scope")
	for _, scope := range q.Scopes {
		if !slices.Contains(strings.Fields(granted), scope) {
			w.Header()["WWW-Authenticate"] = []string{`Bearer error="insufficient_scope", scope="` + scope + `"`}
			return caddyhttp.Error(http.StatusForbidden, problem.New(http.StatusForbidden, "insufficient_permission",
				"Insufficient permission", fmt.Sprintf("This needs the permission %s.", scope)))
		}
	}
	return next.ServeHTTP(w, r)
}

// parseRequire sets up the handler from Caddyfile tokens. Syntax:
//
//	token_gate_require [<matcher>] <scope...>
func parseRequire(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h.Next() // the directive's name
	q := &Require{Scopes: h.RemainingArgs()}
	if len(q.Scopes) == 0 || h.NextBlock(0) {
		return nil, h.ArgErr()
	}
	return q, nil
}

// Interface guard
var _ caddyhttp.MiddlewareHandler = (*Require)(nil)
