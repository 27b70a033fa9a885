package tokens

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
)

// Bounds of user input.
const (
	maxName    = 100       // code points
	maxReason  = 200       // code points
	maxIPAllow = 100       // entries
	maxLimit   = 1_000_000 // requests
	maxWindow  = 86_400    // seconds
	maxDays    = 3650      // ten years
)

// lastExpiry is the last time with a four-digit year.
var lastExpiry = time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC)

// check returns the requested token, without id and organization.
func (d Draft) check(c *Catalogue, principal Principal, now time.Time) (Token, error) {
	d = d.complete(principal, now)
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
		ExpiresAt: &d.ExpiresAt, OfOrganization: d.OfOrganization,
	}.apply(&wrong, c, principal, empty, now)
}

// complete fills in omitted fields of a draft: from the calling token, whose bounds may not be exceeded, from the
// policy, or from the defaults.
func (d Draft) complete(principal Principal, now time.Time) Draft {
	limit, caller := DefaultRateLimit, principal.caller
	if caller != nil {
		d.Environment = cmp.Or(d.Environment, caller.Environment)
		limit.Limit = min(limit.Limit, caller.RateLimit.Limit)
		limit.WindowSeconds = max(limit.WindowSeconds, caller.RateLimit.WindowSeconds)
		if d.IPAllow == nil {
			d.IPAllow = Texts(caller.IPAllow)
		}
		if d.DefaultExpiry {
			d.ExpiresAt = earlier(caller.ExpiresAt, d.ExpiresAt)
		}
	}
	if d.DefaultExpiry {
		d.ExpiresAt = earlier(principal.policy.Last(now), d.ExpiresAt)
	}
	d.Environment, d.RateLimit = cmp.Or(d.Environment, Live), d.RateLimit.or(limit)
	return d
}

// apply returns t, a token that is stored or an empty one, with the patch's changes.
func (p Patch) apply(
	wrong *ValidationError, c *Catalogue, principal Principal, t Token, now time.Time,
) (Token, error) {
	before := t
	if p.Name != nil {
		t.Name = wrong.Text("name", *p.Name, 1, maxName)
	}
	if p.Permissions != nil {
		t.Permissions = c.check(wrong, principal, *p.Permissions)
	}
	if p.IPAllow != nil {
		t.IPAllow = checkIPAllow(wrong, *p.IPAllow)
	}
	if p.RateLimit != nil {
		window := t.RateLimit.WindowSeconds
		t.RateLimit = checkRateLimit(wrong, principal, p.RateLimit.or(t.RateLimit))
		// Gateways count windows of each length apart: another length would begin with an unused window.
		if t.RateLimit.WindowSeconds != window {
			wrong.Add("window_seconds", InvalidValue,
				"must stay %d: the window of a token cannot change; create another token for another window", window)
		}
	}
	if p.ExpiresAt != nil {
		t.ExpiresAt = checkExpiry(wrong, *p.ExpiresAt, now)
	}
	if err := wrong.OrNil(); err != nil {
		return t, err
	}
	if p.OfOrganization {
		if !principal.MayChooseOwner() {
			return t, principal.refuse("make the organization the owner of a token")
		}
		t.Owner = Owner{}
	}
	principal.checkWithin(wrong, t)
	if before.ID != "" && c.widens(before, t) {
		if p.Permissions == nil { // otherwise they are checked above
			principal.checkGrants(wrong, t.Permissions)
		}
		before = Token{} // the policy applies as to a new one
	}
	principal.checkPolicy(wrong, before, t)
	return t, wrong.OrNil()
}

// widens reports whether a changed token is good for longer, from more addresses, for more permissions or
// beyond its owner's role.
func (c *Catalogue) widens(before, after Token) bool {
	had := c.Expand(before.Permissions)
	more := func(p Permission) bool { return !slices.Contains(had, p) }
	return !earlier(before.ExpiresAt, after.ExpiresAt).Equal(after.ExpiresAt) ||
		outside(after.IPAllow, before.IPAllow) != "" || slices.ContainsFunc(after.Permissions, more) ||
		after.Owner.IsOrganization() && !before.Owner.IsOrganization()
}

// ValidationError lists all faults of an input. Nothing was done.
type ValidationError struct {
	Fields []FieldError
}

// FieldError is a fault of one field.
type FieldError struct {
	Field  string // as it is called in JSON: "expires_at"
	Entry  int    // which entry of a list, counted from 1; 0: the field as a whole
	Code   FaultCode
	Detail string // a sentence without its full stop; ends up on screens
}

// FaultCode names a kind of fault, for programs.
type FaultCode string

// The fault codes of fields.
const (
	Required     FaultCode = "required"      // missing, or nothing but space
	TooLong      FaultCode = "too_long"      // more characters or entries than allowed
	InvalidText  FaultCode = "invalid_text"  // control or bidirectional control characters, not UTF-8, or a secret
	InvalidValue FaultCode = "invalid_value" // not an allowed value
	OutOfRange   FaultCode = "out_of_range"  // a number or time beyond its bounds
)

// Error implements error.
func (e *ValidationError) Error() string {
	texts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		texts[i] = f.Field + ": " + f.Detail
	}
	return strings.Join(texts, "; ")
}

// Add notes one more fault.
func (e *ValidationError) Add(field string, code FaultCode, format string, args ...any) {
	e.addEntry(field, 0, code, format, args...)
}

// addEntry notes a fault of an entry of a list, counted from 1.
func (e *ValidationError) addEntry(field string, entry int, code FaultCode, format string, args ...any) {
	e.Fields = append(e.Fields, FieldError{Field: field, Entry: entry, Code: code, Detail: fmt.Sprintf(format,
		args...)})
}

// OrNil returns e if it holds a fault.
func (e *ValidationError) OrNil() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}

// Text returns text for people without the white space around it, empty if it shows nothing, and notes what is wrong
// with it: least and most are counted in code points.
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
		wrong.Add("permissions", Required, "is required: name at least one of %s", commaSeparated(c.All()))
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

// checkGrants notes which of a token's permissions the principal may not give.
func (p Principal) checkGrants(wrong *ValidationError, permissions []Permission) {
	for i, permission := range permissions {
		p.checkGrant(wrong, i+1, permission)
	}
}

// checkGrant notes that the principal may not give a permission, the entry of that number.
func (p Principal) checkGrant(wrong *ValidationError, entry int, permission Permission) {
	switch {
	case permission == Admin && !p.grantsAdmin():
		wrong.addEntry("permissions", entry, InvalidValue,
			"admin is granted by owners only, in person: the organization requires it")
	case !slices.Contains(p.grants, permission) && !slices.Contains(p.grants, Admin):
		wrong.addEntry("permissions", entry, InvalidValue,
			"%s is more than you may grant; you may grant %s", permission, commaSeparated(p.grants))
	}
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

// outside returns the first of the ranges that is in none of the allowed ones, or "" if there is none such. No range
// at all is everything.
func outside(ranges, allowed []netip.Prefix) string {
	if len(allowed) == 0 {
		return ""
	}
	if len(ranges) == 0 {
		return "anywhere"
	}
	for _, r := range ranges {
		covers := func(a netip.Prefix) bool { return a.Bits() <= r.Bits() && a.Contains(r.Addr()) }
		if !slices.ContainsFunc(allowed, covers) {
			return r.String()
		}
	}
	return ""
}

// anywhere reports whether ranges cover an eighth or more of all IPv4 or IPv6 addresses, as the whole public part of
// IPv6 does: such a list excludes no address. No range at all is everything.
func anywhere(ranges []netip.Prefix) bool {
	share := map[int]float64{} // by the length of addresses
	for _, r := range ranges {
		share[r.Addr().BitLen()] += math.Ldexp(1, -r.Bits())
	}
	return len(ranges) == 0 || max(share[32], share[128]) >= 1.0/8
}

func checkRateLimit(wrong *ValidationError, principal Principal, r RateLimit) RateLimit {
	before, most := len(wrong.Fields), DefaultRateLimit
	if r.Limit < 1 || r.Limit > maxLimit {
		wrong.Add("limit", OutOfRange, "must be from 1 to %d", maxLimit)
	}
	if r.WindowSeconds < 1 || r.WindowSeconds > maxWindow {
		wrong.Add("window_seconds", OutOfRange, "must be from 1 to %d", maxWindow)
	}
	if len(wrong.Fields) == before && !principal.anyLimit && !r.within(most) {
		wrong.Add("limit", OutOfRange, "may be at most %d, and no more than %d in %d seconds", most.Limit,
			most.Limit, most.WindowSeconds)
	}
	return r
}

// within reports whether r never admits more requests than most does: neither in one window nor on average.
func (r RateLimit) within(most RateLimit) bool {
	return r.Limit <= most.Limit && r.Limit*most.WindowSeconds <= most.Limit*r.WindowSeconds
}

// or returns the limit with omitted parts filled in from another.
func (r RateLimit) or(other RateLimit) RateLimit {
	return RateLimit{cmp.Or(r.Limit, other.Limit), cmp.Or(r.WindowSeconds, other.WindowSeconds)}
}

// checkExpiry returns when a token is to end, a whole second as gateways learn it; zero stands for never.
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

// earlier returns the earlier of two times, of which zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// checkWithin notes where t exceeds the calling token, so that no token makes, widens or renews one that is good for
// more than itself. People and operators have no such bounds.
func (p Principal) checkWithin(wrong *ValidationError, t Token) {
	if p.caller == nil {
		return
	}
	b := *p.caller
	if !p.MaySee(t) {
		wrong.Add("environment", InvalidValue, "must be %s, like that of the calling token", b.Environment)
	}
	if !earlier(b.ExpiresAt, t.ExpiresAt).Equal(t.ExpiresAt) {
		wrong.Add("expires_at", OutOfRange, "must be at the latest %s, when the calling token expires",
			instant(b.ExpiresAt))
	}
	if beyond := outside(t.IPAllow, b.IPAllow); beyond != "" {
		wrong.Add("ip_allow", OutOfRange, "%s is not within a range of the calling token: %s",
			beyond, join(b.IPAllow, ", "))
	}
	if !t.RateLimit.within(b.RateLimit) {
		wrong.Add("limit", OutOfRange, "may be at most that of the calling token: %d in %d seconds",
			b.RateLimit.Limit, b.RateLimit.WindowSeconds)
	}
}

// checkPolicy notes where a change of a token, or a new one with a zero before, is against the policy.
func (p Principal) checkPolicy(wrong *ValidationError, before, after Token) {
	made, last := before.ID == "", p.policy.Last(after.CreatedAt)
	if (made || !after.ExpiresAt.Equal(before.ExpiresAt)) && !earlier(last, after.ExpiresAt).Equal(after.ExpiresAt) {
		wrong.Add("expires_at", OutOfRange, "must be at the latest %s: the organization allows tokens %d days",
			instant(last), p.policy.MaxDays)
	}
	if p.policy.RequireAddresses && anywhere(after.IPAllow) && (made || !anywhere(before.IPAllow)) {
		wrong.Add("ip_allow", InvalidValue,
			"must have at least one address or range, and cover less than an eighth of all IPv4 or IPv6 addresses: "+
				"the organization requires it")
	}
}
