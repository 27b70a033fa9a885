package tokens

import (
	"cmp"
	"net/netip"
	"slices"
)

// checkGrant notes that the principal may not give p, the entry of that number.
func (p Principal) checkGrant(wrong *ValidationError, entry int, permission Permission) {
	if permission == Admin && !p.grantsAdmin() {
		wrong.addEntry("permissions", entry, InvalidValue,
			"admin is granted by owners only, in person: the organization requires it")
		return
	}
	if !slices.Contains(p.grants, permission) && !slices.Contains(p.grants, Admin) {
		wrong.addEntry("permissions", entry, InvalidValue,
			"%s is more than you may grant; you may grant %s", permission, list(p.grants))
	}
}

// checkLimit notes a limit above the one that everybody has.
func (p Principal) checkLimit(wrong *ValidationError, r RateLimit) {
	if most := DefaultRateLimit; !p.anyLimit && !r.within(most) {
		wrong.Add("limit", OutOfRange, "may be at most %d, and no more than %d in %d seconds", most.Limit,
			most.Limit, most.WindowSeconds)
	}
}

// checkWithin notes where t exceeds the calling token, so that no token
// makes, widens or renews one that is good for more than itself. People and
// operators have no such bounds.
func (p Principal) checkWithin(wrong *ValidationError, t Token) {
	if p.caller == nil {
		return
	}
	b := *p.caller
	if !p.MaySee(t) {
		wrong.Add("environment", InvalidValue, "must be %s, like that of the calling token", b.Environment)
	}
	if !b.ExpiresAt.IsZero() && (t.ExpiresAt.IsZero() || t.ExpiresAt.After(b.ExpiresAt)) {
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
		covers := func(a netip.Prefix) bool { return a.Bits() <= r.Bits() && a.Contains(r.Addr()) }
		if !slices.ContainsFunc(allowed, covers) {
			return r.String()
		}
	}
	return ""
}

// within reports whether r never admits more requests than most does: neither
// in one window nor on average.
func (r RateLimit) within(most RateLimit) bool {
	return r.Limit <= most.Limit && r.Limit*most.WindowSeconds <= most.Limit*r.WindowSeconds
}

// or returns the limit with omitted parts filled in from another.
func (r RateLimit) or(other RateLimit) RateLimit {
	return RateLimit{cmp.Or(r.Limit, other.Limit), cmp.Or(r.WindowSeconds, other.WindowSeconds)}
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
		bound := principal.caller.RateLimit
		limit = RateLimit{min(limit.Limit, bound.Limit), max(limit.WindowSeconds, bound.WindowSeconds)}
		if d.IPAllow == nil {
			for _, r := range principal.caller.IPAllow {
				d.IPAllow = append(d.IPAllow, r.String())
			}
		}
		if d.DefaultExpiry {
			d.ExpiresAt = earlier(principal.caller.ExpiresAt, d.ExpiresAt)
		}
	}
	d.RateLimit = d.RateLimit.or(limit)
	return d
}
