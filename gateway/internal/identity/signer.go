// Package identity signs assertions of a request's principal, so that services need not trust every program that
// can reach their ports.
//
// An assertion is a compact JWS (RFC 7515) over a JWT (RFC 7519), signed with Ed25519 (RFC 8037). Its
// claims are iss, the gateway's issuer, aud the one service that it is for, sub the id of the token (tok_…) or of the
// signed-in person (usr_…), org the organization's, scope the permissions, iat and exp; for a person also name,
// org_name, sid, the session, and auth_time, when they proved who they are. The assertion for the pages of signing in
// and of settings, whose session tokens-svc reads itself, has neither sub, org nor scope but client, the client's
// address. Its guarantees:
//
//   - It holds for at most [Lifetime], and one handed out still holds for at least half of that.
//   - One for another service, token, person, organization, list of permissions or client address is another assertion.
//   - A token, and the address of a page's client, costs one signature per service and half [Lifetime], however
//     busy it is; memory is bounded.
//   - It contains no part of the token's text.
package identity

import (
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/maypok86/otter/v2"
)

// Lifetime is how long an assertion holds.
const Lifetime = 30 * time.Second

// reuse is how long an assertion is handed out again.
const reuse = Lifetime / 2

// maxCached bounds the assertions in memory.
const maxCached = 100_000

// Caller is the principal of a request, as the services receive it in headers: a token, a person, or the client of a
// page.
type Caller struct {
	Subject        string `json:"-"` // tok_… or usr_…: the claim of jwt.Claims
	OrganizationID string `json:"org"`
	// Name, OrganizationName, SessionID and AuthTime are a person's.
	OrganizationName string `json:"org_name,omitempty"`
	Name             string `json:"name,omitempty"`
	SessionID        string `json:"sid,omitempty"`
	AuthTime         int64  `json:"auth_time,omitempty"` // in seconds since 1970; 0: not known
	Permissions      string `json:"scope"`               // separated by single spaces
	// ClientAddress is set for pages only.
	ClientAddress string `json:"client,omitempty"`
}

// Signer makes assertions. It is safe for concurrent use; make it with [NewSigner].
type Signer struct {
	signer jose.Signer
	issuer string
	now    func() time.Time
	made   *otter.Cache[subject, assertion]
}

type subject struct{ audience, id, organization, clientAddress string }

type assertion struct {
	caller Caller
	text   string
	until  time.Time // when another one is to be made
}

// NewSigner returns a signer with key for that issuer. Its kid is the key's thumbprint (RFC 7638). now is the clock
// of iat and exp.
func NewSigner(key ed25519.PrivateKey, issuer string, now func() time.Time) (*Signer, error) {
	thumbprint, err := (&jose.JSONWebKey{Key: key.Public()}).Thumbprint(crypto.SHA256)
	if err != nil {
		return nil, err
	}
	kid := base64.RawURLEncoding.EncodeToString(thumbprint)
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: key, KeyID: kid}},
		(&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return &Signer{
		signer: signer,
		issuer: issuer,
		now:    now,
		made: otter.Must(&otter.Options[subject, assertion]{
			MaximumSize:      maxCached,
			ExpiryCalculator: otter.ExpiryWriting[subject, assertion](reuse),
		}),
	}, nil
}

// Assertion returns what convinces the service called audience that caller calls.
func (s *Signer) Assertion(audience string, caller Caller) (string, error) {
	now := s.now()
	about := subject{audience, caller.Subject, caller.OrganizationID, caller.ClientAddress}
	if known, ok := s.made.GetIfPresent(about); ok && known.caller == caller && now.Before(known.until) {
		return known.text, nil
	}
	text, err := jwt.Signed(s.signer).Claims(struct {
		jwt.Claims
		Caller
	}{jwt.Claims{
		Issuer: s.issuer, Audience: jwt.Audience{audience}, Subject: caller.Subject,
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(Lifetime)),
	}, caller}).Serialize()
	if err != nil {
		return "", fmt.Errorf("sign the assertion for %s: %w", audience, err)
	}
	s.made.Set(about, assertion{caller, text, now.Add(reuse)})
	return text, nil
}

// Close frees what the signer holds. It must not be used afterwards.
func (s *Signer) Close() { s.made.StopAllGoroutines() }
