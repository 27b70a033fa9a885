package introspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Results are what the responses of a tokens service contain.
type Results struct {
	// Limit per Window is the quota of a token whose result contains none. Default: 100 per minute
	Limit  int
	Window time.Duration
	// Organization is the form of an organization's id, which every active result then has. Nil: any or none
	Organization *regexp.Regexp
	// Issuer is that of tokens whose result has none. Empty: no other issuer has the same ids
	Issuer string
}

// The quota by default.
const (
	defaultLimit  = 100
	defaultWindow = time.Minute
)

// The largest quota accepted. A larger one is a fault.
const (
	MaxLimit  = 1_000_000
	MaxWindow = 24 * time.Hour
)

// maxResultBytes bounds the response body; a result with 100 addresses has about 5 kB.
const maxResultBytes = 64 << 10

// scopeForm is that of RFC 6749, section 3.3.
var scopeForm = regexp.MustCompile(`^([!#-\[\]-~]+( [!#-\[\]-~]+)*)?$`)

// maxIDBytes bounds ids, which are forwarded in headers and kept.
const maxIDBytes = 255

func isHeaderValue(ids ...string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool {
		return len(id) > maxIDBytes || !httpguts.ValidHeaderFieldValue(id)
	})
}

// isOrganization reports whether text may be the id of an organization.
func (s *Results) isOrganization(text string) bool {
	return isHeaderValue(text) && (s.Organization == nil || s.Organization.MatchString(text))
}

// Result is the result of an introspection.
type Result struct {
	// Active reports whether the token is valid. If not, only Reason and, with one, TokenID have a meaning.
	Active bool
	// Reason is why it is not: "revoked", "expired", another word or empty. The tokens service gives it only for the right
	// secret.
	Reason string
	// TokenID is the public id, "tok_…".
	TokenID string
	// Lineage is the id of the first token of the rotation chain, "tok_…": its tokens share one rate-limit window.
	// Without one in the response it is TokenID. Where several issuers may have it, it is after "token:" and the issuer.
	Lineage string
	// OrganizationID is the id of the token's organization, "org_…".
	OrganizationID string
	// Permissions are sorted and separated by single spaces.
	Permissions string
	// ExpiresAt is the token's expiry; zero means never.
	ExpiresAt time.Time
	// Rotated reports that the token has a successor, so that ExpiresAt is the end of their overlap.
	Rotated bool
	// Revision is the token's newest revision in the result; 0 if the response has none.
	Revision int64
	// Limit is the number of requests per Window.
	Limit int
	// Window is the length of the rate-limit window in whole seconds.
	Window time.Duration
	// AllowFrom are the client addresses that may use the token; empty means any.
	AllowFrom []netip.Prefix
}

// expiredAt reports whether the token has expired at now.
func (a *Result) expiredAt(now time.Time) bool {
	return !a.ExpiresAt.IsZero() && !now.Before(a.ExpiresAt)
}

// Admits reports whether the token may be used from addr, which is no IPv4 address mapped into IPv6.
func (a *Result) Admits(addr netip.Addr) bool {
	return len(a.AllowFrom) == 0 ||
		slices.ContainsFunc(a.AllowFrom, func(allowed netip.Prefix) bool { return allowed.Contains(addr) })
}

// wireResult is the response of RFC 7662, section 2.2, with optional members beyond it. Active is a pointer to
// distinguish a response without it from an inactive one.
type wireResult struct {
	Active         *bool          `json:"active"`
	Reason         string         `json:"reason"`
	Scope          string         `json:"scope"`
	Subject        string         `json:"sub"`
	Username       string         `json:"username"`
	ClientID       string         `json:"client_id"`
	Lineage        string         `json:"lineage"`
	Issuer         string         `json:"iss"`
	OrganizationID string         `json:"organization_id"`
	ExpiresAt      *int64         `json:"exp"`
	RotatedTo      string         `json:"rotated_to"`
	Revision       int64          `json:"rev"`
	AllowFrom      []netip.Prefix `json:"ip_allow"`
	RateLimit      *struct {
		Limit         int   `json:"limit"`
		WindowSeconds int64 `json:"window_seconds"`
	} `json:"rate_limit"`
}

// decode parses a response. An active result without a member that must be forwarded or enforced is an error: as
// active it would admit a request without a tenant, as inactive it would reject a valid token.
func (s *Results) decode(body []byte) (Result, error) {
	var wire wireResult
	if err := json.Unmarshal(body, &wire); err != nil {
		return Result{}, fmt.Errorf("invalid introspection response: %w", err)
	}
	switch {
	case wire.Active == nil:
		return Result{}, fmt.Errorf("introspection response without active")
	case !*wire.Active:
		return Result{Reason: wire.Reason}, nil
	}
	subject := cmp.Or(wire.Subject, wire.Username, wire.ClientID)
	lineage := cmp.Or(wire.Lineage, subject)
	if s.Issuer != "" && lineage != "" {
		lineage = "token:" + cmp.Or(wire.Issuer, s.Issuer) + ":" + lineage
	}
	switch {
	case !isHeaderValue(subject, wire.Lineage, wire.Issuer):
		return Result{}, fmt.Errorf("active response with sub %q, lineage %q and iss %q", subject, wire.Lineage, wire.Issuer)
	case !s.isOrganization(wire.OrganizationID):
		return Result{}, fmt.Errorf("active response with organization_id %q", wire.OrganizationID)
	case !scopeForm.MatchString(wire.Scope):
		return Result{}, fmt.Errorf("active response with scope %q", wire.Scope)
	}

	result := Result{
		Active:         true,
		TokenID:        subject,
		Lineage:        lineage,
		OrganizationID: wire.OrganizationID,
		Permissions:    wire.Scope,
		Rotated:        wire.RotatedTo != "",
		Revision:       wire.Revision,
		Limit:          cmp.Or(s.Limit, defaultLimit),
		Window:         cmp.Or(s.Window, defaultWindow),
		AllowFrom:      wire.AllowFrom,
	}
	if wire.ExpiresAt != nil {
		result.ExpiresAt = time.Unix(*wire.ExpiresAt, 0)
	}
	if limit := wire.RateLimit; limit != nil {
		if limit.Limit < 1 || limit.Limit > MaxLimit || limit.WindowSeconds < 1 ||
			limit.WindowSeconds > int64(MaxWindow/time.Second) {
			return Result{}, fmt.Errorf("active response with rate_limit %d per %d s", limit.Limit, limit.WindowSeconds)
		}
		result.Limit = limit.Limit
		result.Window = time.Duration(limit.WindowSeconds) * time.Second
	}
	return result, nil
}
