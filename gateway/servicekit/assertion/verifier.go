package assertion

import (
	"crypto/ed25519"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/maypok86/otter/v2"
)

const (
	// issuer is the gateway, whichever instance.
	issuer = "quayside-gateway"
	// lifetime is the longest that an assertion may hold.
	lifetime = 30 * time.Second
	// skew is by how much the clocks of two machines may differ.
	skew = 5 * time.Second
	// maxRemembered bounds the verified assertions in memory.
	maxRemembered = 100_000
)

// Verifier knows the gateways' keys. It is safe for concurrent use.
type Verifier struct {
	audience string
	keys     map[string]ed25519.PublicKey // by kid
	now      func() time.Time
	// The gateway sends an assertion with many requests; its signature is
	// checked once.
	verified *otter.Cache[string, verified]
}

// claim is what headers and assertions both say: of a token, or of a page's
// client, which is an address and nothing else.
type claim struct{ organization, token, permissions, client string }

type verified struct {
	claim
	until time.Time
}

// NewVerifier returns a verifier for the service called audience; now tells
// the time. Without keys it believes everybody, which is for laptops.
func NewVerifier(audience string, keys Keys, now func() time.Time) *Verifier {
	return &Verifier{
		audience: audience, keys: keys.byID, now: now,
		verified: otter.Must(&otter.Options[string, verified]{
			MaximumSize:      maxRemembered,
			ExpiryCalculator: otter.ExpiryWriting[string, verified](lifetime + skew),
		}),
	}
}

// Close frees what the verifier holds.
func (v *Verifier) Close() { v.verified.StopAllGoroutines() }

// Guard hands requests on to next. From one whose identity the gateway does
// not vouch for, the identity is removed, and log is told why.
func (v *Verifier) Guard(log *slog.Logger, next http.Handler) http.Handler {
	if len(v.keys) == 0 {
		log.Warn("whoever reaches this port is believed: there are no GATEWAY_PUBLIC_KEYS")
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := v.check(r.Header); err != nil {
			if r.Header.Get(HeaderOrganization) != "" {
				log.WarnContext(r.Context(), "an identity that the gateway does not vouch for",
					"error", err.Error(), "remote", r.RemoteAddr, "request_id", r.Header.Get(HeaderRequest))
			}
			for _, name := range []string{HeaderOrganization, HeaderToken, HeaderPermissions} {
				r.Header.Del(name)
			}
		}
		r.Header.Del(HeaderAssertion)
		next.ServeHTTP(w, r)
	})
}

// check says why the assertion, of which there must be one, does not prove
// what the headers say. No text of theirs is in the error.
func (v *Verifier) check(h http.Header) error {
	for _, name := range []string{HeaderOrganization, HeaderToken, HeaderPermissions, HeaderAssertion} {
		if len(h.Values(name)) != 1 {
			return errors.New("not exactly one " + name)
		}
	}
	return v.proves(h.Get(HeaderAssertion), claim{
		organization: h.Get(HeaderOrganization), token: h.Get(HeaderToken), permissions: h.Get(HeaderPermissions),
	})
}

// proves returns nil if an assertion is the gateway's, holds now and says
// exactly what the headers say.
func (v *Verifier) proves(assertion string, headers claim) error {
	known, ok := v.verified.GetIfPresent(assertion)
	if !ok {
		var err error
		if known, err = v.parse(assertion); err != nil {
			return err
		}
		v.verified.Set(assertion, known)
	}
	switch {
	case !v.now().Before(known.until):
		return errors.New("the assertion has expired")
	case known.claim != headers:
		return errors.New("the assertion is not about what the headers say")
	}
	return nil
}

// parse checks everything about an assertion but its end.
func (v *Verifier) parse(text string) (verified, error) {
	token, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil || len(token.Headers) != 1 {
		return verified{}, errors.New("the assertion is no signed JWT")
	}
	key, ok := v.keys[token.Headers[0].KeyID]
	if !ok {
		return verified{}, errors.New("the assertion is signed with a key that is not among GATEWAY_PUBLIC_KEYS")
	}
	var said struct {
		jwt.Claims

		Organization string `json:"org"`
		Scope        string `json:"scope"`
		Client       string `json:"client"`
	}
	if err := token.Claims(key, &said); err != nil {
		return verified{}, errors.New("the assertion's signature is wrong")
	}
	now := v.now()
	switch {
	case said.Issuer != issuer:
		return verified{}, errors.New("the assertion is not the gateway's")
	case len(said.Audience) != 1 || said.Audience[0] != v.audience:
		return verified{}, errors.New("the assertion is for another service")
	case said.IssuedAt == nil || said.Expiry == nil || said.Expiry.Time().Sub(said.IssuedAt.Time()) > lifetime:
		return verified{}, errors.New("the assertion holds for too long")
	case said.IssuedAt.Time().After(now.Add(skew)):
		return verified{}, errors.New("the assertion is of the future")
	}
	return verified{
		claim: claim{organization: said.Organization, token: said.Subject, permissions: said.Scope, client: said.Client},
		until: said.Expiry.Time().Add(skew),
	}, nil
}
