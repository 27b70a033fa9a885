package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// visit is one request with its authenticated user.
type visit struct {
	*http.Request
	site *site
	user people.User
	// memberships are all of the user's; here is the one in the organization
	// that the request is about.
	memberships []people.Membership
	current     people.Membership
	ended       bool   // the request brought the cookie of a session that has ended
	notice      string // notice from the previous page
}

// org returns the organization that the request is about.
func (v *visit) org() tokens.OrgID { return v.current.Organization.ID }

// token returns the id of the token that the request is about, as it was
// written.
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

// member returns the user as a principal of package people.
func (v *visit) member() people.Principal {
	return people.Principal{Actor: v.client().Actor(v.user), Role: v.current.Role}
}

// principal returns the user as a principal of package tokens.
func (v *visit) principal() tokens.Principal {
	return v.site.Tokens.Permissions().Person(v.member().Actor, v.current.Role)
}

// clientAddress returns the client's address as the gateway asserts it, see
// assertion.GuardPages, or the peer's for a request that came directly, in
// development. The zero address stands for an unknown one.
func clientAddress(r *http.Request) netip.Addr {
	if a, err := netip.ParseAddr(r.Header.Get(assertion.HeaderClient)); err == nil {
		return a.Unmap().WithZone("")
	}
	peer, _ := netip.ParseAddrPort(r.RemoteAddr) // fails without a TCP connection
	return peer.Addr().Unmap().WithZone("")
}

// trace collects a request's attributes for the access log.
type trace struct {
	user people.UserID
	org  tokens.OrgID
}

type traceKey struct{}

func withTrace(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), traceKey{}, &trace{})))
	})
}

func traceOf(r *http.Request) *trace {
	t, ok := r.Context().Value(traceKey{}).(*trace)
	if !ok {
		return &trace{}
	}
	return t
}

// attrs are the access log's attributes of the user.
func attrs(r *http.Request) []slog.Attr {
	t := traceOf(r)
	all := []slog.Attr{slog.String("request_id", requestid.Of(r))}
	if t.user != "" {
		all = append(all, slog.String("user_id", string(t.user)))
	}
	if t.org != "" {
		all = append(all, slog.String("organization_id", string(t.org)))
	}
	return all
}
