// Package assertion reads the identity of a request from the headers that the
// gateway sets, and verifies that the gateway set them.
//
// The gateway removes these headers from requests of clients, sets its own, and
// signs them with X-Gateway-Assertion: a JWT (RFC 7519) with Ed25519, for one
// service and at most 30 seconds. Guard removes the headers of requests whose
// assertion is missing, invalid or about another identity, so a request without
// a valid assertion has no identity: FromHeader returns ErrMissing for it.
package assertion

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

// The headers of the identity. Names are percent-encoded UTF-8.
const (
	HeaderOrganization     = "X-Organization-ID"
	HeaderOrganizationName = "X-Organization-Name" // of a person only
	HeaderToken            = "X-Token-ID"
	HeaderUser             = "X-User-ID" // instead of a token: a signed-in person
	HeaderUserName         = "X-User-Name"
	HeaderUserAuthTime     = "X-User-Auth-Time"    // seconds since 1970; missing: not known
	HeaderPermissions      = "X-Token-Permissions" // also of a person
	HeaderAssertion        = "X-Gateway-Assertion"
)

// identityHeaders are those that only a gateway sets.
var identityHeaders = []string{
	HeaderOrganization, HeaderOrganizationName, HeaderToken, HeaderUser, HeaderUserName, HeaderUserAuthTime,
	HeaderPermissions,
}

// ErrMissing is the error of a request without an identity.
var ErrMissing = errors.New("the request has no identity: it did not come through the gateway")

// Identity is the principal of a request: a token of an organization, or a person
// who is a member of it.
type Identity struct {
	Organization     string    // org_…
	OrganizationID   uuid.UUID // of Organization
	OrganizationName string    // of a person only
	Token            string    // tok_…; empty for a person
	User             string    // usr_…; empty for a token
	UserName         string
	AuthTime         time.Time // when the person proved who they are; zero: not known, or a token
	Permissions      []string  // of the token or of the person's role, with implied ones
}

// Actor returns the id of the token or of the person.
func (id Identity) Actor() string { return id.Token + id.User } // one of them is empty

// FromHeader returns the identity of a request. It returns ErrMissing if a header
// is missing, repeated or malformed.
func FromHeader(h http.Header) (Identity, error) {
	c, err := claimOf(h)
	if err != nil {
		return Identity{}, ErrMissing
	}
	id := Identity{
		Organization: c.Organization, OrganizationName: c.OrganizationName, UserName: c.Name,
		Permissions: strings.Fields(c.Scope),
	}
	if c.AuthTime != 0 {
		id.AuthTime = time.Unix(c.AuthTime, 0).UTC()
	}
	var ok bool
	if id.OrganizationID, ok = publicid.Parse("org", id.Organization); !ok {
		return Identity{}, ErrMissing
	}
	switch {
	case strings.HasPrefix(c.subject, "tok_") && h.Get(HeaderToken) != "":
		id.Token = c.subject
	case strings.HasPrefix(c.subject, "usr_") && h.Get(HeaderUser) != "":
		id.User = c.subject
	default:
		return Identity{}, ErrMissing
	}
	return id, nil
}

// claim is what headers and assertions both contain: the identity of a token or a
// person, or the address of a page's client.
type claim struct {
	Organization     string `json:"org"`
	OrganizationName string `json:"org_name"`
	Name             string `json:"name"`
	AuthTime         int64  `json:"auth_time"`
	Scope            string `json:"scope"`
	Client           string `json:"client"`
	subject          string
}

// claimOf returns the claim of a request's headers.
func claimOf(h http.Header) (c claim, err error) {
	for _, name := range identityHeaders {
		if len(h.Values(name)) > 1 {
			return c, errors.New("more than one " + name)
		}
	}
	switch {
	case len(h.Values(HeaderToken)) == len(h.Values(HeaderUser)):
		return c, errors.New("not exactly one of " + HeaderToken + " and " + HeaderUser)
	case h.Get(HeaderOrganization) == "" || len(h.Values(HeaderPermissions)) == 0:
		return c, errors.New("no " + HeaderOrganization + " or no " + HeaderPermissions)
	}
	name, nameErr := url.PathUnescape(h.Get(HeaderUserName))
	organization, organizationErr := url.PathUnescape(h.Get(HeaderOrganizationName))
	if nameErr != nil || organizationErr != nil {
		return c, errors.New("a name is not percent-encoded")
	}
	var proved int64
	if text := h.Get(HeaderUserAuthTime); text != "" {
		if proved, err = strconv.ParseInt(text, 10, 64); err != nil {
			return c, errors.New(HeaderUserAuthTime + " is no number")
		}
	}
	return claim{
		Organization: h.Get(HeaderOrganization), OrganizationName: organization, Name: name, AuthTime: proved,
		Scope: h.Get(HeaderPermissions), subject: h.Get(HeaderToken) + h.Get(HeaderUser),
	}, nil
}
