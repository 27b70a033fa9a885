// Package web serves the pages: sign-in, and the settings of
// their organizations.
//
// Guarantees:
//
//   - Every page works without its script. The script adds dialogs, copying and
//     the check for a token's first request.
//   - Pages run no inline script and no inline style, load nothing from elsewhere,
//     cannot be framed or cached.
//   - A request that changes something comes from a page of ours
//     (http.CrossOriginProtection, and a cookie that is SameSite=Lax).
//   - An organization that does not exist and one that the person does not belong
//     to look alike. Membership and role are read anew for each request.
//   - A token's text is in one answer, once: that of the request which made it.
//     Sending that form again, by whatever means, makes and shows nothing.
//   - A page is rendered completely before its status is sent. The faults of a
//     form stands beside its fields, with everything that was typed but secrets.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	kit "github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/oidc"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/web/websession"
)

// Issuer is where people sign in by OpenID Connect. *oidc.Client implements it.
type Issuer interface {
	Start(ctx context.Context) (oidc.Flow, string, error)
	Finish(ctx context.Context, f oidc.Flow, query url.Values) (people.Claims, error)
}

// Config has the dependencies and settings of a site.
type Config struct {
	People    *people.Service
	Tokens    *tokens.Service
	Sessions  session.Store
	Issuer    Issuer        // nil: none
	Passwords bool          // people may sign in with e-mail address and password
	PublicURL *url.URL      // as browsers see it
	Timeout   time.Duration // for one request, without calls to the issuer
	Log       *slog.Logger
}

type site struct {
	Config
	sessions *websession.Manager
	secure   bool
}

// New returns the handler of /sign-in and /settings and all below, and one by which
// gateways introspect sessions.
func New(c Config) (pages, introspection http.Handler) {
	s := &site{Config: c, secure: c.PublicURL.Scheme == "https"}
	s.sessions = websession.New(c.Sessions, s.secure)
	own := http.NewCrossOriginProtection()
	_ = own.AddTrustedOrigin(c.PublicURL.Scheme + "://" + c.PublicURL.Host) // it has the form that this wants
	own.SetDenyHandler(http.HandlerFunc(s.crossOrigin))
	pages = requestid.Ensure(withTrace(httpserver.AccessLog(c.Log, attrs, s.broken,
		kit.Harden(own.Handler(s.routes()), s.secure))))
	return pages, http.HandlerFunc(s.introspect)
}
