// Package web serves the pages: sign-in, and the settings of their organizations.
//
// Guarantees:
//
//   - Every page works without its script. The script adds dialogs, copying and the
//     check for a token's first request.
//   - Pages run no inline script and no inline style, load nothing from elsewhere,
//     cannot be framed or cached.
//   - A request that changes something comes from a page of ours
//     (http.CrossOriginProtection, and a cookie that is SameSite=Lax).
//   - An organization that does not exist and one that the person does not belong
//     to look alike. Membership and role are read anew for each request.
//   - A token's text is in one answer, once: that of the request which made it.
//     Sending that form again, by whatever means, makes and shows nothing.
//   - A page is rendered completely before its status is sent. The faults of a
//     form stand beside its fields, with everything that was typed but secrets.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/limit/address"
	kit "github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/oidc"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Issuer is where people sign in by OpenID Connect. *oidc.Client implements it.
type Issuer interface {
	Start(ctx context.Context, again bool) (oidc.Flow, string, error)
	Finish(ctx context.Context, f oidc.Flow, query url.Values) (people.Claims, error)
}

// Config has the dependencies and settings of a site.
type Config struct {
	People    *people.Service
	Tokens    *tokens.Service
	Sessions  *session.Manager
	Issuer    Issuer        // nil: none
	Passwords bool          // people may sign in with e-mail address and password
	PublicURL *url.URL      // as browsers see it
	Timeout   time.Duration // for one request, without calls to the issuer
	Sections  kit.Sections
	Log       *slog.Logger
}

type site struct {
	Config
	secure bool
}

// New returns the handler of /sign-in and /settings and all below.
func New(c Config) http.Handler {
	s := &site{Config: c, secure: c.PublicURL.Scheme == "https"}
	own := http.NewCrossOriginProtection()
	_ = own.AddTrustedOrigin(c.PublicURL.Scheme + "://" + c.PublicURL.Host) // it has the form that this wants
	own.SetDenyHandler(http.HandlerFunc(s.crossOrigin))
	broken := func(w http.ResponseWriter, r *http.Request) { // it ended in a panic
		s.write(w, r, errorPage(http.StatusInternalServerError))
	}
	return requestid.Ensure(s.withVisit(httpserver.AccessLog(c.Log, attrs, broken,
		kit.Harden(own.Handler(s.routes()), s.secure))))
}

// visit is one request with its authenticated user.
type visit struct {
	*http.Request
	w    http.ResponseWriter
	site *site
	// person is the user, and their membership in the organization that the request is about.
	person people.Standing
	ended  bool   // the request brought the cookie of a session that has ended
	notice string // notice from the previous page
}

// org returns the organization that the request is about.
func (v *visit) org() tokens.OrgID { return v.person.Membership.Organization.ID }

// token returns the id of the token that the request is about, as it was written.
func (v *visit) token() tokens.TokenID { return tokens.TokenID(v.PathValue("token")) }

// path returns the address of something in the organization at hand.
func (v *visit) path(rest string) string { return "/settings/" + string(v.org()) + rest }

// client returns address, request id and device of the request.
func (v *visit) client() people.ClientInfo {
	client := people.ClientInfo{Address: clientAddress(v.Request), RequestID: requestid.Of(v.Request)}
	if cookie, err := v.Cookie(v.site.deviceCookie()); err == nil {
		client.Device = cookie.Value
	}
	return client
}

// deviceCookie returns the name of the cookie by which a browser is known.
func (s *site) deviceCookie() string {
	if s.secure {
		return "__Host-quayside-device"
	}
	return "quayside-device"
}

// principal returns the user with their role in the organization at hand.
func (v *visit) principal() tokens.Principal {
	return v.site.Tokens.Permissions().Person(v.client().Actor(v.person.User), v.person.Membership.Role).
		Under(v.person.Membership.Organization.Policy)
}

// clientAddress returns the client's address as the gateway asserts it, see assertion.GuardPages, or the peer's for a
// request that came directly, in development. The zero address stands for an unknown one.
func clientAddress(r *http.Request) netip.Addr {
	if a, err := netip.ParseAddr(r.Header.Get(assertion.HeaderClient)); err == nil {
		return address.Canonical(a)
	}
	peer, _ := netip.ParseAddrPort(r.RemoteAddr) // fails without a TCP connection
	return address.Canonical(peer.Addr())
}

type visitKey struct{}

// withVisit gives a request its visit, which the access log reads at its end.
func (s *site) withVisit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), visitKey{}, &visit{site: s})))
	})
}

func visitOf(r *http.Request) *visit { return r.Context().Value(visitKey{}).(*visit) }

// attrs are the access log's attributes of the user.
func attrs(r *http.Request) []slog.Attr {
	v, all := visitOf(r), []slog.Attr{slog.String("request_id", requestid.Of(r))}
	if v.person.ID != "" {
		all = append(all, slog.String("user_id", string(v.person.ID)))
	}
	if v.org() != "" {
		all = append(all, slog.String("organization_id", string(v.org())))
	}
	return all
}
