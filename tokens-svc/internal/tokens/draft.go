package tokens

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Bounds of user input.
const (
	maxName    = 100       // code points
	maxReason  = 200       // code points
	maxIPAllow = 100       // entries
	maxLimit   = 1_000_000 // requests
	maxWindow  = 86_400    // seconds
)

// lastExpiry is the last time with a four-digit year.
var lastExpiry = time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC)

// Draft is a requested token. Create reports all faults of
// it at once, as a ValidationError.
type Draft struct {
	Name        string
	Environment Environment // zero: that of the calling token, or Live
	Permissions []string    // at least one
	IPAllow     []string    // addresses and CIDR ranges, IPv4 and IPv6; nil: those of the calling token
	RateLimit   RateLimit   // its zero parts take those of DefaultRateLimit, or of the calling token if that is lower
	ExpiresAt   time.Time   // zero: never
	// DefaultExpiry marks ExpiresAt as a default: it gives way to an earlier
	// end of the calling token, or by the policy.
	DefaultExpiry bool
	// OfOrganization makes the organization the owner, and not the principal.
	OfOrganization bool
}

// check returns the requested token, without id and organization.
func (d Draft) check(c *Catalogue, principal Principal, now time.Time) (Token, error) {
	d = d.complete(principal)
	if d.DefaultExpiry {
		d.ExpiresAt = earlier(principal.policy.Last(now), d.ExpiresAt)
	}
	var wrong ValidationError
	if d.Environment != Live && d.Environment != Test {
		wrong.Add("environment", InvalidValue, "must be %s or %s", Live, Test)
	}
	empty := Token{
		Environment: d.Environment, RateLimit: d.RateLimit, CreatedBy: principal.maker(), Owner: principal.owner,
		CreatedAt: now,
	}
	return Patch{
		Name: &d.Name, Permissions: &d.Permissions, IPAllow: &d.IPAllow, RateLimit: &d.RateLimit,
		ExpiresAt:      &d.ExpiresAt,
		OfOrganization: d.OfOrganization,
	}.apply(&wrong, c, principal, empty, now)
}

// checkExpiry returns when a token is to end, a whole second as gateways learn
// it; zero stands for never.
func checkExpiry(wrong *ValidationError, end, now time.Time) time.Time {
	if end.IsZero() {
		return end
	}
	end = end.UTC().Truncate(time.Second)
	if !end.After(now) {
		wrong.Add("expires_at", OutOfRange, "must be in the future")
	}
	if !end.Before(lastExpiry) {
		wrong.Add("expires_at", OutOfRange,
			"must be before the year 10000; leave it out for a token that never expires")
	}
	return end
}

// Text returns text for people without the white space around it, empty if it
// shows nothing, and notes what is wrong with it: least and most are counted in
// code points.
func (e *ValidationError) Text(field, text string, least, most int) string {
	text = strings.TrimSpace(text)
	if plaintext.Blank(text) {
		text = ""
	}
	n := utf8.RuneCountInString(text)
	switch {
	case !utf8.ValidString(text) || strings.ContainsFunc(text, plaintext.Refused):
		e.Add(field, InvalidText,
			"must be UTF-8 without control characters, line separators and characters that change the direction of "+
				"text")
	case n < least:
		e.Add(field, Required, "is required")
	case n > most:
		e.Add(field, TooLong, "has %d characters; at most %d are allowed", n, most)
	case Scrub(text) != text:
		e.Add(field, InvalidText, "holds what looks like a token, and is not secret")
	}
	return text
}

func (c *Catalogue) check(wrong *ValidationError, principal Principal, texts []string) []Permission {
	if len(texts) == 0 {
		wrong.Add("permissions", Required, "is required: name at least one of %s", list(c.All()))
	}
	granted := make([]Permission, 0, len(texts))
	for i, text := range texts {
		p, err := c.Parse(text)
		if err != nil {
			wrong.addEntry("permissions", i+1, InvalidValue, "holds an %v", err)
			continue
		}
		principal.checkGrant(wrong, i+1, p)
		granted = append(granted, p)
	}
	return sortedSet(granted)
}

func checkIPAllow(wrong *ValidationError, texts []string) []netip.Prefix {
	if len(texts) > maxIPAllow {
		wrong.Add("ip_allow", TooLong, "has %d entries; at most %d are allowed", len(texts), maxIPAllow)
		return nil
	}
	ranges := make([]netip.Prefix, 0, len(texts))
	for i, text := range texts {
		r, err := parseRange(text)
		if err != nil {
			wrong.addEntry("ip_allow", i+1, InvalidValue, "%q: %v", Scrub(text), err)
			continue
		}
		ranges = append(ranges, r)
	}
	slices.SortFunc(ranges, netip.Prefix.Compare)
	return slices.Compact(ranges)
}

// parseRange reads a CIDR range or a single address.
func parseRange(text string) (netip.Prefix, error) {
	var r netip.Prefix
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		r = netip.PrefixFrom(addr, addr.BitLen())
	} else if r, err = netip.ParsePrefix(text); err != nil {
		return netip.Prefix{}, errors.New("not an address or a CIDR range such as 192.0.2.0/24 or 2001:db8::/32")
	}
	if r.Addr().Is4In6() {
		return netip.Prefix{}, errors.New("write an IPv4 range as such; it also covers the addresses mapped into IPv6")
	}
	if r != r.Masked() {
		return netip.Prefix{}, errors.New("has bits beyond its length; did you mean " + r.Masked().String() + "?")
	}
	return r, nil
}

func checkRateLimit(wrong *ValidationError, principal Principal, r RateLimit) RateLimit {
	before := len(wrong.Fields)
	if r.Limit < 1 || r.Limit > maxLimit {
		wrong.Add("limit", OutOfRange, "must be from 1 to %d", maxLimit)
	}
	if r.WindowSeconds < 1 || r.WindowSeconds > maxWindow {
		wrong.Add("window_seconds", OutOfRange, "must be from 1 to %d", maxWindow)
	}
	if len(wrong.Fields) == before {
		principal.checkLimit(wrong, r)
	}
	return r
}

func list(permissions []Permission) string { return join(permissions, ", ") }

func instant(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return audit.Instant(t)
}

func join[T any](all []T, separator string) string { return strings.Join(Texts(all), separator) }
