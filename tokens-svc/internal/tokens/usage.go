package tokens

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// usageHours is the number of hours in Usage, including the current one.
const usageHours = 24

// Use is a token's use since a gateway's last report.
type Use struct {
	Token      TokenID    `json:"token"`
	Requests   int64      `json:"count"`   // that were let through
	Refused    int64      `json:"refused"` // that were too many
	LastUsedAt time.Time  `json:"last_used_at"`
	Address    netip.Addr `json:"address"` // of the last client; zero: not known
}

// Usage is when a token was last used, and how much of late.
type Usage struct {
	LastUsedAt   time.Time  // zero: never
	LastUsedFrom netip.Addr // zero: not known
	Hours        []Hour     // the last 24, oldest first; the last is not over yet
}

// Hour is a token's use in one hour.
type Hour struct{ Requests, Refused int64 }

// Requests returns how many requests were let through in all Hours.
func (u Usage) Requests() (sum int64) {
	for _, h := range u.Hours {
		sum += h.Requests
	}
	return sum
}

// Refused returns how many requests were too many in all Hours.
func (u Usage) Refused() (sum int64) {
	for _, h := range u.Hours {
		sum += h.Refused
	}
	return sum
}

// Usage returns the usage of these tokens of org. Those that org does not have
// were never used.
func (s *Service) Usage(ctx context.Context, org OrgID, ids ...TokenID) (map[TokenID]Usage, error) {
	uses, err := s.repo.Usage(ctx, org, ids, usageHours+1)
	if err != nil {
		return nil, fmt.Errorf("usage in organization %s: %w", org, err)
	}
	first := s.Now().Truncate(time.Hour).Add(-(usageHours - 1) * time.Hour)
	all := make(map[TokenID]Usage, len(ids))
	for _, id := range ids {
		all[id] = Usage{Hours: make([]Hour, usageHours)}
	}
	for _, use := range uses {
		usage := all[use.Token]
		if use.LastUsedAt.After(usage.LastUsedAt) {
			usage.LastUsedAt, usage.LastUsedFrom = use.LastUsedAt, use.Address
		}
		if i := int(use.hour().Sub(first) / time.Hour); !use.hour().Before(first) && i < usageHours {
			usage.Hours[i].Requests, usage.Hours[i].Refused = use.Requests, use.Refused
		}
		all[use.Token] = usage
	}
	return all, nil
}

// hour returns when the hour of the use began.
func (u Use) hour() time.Time { return u.LastUsedAt.Truncate(time.Hour) }

// RecordUsage adds gateways' reports. Each counts into the hour in
// which the token was last used; times in the future are corrected. When
// a token was last used never moves back, in whatever order reports come.
// Tokens that do not exist are ignored. It gives a ValidationError, and then
// nothing was added.
func (s *Service) RecordUsage(ctx context.Context, reports []Use) error {
	var wrong ValidationError
	now, uses := s.Now(), make([]Use, len(reports))
	for i, u := range reports {
		if !u.Token.Valid() {
			wrong.addEntry("token", i+1, InvalidValue, "is no token's id")
		}
		if u.LastUsedAt.IsZero() {
			wrong.addEntry("last_used_at", i+1, Required, "is required")
		}
		if u.Requests < 0 {
			wrong.addEntry("count", i+1, OutOfRange, "must not be negative")
		}
		if u.Refused < 0 {
			wrong.addEntry("refused", i+1, OutOfRange, "must not be negative")
		}
		u.LastUsedAt, u.Address = u.LastUsedAt.UTC().Truncate(time.Millisecond), u.Address.Unmap()
		if u.LastUsedAt.After(now) {
			u.LastUsedAt = now
		}
		uses[i] = u
	}
	if err := wrong.OrNil(); err != nil {
		return err
	}
	if err := s.repo.AddUsage(ctx, merge(uses)); err != nil {
		return fmt.Errorf("record the usage of %d tokens: %w", len(uses), err)
	}
	return nil
}

// merge returns one use for each token and hour, in that order.
func merge(uses []Use) []Use {
	slices.SortFunc(uses, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.Token, b.Token), a.LastUsedAt.Compare(b.LastUsedAt))
	})
	merged := uses[:0]
	for _, u := range uses {
		if n := len(merged); n > 0 && merged[n-1].Token == u.Token && merged[n-1].hour().Equal(u.hour()) {
			u.Requests += merged[n-1].Requests
			u.Refused += merged[n-1].Refused
			merged[n-1] = u
			continue
		}
		merged = append(merged, u)
	}
	return merged
}
