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

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
)

// DefaultIssuer is the issuer of a gateway whose token_gate names no other.
const DefaultIssuer = "quayside-gateway"

const (
	// lifetime is the longest validity of an assertion.
	lifetime = 30 * time.Second
	// skew is the tolerated difference of two machines' clocks.
	skew = 5 * time.Second
	// maxCached bounds the cache of verified assertions.
	maxCached = 100_000
)

// Verifier verifies assertions. It is safe for concurrent use.
type Verifier struct {
	audience string
	issuer   string
	keys     map[string]ed25519.PublicKey // by kid
	now      func() time.Time
	// The gateway sends an assertion with many requests; its signature is
	// verified once.
	verified *otter.Cache[string, verified]
}

type verified struct {
	claim
	until time.Time
}

// NewVerifier returns a verifier for the service named audience, of assertions
// that gateways with that issuer and one of the keys signed. Without keys it
// accepts every identity, which is for development.
func NewVerifier(audience, issuer string, keys Keys, now func() time.Time) *Verifier {
	return &Verifier{
		audience: audience, issuer: issuer, keys: keys.byID, now: now,
		verified: otter.Must(&otter.Options[string, verified]{
			MaximumSize:      maxCached,
			ExpiryCalculator: otter.ExpiryWriting[string, verified](lifetime + skew),
		}),
	}
}

// Close stops the verifier's goroutines.
func (v *Verifier) Close() { v.verified.StopAllGoroutines() }

// Guard passes requests to next. It removes an identity that the gateway did not
// sign, and logs the reason.
func (v *Verifier) Guard(log *slog.Logger, next http.Handler) http.Handler {
	if len(v.keys) == 0 {
		log.Warn("identities are not verified: GATEWAY_PUBLIC_KEYS is not set")
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := v.check(r.Header); err != nil {
			if r.Header.Get(HeaderOrganization) != "" {
				log.WarnContext(r.Context(), "removed an identity that the gateway did not sign",
					"error", err.Error(), "remote", r.RemoteAddr, "request_id", requestid.Of(r))
			}
			for _, name := range identityHeaders {
				r.Header.Del(name)
			}
		}
		r.Header.Del(HeaderAssertion)
		next.ServeHTTP(w, r)
	})
}

// check returns an error unless there is exactly one assertion and it proves the
// identity in the headers. The error has no text from the headers.
func (v *Verifier) check(h http.Header) error {
	if len(h.Values(HeaderAssertion)) != 1 {
		return errors.New("not exactly one " + HeaderAssertion)
	}
	c, err := claimOf(h)
	if err != nil {
		return err
	}
	return v.proves(h.Get(HeaderAssertion), c)
}

// proves returns nil if an assertion is the gateway's, is valid now and contains
// exactly the headers' claim.
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
		return errors.New("the assertion is about another identity")
	}
	return nil
}

// parse verifies everything about an assertion but its expiry.
func (v *Verifier) parse(text string) (verified, error) {
	token, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil || len(token.Headers) != 1 {
		return verified{}, errors.New("the assertion is not a signed JWT")
	}
	key, ok := v.keys[token.Headers[0].KeyID]
	if !ok {
		return verified{}, errors.New("the assertion is signed with a key that is not among GATEWAY_PUBLIC_KEYS")
	}
	var claims struct {
		jwt.Claims
		claim
	}
	if err := token.Claims(key, &claims); err != nil {
		return verified{}, errors.New("the assertion's signature is wrong")
	}
	now := v.now()
	switch {
	case claims.Issuer != v.issuer:
		return verified{}, errors.New("the assertion's issuer is not GATEWAY_ISSUER")
	case len(claims.Audience) != 1 || claims.Audience[0] != v.audience:
		return verified{}, errors.New("the assertion is for another service")
	case claims.IssuedAt == nil || claims.Expiry == nil || claims.Expiry.Time().Sub(claims.IssuedAt.Time()) > lifetime:
		return verified{}, errors.New("the assertion is valid for too long")
	case claims.IssuedAt.Time().After(now.Add(skew)):
		return verified{}, errors.New("the assertion is not valid yet")
	}
	claims.subject = claims.Subject
	return verified{claims.claim, claims.Expiry.Time().Add(skew)}, nil
}
