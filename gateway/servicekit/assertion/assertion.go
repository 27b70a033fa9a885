// Package assertion reads what the gateway says about who is asking: which
// organization, with which token, holding which permissions.
//
// The gateway strips these headers from every client's request before it sets
// its own, and proves that they are its own with an assertion: a JWT (RFC 7519)
// signed with Ed25519, for this very service and half a minute. Guard removes
// them from every request that has none, or one that says something else.
// A request without a well-formed organization is nobody's: FromHeader refuses
// it and nothing may be done for it.
package assertion

import (
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"
)

// The headers of the identity, as the gateway spells them.
const (
	HeaderOrganization = "X-Organization-ID"
	HeaderToken        = "X-Token-ID"
	HeaderPermissions  = "X-Token-Permissions"
	HeaderAssertion    = "X-Gateway-Assertion"
	HeaderRequest      = "X-Request-ID"
)

// ErrMissing says that a request carries no usable identity.
var ErrMissing = errors.New("the request carries no organization: it did not come through the gateway")

// Identity is who is asking. Its strings are as the gateway sent them.
type Identity struct {
	Organization string   // org_…
	Token        string   // tok_…
	Permissions  []string // all that the token may do; implied ones are spelt out
}

// FromHeader reads the identity of a request. parse says whether a text is an
// organization's identifier. Any header that is missing, repeated or
// malformed gives ErrMissing.
func FromHeader(h http.Header, parse func(prefix, text string) (uuid.UUID, bool)) (Identity, error) {
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
	if _, ok := parse("org", id.Organization); !ok || !strings.HasPrefix(id.Token, "tok_") {
		return Identity{}, ErrMissing
	}
	return id, nil
}
