// Package oidc signs people in at an OpenID Connect issuer: authorization
// code flow with PKCE (RFC 7636, S256), state and nonce, by coreos/go-oidc.
//
// Guarantees: an answer counts only for the very flow that asked for it, in the browser that started it, once; the
// response is the configured issuer's, by the signature of its ID token and by RFC 9207's iss where it sends that; and
// an issuer that does not answer delays a request by Timeout at most.
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// Timeout bounds all calls to the issuer for one request.
const Timeout = 5 * time.Second

// Errors. Test with errors.Is.
var (
	// ErrUnavailable means that the issuer is unavailable or its response is malformed.
	ErrUnavailable = errors.New("the issuer is not available")
	// ErrDenied means that the issuer, or the person at the issuer, refused.
	ErrDenied = errors.New("the issuer refused")
	// ErrClaims means that an ID token does not identify a person for this client:
	// its subject, its authorized party or the type of a claim is wrong.
	ErrClaims = errors.New("the ID token's claims cannot be used")
	// ErrNotAgain means that the issuer did not sign the person in anew, or does not say when it did.
	ErrNotAgain = errors.New("the issuer did not sign the person in again")
	// ErrMismatch means that an answer does not belong to the flow at hand.
	ErrMismatch = errors.New("the callback does not belong to this sign-in")
)

// Config is this program's registration at the issuer.
type Config struct {
	Issuer       string // its URL, as in its own configuration
	ClientID     string
	ClientSecret string
	RedirectURL  string // where browsers come back to
	// VerifiedClaim is the claim of ID tokens that says that the issuer has verified the claim email. Without it, or with
	// any other value than true, an address is not verified.
	VerifiedClaim string
}

// Client is this program at one issuer. It is safe for concurrent use. The
// issuer is first contacted at a sign-in, so a program starts without it.
type Client struct {
	config Config
	http   *http.Client

	provider atomic.Pointer[gooidc.Provider] // nil until the issuer has answered
}

// New returns a client.
func New(c Config) *Client {
	return &Client{config: c, http: &http.Client{Timeout: Timeout}}
}

// Flow is the session's state between the redirect to the issuer and its coming back. All of it is secret.
type Flow struct {
	State, Nonce, Verifier string
}

// Start returns a new flow and the address to send the browser to. again has the issuer sign in also a person
// who has a session there. It gives ErrUnavailable.
func (c *Client) Start(ctx context.Context, again bool) (Flow, string, error) {
	provider, err := c.discover(ctx)
	if err != nil {
		return Flow{}, "", err
	}
	f := Flow{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	options := []oauth2.AuthCodeOption{gooidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)}
	if again { // max_age also asks for the claim auth_time
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return f, c.oauth(provider).AuthCodeURL(f.State, options...), nil
}

// Finish returns the claims of the signed-in person, given the query with which the browser came back. It gives
// ErrMismatch, ErrDenied, ErrClaims and ErrUnavailable.
func (c *Client) Finish(ctx context.Context, f Flow, query url.Values) (people.Claims, error) {
	switch {
	case f.State == "" || f.Nonce == "" || f.Verifier == "":
		return people.Claims{}, fmt.Errorf("%w: no flow was begun in this browser", ErrMismatch)
	case subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(f.State)) != 1:
		return people.Claims{}, fmt.Errorf("%w: its state is another", ErrMismatch)
	case query.Has("iss") && query.Get("iss") != c.config.Issuer:
		return people.Claims{}, fmt.Errorf("%w: it is another issuer's", ErrMismatch)
	case query.Has("error"):
		return people.Claims{}, fmt.Errorf("%w: %.40q", ErrDenied, query.Get("error"))
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	provider, err := c.discover(ctx)
	if err != nil {
		return people.Claims{}, err
	}
	token, err := c.oauth(provider).Exchange(gooidc.ClientContext(ctx, c.http), query.Get("code"),
		oauth2.VerifierOption(f.Verifier))
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		// Its text may repeat input, so only the code is shown.
		return people.Claims{}, fmt.Errorf("%w: %.40q", ErrDenied, refused.ErrorCode)
	}
	if err != nil {
		return people.Claims{}, fmt.Errorf("%w: exchange a code: %w", ErrUnavailable, err)
	}
	return c.read(ctx, provider, f, token)
}

// read takes the claims out of an answer's ID token.
func (c *Client) read(
	ctx context.Context, provider *gooidc.Provider, f Flow, token *oauth2.Token,
) (people.Claims, error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return people.Claims{}, fmt.Errorf("%w: it sends no ID token", ErrUnavailable)
	}
	id, err := provider.Verifier(&gooidc.Config{ClientID: c.config.ClientID}).Verify(gooidc.ClientContext(ctx, c.http),
		raw)
	if err != nil {
		return people.Claims{}, fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(f.Nonce)) != 1 {
		return people.Claims{}, fmt.Errorf("%w: its nonce is another", ErrMismatch)
	}
	var claims struct {
		Email      string `json:"email"`
		Name       string `json:"name"`
		Authorized string `json:"azp"`
	}
	var all map[string]any
	if err := errors.Join(id.Claims(&claims), id.Claims(&all)); err != nil {
		return people.Claims{}, fmt.Errorf("%w: %w", ErrClaims, err)
	}
	_, hasAuthorized := all["azp"]
	switch {
	case id.Subject == "" || len(id.Subject) > maxSubject:
		return people.Claims{}, fmt.Errorf("%w: sub has %d bytes; it must have 1 to %d",
			ErrClaims, len(id.Subject), maxSubject)
	case (hasAuthorized || len(id.Audience) > 1) && claims.Authorized != c.config.ClientID:
		// go-oidc leaves this to its callers.
		return people.Claims{}, fmt.Errorf("%w: azp is not this client", ErrClaims)
	}
	result := people.Claims{
		Identity: people.Identity{Issuer: id.Issuer, Subject: id.Subject},
		Email:    claims.Email, EmailVerified: isTrue(c.config.VerifiedClaim, all), Name: claims.Name,
		All: all,
	}
	if seconds, ok := all["auth_time"].(float64); ok && seconds > 0 {
		result.AuthTime = time.Unix(int64(seconds), 0).UTC()
	}
	return result, nil
}

// maxSubject is the longest sub in bytes, as OpenID Connect Core has it.
const maxSubject = 255

// entraClaim is Entra ID's claim of a verified domain, which it writes as 1 or "1", too.
const entraClaim = "xms_edov"

// isTrue reports whether a claim is true or the string "true", which Amazon Cognito and Sign in with Apple send.
func isTrue(name string, claims map[string]any) bool {
	switch claims[name] {
	case true, "true":
		return true
	case 1.0, "1":
		return name == entraClaim
	}
	return false
}

// discover returns the issuer's configuration, which is read once.
func (c *Client) discover(ctx context.Context) (*gooidc.Provider, error) {
	if known := c.provider.Load(); known != nil {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	provider, err := gooidc.NewProvider(gooidc.ClientContext(ctx, c.http), c.config.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	c.provider.Store(provider)
	return provider, nil
}

func (c *Client) oauth(provider *gooidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: c.config.ClientID, ClientSecret: c.config.ClientSecret, RedirectURL: c.config.RedirectURL,
		Endpoint: provider.Endpoint(), Scopes: []string{gooidc.ScopeOpenID, "email", "profile"},
	}
}
