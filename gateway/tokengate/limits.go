package tokengate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func init() {
	caddy.RegisterModule(new(Limits))
	httpcaddyfile.RegisterHandlerDirective("limits", parseLimits)
	httpcaddyfile.RegisterDirectiveOrder("limits", httpcaddyfile.Before, "handle")
}

// Limits limits the requests of a route further than the gate in front of it does. It refuses with 429. Requests
// without a token, for public paths and pages, pass.
type Limits struct {
	// Name identifies the limits in Redis, in RateLimit-Policy and in metrics. Limits of one name share windows, and their
	// requests in flight count together.
	Name string `json:"name"`
	// Cost is how many requests of its token's window a request takes. Default: 1
	Cost int `json:"cost,omitempty"`
	// Token is a window for each token on this route.
	Token *RouteQuota `json:"token,omitempty"`
	// Organization is a window for all tokens of an organization together on this route.
	Organization *RouteQuota `json:"organization,omitempty"`
	// Concurrent is how many requests of one organization this gateway forwards at the same time. Default: no limit
	Concurrent int `json:"concurrent,omitempty"`
}

// RouteQuota is the number of requests in a window.
type RouteQuota struct {
	Limit  int            `json:"limit"`
	Window caddy.Duration `json:"window"` // whole seconds
}

func (q *RouteQuota) valid() bool {
	window := time.Duration(q.Window)
	return q.Limit > 0 && q.Limit <= maxRequests && window >= time.Second && window <= maxRouteWindow &&
		window%time.Second == 0
}

// CaddyModule returns the Caddy module information.
func (*Limits) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.token_gate_limits", New: func() caddy.Module { return new(Limits) }}
}

var (
	limitsName  = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	windowNames = []string{tokenWindow, addressWindow, pageWindow, signInWindow, publicWindow}
)

// maxCost is the highest limit that a token can have: nothing that costs more can be served.
const maxCost = introspect.MaxLimit

// Bounds within which the script in Redis counts exactly: its numbers are floating-point.
const (
	maxRequests    = 1_000_000_000
	maxRouteWindow = 31 * 24 * time.Hour
)

// Validate reports everything that is wrong with the configuration.
func (l *Limits) Validate() error {
	var problems []error
	if !limitsName.MatchString(l.Name) || slices.Contains(windowNames, l.Name) {
		problems = append(problems, fmt.Errorf("limits: the name %q must be lower-case letters, digits and -, and none of %v",
			l.Name, windowNames))
	}
	if l.Cost < 0 || l.Cost > maxCost || l.Concurrent < 0 || l.Concurrent > maxRequests {
		problems = append(problems,
			fmt.Errorf("limits: cost must be a whole number from 1 to %d, and concurrent one from 1 to %d", maxCost,
				maxRequests))
	}
	if l.Cost < 2 && l.Token == nil && l.Organization == nil && l.Concurrent == 0 {
		problems = append(problems,
			errors.New("limits: nothing is limited; give a cost of at least 2, token, organization or concurrent"))
	}
	for name, quota := range map[string]*RouteQuota{"token": l.Token, "organization": l.Organization} {
		if quota != nil && !quota.valid() {
			problems = append(problems,
				fmt.Errorf("limits: %s must be 1 to %d requests in a window of whole seconds, at most 744h", name, maxRequests))
		}
	}
	return errors.Join(problems...)
}

// refusal is a problem of the gate that a handler behind it returns.
type refusal struct{ problem }

func (r refusal) Error() string { return r.Code }

// ServeHTTP implements caddyhttp.MiddlewareHandler.
func (l *Limits) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	out := gateWriter(w)
	if out == nil {
		return caddyhttp.Error(http.StatusInternalServerError, errors.New("limits needs token_gate in front of it"))
	}
	if out.token == nil {
		return next.ServeHTTP(w, r)
	}
	if p := l.charge(r.Context(), out, out.token); p != nil {
		return refusal{*p}
	}
	if of := (flight{l.Name, out.token.OrganizationID}); l.Concurrent > 0 {
		switch {
		case inFlight.begin(of, l.Concurrent):
			defer inFlight.end(of)
		case !out.gate.enforced.shadow:
			return refusal{concurrencyLimited}
		}
	}
	return next.ServeHTTP(w, r)
}

// charge counts a request of token in the windows of the route and then the rest of its cost. The
// requests that a refused one was charged stay counted. It returns the problem of a refusal.
func (l *Limits) charge(ctx context.Context, out *responseWriter, token *introspect.Result) *problem {
	for _, one := range []struct {
		quota *RouteQuota
		id    string
		whose string
	}{{l.Token, token.Lineage, "token"}, {l.Organization, token.OrganizationID, "organization"}} {
		if one.quota == nil {
			continue
		}
		quota := ratelimit.Quota{Limit: one.quota.Limit, Window: time.Duration(one.quota.Window)}
		result, err := out.gate.windows.Take(ctx, "route:"+l.Name+":"+one.id, quota)
		if p := out.gate.refuseRoute(l.Name, result, err,
			"The requests of the "+one.whose+" for this resource are used up; wait until the time in "+
				"X-RateLimit-Reset."); p != nil {
			if err == nil {
				out.window = windowState{l.Name, result}
				p.retryAfter = out.window.secondsLeft()
			}
			return p
		}
	}
	if l.Cost < 2 {
		return nil
	}
	// The gate has counted 1 already.
	out.further += l.Cost - 1
	if out.further >= token.Limit && !out.gate.enforced.shadow {
		p := limitTooLow.withDetail(fmt.Sprintf("This request counts as %d, and the token's limit is %d in a "+
			"whole window; waiting does not help.", out.further+1, token.Limit))
		return &p
	}
	result, err := out.gate.windows.TakeAll(ctx, token.Lineage, ratelimit.Quota{Limit: token.Limit, Window: token.Window},
		l.Cost-1)
	p := out.gate.refuseRoute(tokenWindow, result, err,
		fmt.Sprintf("This request counts as %d, and the window of the token has fewer left; wait until the time "+
			"in X-RateLimit-Reset.", out.further+1))
	switch {
	case p == nil && result.Allowed:
		out.window.Result = result
	case p != nil && err == nil:
		p.retryAfter = out.window.secondsLeft()
	}
	return p
}

// refuseRoute returns how a request that was counted with this result is refused.
func (g *Gate) refuseRoute(window string, result ratelimit.Result, err error, detail string) *problem {
	g.decided(window, result, err)
	switch {
	case err != nil && !g.enforced.shadow:
		return &limiterUnavailable
	case g.enforced.stops(result, err):
		p := rateLimited.withDetail(detail)
		return &p
	default:
		return nil
	}
}

// inFlight counts the requests in flight that limits are concerned with. It belongs to the process, so that those of
// before a reload count.
var inFlight = flights{requests: make(map[flight]int)}

type flights struct {
	mu       sync.Mutex
	requests map[flight]int
}

// flight is what requests are counted by.
type flight struct{ limits, organization string }

// begin notes one more request unless there are limit already, and reports whether it did.
func (f *flights) begin(of flight, limit int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.requests[of] >= limit {
		return false
	}
	f.requests[of]++
	return true
}

// end is the inverse of begin.
func (f *flights) end(of flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.requests[of]--; f.requests[of] == 0 {
		delete(f.requests, of)
	}
}

// gateWriter returns the writer of the gate that w wraps, or nil.
func gateWriter(w http.ResponseWriter) *responseWriter {
	for {
		if out, ok := w.(*responseWriter); ok {
			return out
		}
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return nil
		}
		w = wrapper.Unwrap()
	}
}

// Interface guard
var _ caddy.Validator = (*Limits)(nil)
