package introspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"regexp"
	"time"
)

// What a token may do per window when its answer does not say.
const (
	defaultLimit  = 100
	defaultWindow = time.Minute
)

// The widest windows that an answer may name: what is beyond is taken for a fault, not for generosity.
const (
	maxLimit  = 1_000_000
	maxWindow = 24 * time.Hour
)

// maxAnswerBytes bounds what is read of a response; an answer with 100 addresses needs about 5 kB.
const maxResultBytes = 64 << 10

// What is forwarded to the services must have this form, so that nothing else can ride in a header.
var (
	tokenIDForm = regexp.MustCompile(`^tok_[0-9A-Za-z]{12}$`)
	orgIDForm   = regexp.MustCompile(`^org_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	scopeForm   = regexp.MustCompile(`^([a-z]+(:[a-z]+)?( [a-z]+(:[a-z]+)?)*)?$`)
)

// Answer is what the tokens service says of one token.
type Result struct {
	// Active tells whether the token may be used. Only Reason has a meaning when it is false.
	Active bool
	// Reason is "revoked" or "expired" when the tokens service gave one, which it does only to a caller
	// that holds the right secret; otherwise it is empty.
	Reason string
	// TokenID is the public id, "tok_…".
	TokenID string
	// Lineage is the id of the first token of the rotation chain that the token is of, "tok_…": its requests are
	// counted together with those of the tokens that it replaced, so that rotating gives no new window. It is
	// TokenID if the tokens service does not say.
	Lineage string
	// OrganizationID is the id of the organization that the token belongs to, "org_…".
	OrganizationID string
	// Permissions is the expanded list, sorted and separated by single spaces.
	Permissions string
	// ExpiresAt is the end of the token's life; zero means never.
	ExpiresAt time.Time
	// Rotated tells that the token has a successor, so that ExpiresAt is the end of their overlap.
	Rotated bool
	// Revision is the newest change of the token that the answer knows of; 0 if the tokens service did not
	// say.
	Revision int64
	// Limit is the number of requests per Window.
	Limit int
	// Window is the length of the rate-limit window, whole seconds.
	Window time.Duration
	// AllowFrom lists the addresses that may use the token; empty means any.
	AllowFrom []netip.Prefix
}

// endedBy reports whether the token's life is over at now.
func (a *Result) expiredAt(now time.Time) bool {
	return !a.ExpiresAt.IsZero() && !now.Before(a.ExpiresAt)
}

// Admits reports whether the token may be used from addr. IPv4 addresses match IPv4 ranges however they
// are mapped.
func (a *Result) Admits(addr netip.Addr) bool {
	if len(a.AllowFrom) == 0 {
		return true
	}
	addr = addr.Unmap().WithZone("")
	for _, allowed := range a.AllowFrom {
		if allowed.Contains(addr) {
			return true
		}
	}
	return false
}

// wireAnswer is the response of RFC 7662, section 2.2, with the members that Quayside adds. Active is a
// pointer so that an answer without it is not taken for "inactive".
type wireResult struct {
	Active         *bool    `json:"active"`
	Reason         string   `json:"reason"`
	Scope          string   `json:"scope"`
	Subject        string   `json:"sub"`
	Lineage        string   `json:"lineage"`
	OrganizationID string   `json:"organization_id"`
	ExpiresAt      *int64   `json:"exp"`
	RotatedTo      string   `json:"rotated_to"`
	Revision       int64    `json:"rev"`
	AllowFrom      []string `json:"ip_allow"`
	RateLimit      *struct {
		Limit         int   `json:"limit"`
		WindowSeconds int64 `json:"window_seconds"`
	} `json:"rate_limit"`
}

// decode reads one answer. An active answer that lacks what the gateway must forward or enforce is an
// error: treating it as active would let a request through without a tenant, treating it as inactive
// would tell a customer that a good token is bad.
func decode(body io.Reader) (Result, error) {
	var wire wireResult
	decoder := json.NewDecoder(io.LimitReader(body, maxResultBytes))
	if err := decoder.Decode(&wire); err != nil {
		return Result{}, fmt.Errorf("not an introspection answer: %w", err)
	}
	switch {
	case wire.Active == nil:
		return Result{}, fmt.Errorf("introspection answer without active")
	case !*wire.Active:
		return Result{Reason: knownReason(wire.Reason)}, nil
	case !tokenIDForm.MatchString(wire.Subject):
		return Result{}, fmt.Errorf("active answer with sub %q", wire.Subject)
	case wire.Lineage != "" && !tokenIDForm.MatchString(wire.Lineage):
		return Result{}, fmt.Errorf("active answer with lineage %q", wire.Lineage)
	case !orgIDForm.MatchString(wire.OrganizationID):
		return Result{}, fmt.Errorf("active answer with organization_id %q", wire.OrganizationID)
	case !scopeForm.MatchString(wire.Scope):
		return Result{}, fmt.Errorf("active answer with scope %q", wire.Scope)
	}

	result := Result{
		Active:         true,
		TokenID:        wire.Subject,
		Lineage:        cmp.Or(wire.Lineage, wire.Subject),
		OrganizationID: wire.OrganizationID,
		Permissions:    wire.Scope,
		Rotated:        wire.RotatedTo != "",
		Revision:       wire.Revision,
		Limit:          defaultLimit,
		Window:         defaultWindow,
	}
	if wire.ExpiresAt != nil {
		result.ExpiresAt = time.Unix(*wire.ExpiresAt, 0)
	}
	if limit := wire.RateLimit; limit != nil {
		if limit.Limit < 1 || limit.Limit > maxLimit || limit.WindowSeconds < 1 || limit.WindowSeconds > int64(maxWindow/time.Second) {
			return Result{}, fmt.Errorf("active answer with rate_limit %d per %d s", limit.Limit, limit.WindowSeconds)
		}
		result.Limit = limit.Limit
		result.Window = time.Duration(limit.WindowSeconds) * time.Second
	}
	for _, text := range wire.AllowFrom {
		prefix, err := parsePrefix(text)
		if err != nil {
			return Result{}, fmt.Errorf("active answer with ip_allow: %w", err)
		}
		result.AllowFrom = append(result.AllowFrom, prefix)
	}
	return result, nil
}

// parsePrefix reads a range in CIDR notation or a single address. A range of IPv4-mapped addresses
// becomes the IPv4 range it stands for.
func parsePrefix(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	if addr := prefix.Addr(); addr.Is4In6() && prefix.Bits() >= 96 {
		prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-96)
	}
	return prefix.Masked(), nil
}

// knownReason keeps a text that the gateway shows to callers to the two that it has words for.
func knownReason(reason string) string {
	switch reason {
	case "revoked", "expired":
		return reason
	default:
		return ""
	}
}
