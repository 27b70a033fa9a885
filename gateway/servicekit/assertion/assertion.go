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
	"strings"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

// The headers of the identity.
const (
	HeaderOrganization = "X-Organization-ID"
	HeaderToken        = "X-Token-ID"
	HeaderPermissions  = "X-Token-Permissions"
	HeaderAssertion    = "X-Gateway-Assertion"
)

// ErrMissing is the error of a request without an identity.
var ErrMissing = errors.New("the request has no identity: it did not come through the gateway")

// Identity is the principal of a request: a token of an organization.
type Identity struct {
	Organization   string    // org_…
	OrganizationID uuid.UUID // of Organization
	Token          string    // tok_…
	Permissions    []string  // of the token, with implied ones
}

// FromHeader returns the identity of a request. It returns ErrMissing if a header
// is missing, repeated or malformed.
func FromHeader(h http.Header) (Identity, error) {
	for _, name := range []string{HeaderOrganization, HeaderToken, HeaderPermissions} {
		if len(h.Values(name)) != 1 {
			return Identity{}, ErrMissing
		}
	}
	id := Identity{
		Organization: h.Get(HeaderOrganization),
		Token:        h.Get(HeaderToken),
		Permissions:  strings.Fields(h.Get(HeaderPermissions)),
	}
	var ok bool
	if id.OrganizationID, ok = publicid.Parse("org", id.Organization); !ok || !strings.HasPrefix(id.Token, "tok_") {
		return Identity{}, ErrMissing
	}
	return id, nil
}
