package tokens

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of what people may choose.
const (
	maxName    = 100       // code points
	maxReason  = 200       // code points
	maxIPAllow = 100       // entries
	maxLimit   = 1_000_000 // requests
	maxWindow  = 24 * time.Hour
)

// lastExpiry is the end of what four digits of a year can say.
var lastExpiry = time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC)

// Draft is a token as somebody asks for it. Create says all that is wrong with
// it at once, as a ValidationError.
type Draft struct {
	Name        string
	Environment Environment // zero: Live
	Permissions []string    // at least one
	IPAllow     []string    // addresses and CIDR ranges, IPv4 and IPv6
	RateLimit   RateLimit   // its zero parts take those of DefaultRateLimit
	ExpiresAt   time.Time   // zero: never
}

// check returns the token that d describes, without id and organization.
func (d Draft) check(now time.Time) (Token, error) {
	var wrong ValidationError
	t := Token{
		Name:        checkText(&wrong, "name", d.Name, 1, maxName),
		Environment: d.Environment,
		Permissions: checkPermissions(&wrong, d.Permissions),
		IPAllow:     checkIPAllow(&wrong, d.IPAllow),
		RateLimit:   checkRateLimit(&wrong, d.RateLimit),
		CreatedAt:   now,
	}
	switch t.Environment {
	case "":
		t.Environment = Live
	case Live, Test:
	default:
		wrong.add("environment", "must be %s or %s", Live, Test)
	}
	if !d.ExpiresAt.IsZero() {
		t.ExpiresAt = d.ExpiresAt.UTC().Truncate(time.Millisecond)
		if !t.ExpiresAt.After(now) {
			wrong.add("expires_at", "must be in the future")
		}
		if !t.ExpiresAt.Before(lastExpiry) {
			wrong.add("expires_at", "must be before the year 10000; leave it out for a token that never expires")
		}
	}
	return t, wrong.orNil()
}

// checkText returns text without the white space around it.
func checkText(wrong *ValidationError, field, text string, least, most int) string {
	text = strings.TrimSpace(text)
	n := utf8.RuneCountInString(text)
	switch {
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		wrong.add(field, "must be UTF-8 without control characters")
	case n < least:
		wrong.add(field, "is required")
	case n > most:
		wrong.add(field, "has %d characters; at most %d are allowed", n, most)
	case Scrub(text) != text:
		wrong.add(field, "holds what looks like a token, and is not secret")
	}
	return text
}

func checkPermissions(wrong *ValidationError, texts []string) []Permission {
	if len(texts) == 0 {
		wrong.add("permissions", "is required: name at least one of %s", list(AllPermissions()))
	}
	granted := make([]Permission, 0, len(texts))
	for _, text := range texts {
		p, err := ParsePermission(text)
		if err != nil {
			wrong.add("permissions", "%v", err)
			continue
		}
		granted = append(granted, p)
	}
	return sortedSet(granted)
}

func checkIPAllow(wrong *ValidationError, texts []string) []netip.Prefix {
	if len(texts) > maxIPAllow {
		wrong.add("ip_allow", "has %d entries; at most %d are allowed", len(texts), maxIPAllow)
		return nil
	}
	ranges := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		r, err := parseRange(text)
		if err != nil {
			wrong.add("ip_allow", "%q: %v", Scrub(text), err)
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

func checkRateLimit(wrong *ValidationError, r RateLimit) RateLimit {
	if r.Limit == 0 {
		r.Limit = DefaultRateLimit.Limit
	}
	if r.Window == 0 {
		r.Window = DefaultRateLimit.Window
	}
	if r.Limit < 1 || r.Limit > maxLimit {
		wrong.add("limit", "must be from 1 to %d", maxLimit)
	}
	if r.Window < time.Second || r.Window > maxWindow || r.Window%time.Second != 0 {
		wrong.add("window_seconds", "must be from 1 to %.0f", maxWindow.Seconds())
	}
	return r
}

func list(permissions []Permission) string {
	texts := make([]string, len(permissions))
	for i, p := range permissions {
		texts[i] = string(p)
	}
	return strings.Join(texts, ", ")
}
