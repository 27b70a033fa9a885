package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// introspection is the response about a session. A person who is not signed in gives
// {"active":false}, with the page that must be visited first, if there is one. One who
// is not a member of the organization has no organization in the response.
type introspection struct {
	Active           bool          `json:"active"`
	Next             string        `json:"next,omitempty"`
	User             people.UserID `json:"sub,omitempty"`
	Session          string        `json:"sid,omitempty"`
	Name             string        `json:"name,omitempty"`
	Organization     tokens.OrgID  `json:"organization_id,omitempty"`
	OrganizationName string        `json:"organization_name,omitempty"`
	Scope            string        `json:"scope,omitempty"`
	AuthTime         int64         `json:"auth_time,omitempty"` // when the person proved who they are
}

// introspect answers gateways: who has the session of a Cookie header, and what that
// person may do in an organization, or in the first one if none is named. The form has
// the request's cookie, organization, client address and user_agent. It extends the
// session, as a page does.
func (s *site) introspect(w http.ResponseWriter, r *http.Request) {
	if err := pages.ParseForm(r); err != nil {
		problem.New(http.StatusBadRequest, "bad_request", "Bad request", "the body is not a form").Write(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
	defer cancel()
	found, err := s.findSession(ctx, r)
	if err != nil {
		httpserver.Explain(w, err)
		problem.New(http.StatusServiceUnavailable, "unavailable", "Temporarily unavailable",
			"the session cannot be checked at the moment").Write(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(found) // fails only if the gateway is gone
}

func (s *site) findSession(ctx context.Context, r *http.Request) (introspection, error) {
	from, _ := netip.ParseAddr(r.PostForm.Get("client")) // unknown otherwise
	wanted := r.PostForm.Get("organization")
	v := &visit{site: s, Request: &http.Request{Header: http.Header{
		"Cookie": {r.PostForm.Get("cookie")}, "User-Agent": {r.PostForm.Get("user_agent")},
	}}}
	v.SetPathValue("org", wanted)
	ctx, _, err := s.sessions.Load(ctx, v.Request, from)
	if err != nil {
		return introspection{}, err
	}
	if err := s.authenticate(ctx, v); err != nil {
		return introspection{}, err
	}
	switch {
	case v.user.ID == "":
		return introspection{}, nil
	case s.Passwords && v.user.PasswordTemporary:
		return introspection{Next: "/settings/password"}, nil
	case wanted == "" && len(v.memberships) == 0:
		return introspection{Next: "/settings"}, nil
	case wanted == "":
		v.current = v.memberships[0]
	}
	if extended, err := s.sessions.Extend(ctx); err != nil || !extended {
		return introspection{}, err
	}
	current := s.sessions.Current(ctx)
	found := introspection{
		Active: true, User: v.user.ID, Session: current.ID, Name: v.user.Display(),
		Organization: v.org(), OrganizationName: v.current.Organization.Name,
		Scope: strings.Join(tokens.Texts(s.Tokens.Permissions().Held(v.current.Role)), " "),
	}
	if !current.ProvedAt.IsZero() {
		found.AuthTime = current.ProvedAt.Unix()
	}
	return found, nil
}
