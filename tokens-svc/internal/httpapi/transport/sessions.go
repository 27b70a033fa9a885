package transport

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Sessions introspects the sessions of people.
type Sessions struct {
	People      *people.Service
	Sessions    *session.Manager
	Permissions *tokens.Catalogue
	Passwords   bool // temporary ones must be changed first
}

// personView is the answer about a session. A person who is not signed in gives {"active":false}, with the page that
// must be visited first, if there is one. One who is not a member of the organization has no organization there.
type personView struct {
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

// sessionRequest is the request for a page as the gateway got it, and the organization that it is about; "": the first
// one of the person.
type sessionRequest struct {
	*http.Request
	client       netip.Addr // zero: unknown
	organization tokens.OrgID
}

func decodeSession(r *http.Request) (sessionRequest, error) {
	if err := pages.ParseForm(r); err != nil {
		return sessionRequest{}, errForm
	}
	client, _ := netip.ParseAddr(r.PostForm.Get("client"))
	return sessionRequest{&http.Request{Header: http.Header{
		"Cookie": {r.PostForm.Get("cookie")}, "User-Agent": {r.PostForm.Get("user_agent")},
	}}, client, tokens.OrgID(r.PostForm.Get("organization"))}, nil
}

// introspect says who has the session of a request and what that person may do in the organization. It extends the
// session, as a page does.
func (s Sessions) introspect(ctx context.Context, _ *call, r sessionRequest) (reply, error) {
	view, err := s.find(ctx, r)
	if err != nil {
		return reply{}, fmt.Errorf("%w: %w", tokens.ErrUnavailable, err)
	}
	return reply{status: http.StatusOK, body: view}, nil
}

func (s Sessions) find(ctx context.Context, r sessionRequest) (personView, error) {
	ctx, _, err := s.Sessions.Load(ctx, r.Request, r.client)
	if err != nil {
		return personView{}, err
	}
	current := s.Sessions.Current(ctx)
	if current.User == "" {
		return personView{}, nil
	}
	person, err := s.People.Standing(ctx, current.User, r.organization)
	switch {
	case err != nil:
		return personView{}, err
	case s.Passwords && person.PasswordTemporary:
		return personView{Next: "/settings/password"}, nil
	case r.organization == "" && len(person.Memberships) == 0:
		return personView{Next: "/settings"}, nil
	case r.organization == "":
		person.Membership = person.Memberships[0]
	}
	if extended, err := s.Sessions.Extend(ctx); err != nil || !extended {
		return personView{}, err
	}
	view := personView{
		Active: true, User: person.ID, Session: current.ID, Name: person.Display(),
		Organization: person.Membership.Organization.ID, OrganizationName: person.Membership.Organization.Name,
		Scope: strings.Join(tokens.Texts(s.Permissions.Held(person.Membership.Role)), " "),
	}
	if !current.ProvedAt.IsZero() {
		view.AuthTime = current.ProvedAt.Unix()
	}
	return view, nil
}
