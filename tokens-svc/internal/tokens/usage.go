package tokens

import (
	"context"
	"fmt"
	"net/netip"
	"time"
)

// usageHours is the number of hours of Usage, including the current one.
const usageHours = 24

// Use is a token's use: since a gateway's last report, or as Usage returns it.
type Use struct {
	Token      TokenID    `json:"token"`
	Requests   int64      `json:"count"`   // that were let through
	Refused    int64      `json:"refused"` // that were too many
	LastUsedAt time.Time  `json:"last_used_at"`
	Address    netip.Addr `json:"address"` // of the last client; zero: not known
}

// Usage returns when these tokens of org were last used, and how much in the last 24
// hours. Those that org does not have were never used.
func (s *Service) Usage(ctx context.Context, org OrgID, ids ...TokenID) (map[TokenID]Use, error) {
	uses, err := s.repo.Usage(ctx, org, ids, s.Now().Truncate(time.Hour).Add(-(usageHours-1)*time.Hour))
	if err != nil {
		return nil, fmt.Errorf("usage in organization %s: %w", org, err)
	}
	all := make(map[TokenID]Use, len(uses))
	for _, use := range uses {
		all[use.Token] = use
	}
	return all, nil
}

// RecordUsage adds gateways' reports. Each counts into the hour in
// which the token was last used; times in the future are corrected. When
// a token was last used never moves back, in whatever order reports come.
// Tokens that do not exist are ignored. It gives a ValidationError, and then
// nothing was added. Gateways are programs: it names the first fault only.
func (s *Service) RecordUsage(ctx context.Context, reports []Use) error {
	now, uses := s.Now(), make([]Use, len(reports))
	for i, u := range reports {
		if !u.Token.Valid() || u.LastUsedAt.IsZero() || u.Requests < 0 || u.Refused < 0 {
			var wrong ValidationError
			wrong.addEntry("usage", i+1, InvalidValue, "needs a token's id, last_used_at, and counts from 0")
			return &wrong
		}
		u.LastUsedAt, u.Address = u.LastUsedAt.UTC().Truncate(time.Millisecond), u.Address.Unmap()
		if u.LastUsedAt.After(now) {
			u.LastUsedAt = now
		}
		uses[i] = u
	}
	if err := s.repo.AddUsage(ctx, uses); err != nil {
		return fmt.Errorf("record the usage of %d tokens: %w", len(uses), err)
	}
	return nil
}
