package introspect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/maypok86/otter/v2"
)

// Session is the result of introspecting the session of a person for an organization.
type Session struct {
	// Active reports whether the person is signed in. If not, and Next is not empty, that page must be visited first.
	Active bool   `json:"active"`
	Next   string `json:"next"`

	SessionID string `json:"sid"`
	UserID    string `json:"sub"`
	Name      string `json:"name"`
	// OrganizationID is empty if the person is not a member of the organization. The rest is then empty, too.
	OrganizationID   string `json:"organization_id"`
	OrganizationName string `json:"organization_name"`
	// Permissions of the person's role are sorted and separated by single spaces.
	Permissions string `json:"scope"`
	// AuthTime is when the person proved who they are, in seconds since 1970; 0: not known.
	AuthTime int64 `json:"auth_time"`
}

// nextForm is that of a path of this site.
var nextForm = regexp.MustCompile(`^(/[a-z-]+)*$`)

// SessionRequest is a request for a page: its Cookie header and, for people's lists of their sessions, the address and
// program that it came from.
type SessionRequest struct{ Cookie, Organization, Client, UserAgent string }

// How long, and of how many people, it is known that a session was active.
const (
	knownFor  = 10 * time.Minute
	maxPeople = 10_000
)

func newPeople() *otter.Cache[digest, struct{}] {
	return otter.Must(&otter.Options[digest, struct{}]{
		MaximumSize: maxPeople, ExpiryCalculator: otter.ExpiryWriting[digest, struct{}](knownFor),
	})
}

// KnownSession reports whether the session of a Cookie header was active within the last ten minutes, so that it is
// worth an introspection whatever else comes from its address.
func (i *Introspector) KnownSession(cookie string) bool {
	_, known := i.people.GetIfPresent(i.digestOfSession(cookie))
	return known
}

// digestOfSession returns the digest of the session in a Cookie header. A browser sends some cookies on some ways to a
// page only, such as those with SameSite=Strict.
func (i *Introspector) digestOfSession(cookie string) digest {
	r := http.Request{Header: http.Header{"Cookie": {cookie}}}
	for _, name := range i.cookies {
		if session, err := r.Cookie(name); err == nil {
			return digestOf(session.Value)
		}
	}
	return digest{}
}

// sessionTimeout bounds the introspection of a session, which a person waits for and no cache shortens.
const sessionTimeout = 2 * time.Second

// IsOrganization reports whether text has the form of an organization's id.
func (i *Introspector) IsOrganization(text string) bool {
	return i.client.results.Organization != nil && i.client.results.isOrganization(text)
}

// Session introspects the session of a request, for one organization of the person or, if that is empty, any. The error
// is ctx's or an [ErrUnavailable]. Nothing is cached: pages are rare, and a session that has ended, or a role that was
// changed, is known with the next request.
func (i *Introspector) Session(ctx context.Context, from SessionRequest) (Session, error) {
	i.startFollowing() //nolint:contextcheck // follows for as long as the gateway runs
	body, err := i.client.call(ctx, i.client.sessionSlots, sessionTimeout, i.client.sessions, url.Values{
		"cookie": {from.Cookie}, "organization": {from.Organization}, "client": {from.Client}, "user_agent": {from.UserAgent},
	})
	if err != nil {
		return Session{}, err
	}
	var s struct {
		Session

		Active *bool `json:"active"` // to distinguish a response without it from an inactive one
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return Session{}, fmt.Errorf("%w: invalid introspection response: %w", ErrUnavailable, err)
	}
	switch s.Session.Active = s.Active != nil && *s.Active; {
	case s.Active != nil && !*s.Active && nextForm.MatchString(s.Next):
		i.people.Invalidate(i.digestOfSession(from.Cookie))
		return Session{Next: s.Next}, nil
	case !s.Session.Active, s.UserID == "" || s.SessionID == "", !isHeaderValue(s.UserID, s.SessionID),
		s.OrganizationID != "" && !i.client.results.isOrganization(s.OrganizationID),
		from.Organization != "" && s.OrganizationID != "" && s.OrganizationID != from.Organization,
		!scopeForm.MatchString(s.Permissions):
		return Session{}, fmt.Errorf("%w: the response about a session is malformed", ErrUnavailable)
	}
	i.people.Set(i.digestOfSession(from.Cookie), struct{}{})
	return s.Session, nil
}
