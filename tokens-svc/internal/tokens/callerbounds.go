package tokens

import (
	"net/netip"
	"slices"
)

// checkWithin notes where t exceeds the calling token, so that no token
// makes, widens or renews one that is good for more than itself. People and
// operators have no such bounds.
func (p Principal) checkWithin(wrong *ValidationError, t Token) {
	if p.caller == nil {
		return
	}
	b := *p.caller
	if t.Environment != b.Environment {
		wrong.Add("environment", InvalidValue, "must be %s, like that of the calling token", b.Environment)
	}
	if !b.ExpiresAt.IsZero() && (t.ExpiresAt.IsZero() || t.ExpiresAt.After(b.ExpiresAt)) {
		wrong.Add("expires_at", OutOfRange, "must be at the latest %s, when the calling token expires", instant(b.ExpiresAt))
	}
	if beyond := outside(t.IPAllow, b.IPAllow); beyond != "" {
		wrong.Add("ip_allow", OutOfRange, "%s is not within a range of the calling token: %s", beyond, join(b.IPAllow, ", "))
	}
	if !t.RateLimit.within(b.RateLimit) {
		wrong.Add("limit", OutOfRange, "may be at most that of the calling token: %d in %.0f seconds",
			b.RateLimit.Limit, b.RateLimit.Window.Seconds())
	}
}

// outside returns the first of the ranges that is in none of the allowed ones,
// or "" if there is none such. No range at all is everything.
func outside(ranges, allowed []netip.Prefix) string {
	if len(allowed) == 0 {
		return ""
	}
	if len(ranges) == 0 {
		return "anywhere"
	}
	for _, r := range ranges {
		if !slices.ContainsFunc(allowed, func(a netip.Prefix) bool { return a.Bits() <= r.Bits() && a.Contains(r.Addr()) }) {
			return r.String()
		}
	}
	return ""
}

// within reports whether r never admits more requests than most does: neither
// in one window nor on average.
func (r RateLimit) within(most RateLimit) bool {
	return r.Limit <= most.Limit && r.Limit*int(most.Window.Seconds()) <= most.Limit*int(r.Window.Seconds())
}

// lower returns the one of two limits that is within the other, or a limit
// within both.
func lower(a, b RateLimit) RateLimit {
	switch {
	case a.within(b):
		return a
	case b.within(a):
		return b
	}
	return RateLimit{Limit: min(a.Limit, b.Limit), Window: max(a.Window, b.Window)}
}

// complete fills in omitted fields of a draft: from the calling token, whose bounds
// may not be exceeded, or from the defaults.
func (d Draft) complete(principal Principal) Draft {
	limit := DefaultRateLimit
	if d.Environment == "" {
		d.Environment = Live
		if principal.caller != nil {
			d.Environment = principal.caller.Environment
		}
	}
	if principal.caller != nil {
		limit = lower(limit, principal.caller.RateLimit)
		if d.IPAllow == nil {
			for _, r := range principal.caller.IPAllow {
				d.IPAllow = append(d.IPAllow, r.String())
			}
		}
		if d.DefaultExpiry {
			d.ExpiresAt = earlier(principal.caller.ExpiresAt, d.ExpiresAt)
		}
	}
	if d.RateLimit.Limit == 0 {
		d.RateLimit.Limit = limit.Limit
	}
	if d.RateLimit.Window == 0 {
		d.RateLimit.Window = limit.Window
	}
	return d
}
