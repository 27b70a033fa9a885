package tokens

import (
	"context"
	"slices"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit/address"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// usageHours is the number of hours of Usage, including the current one.
const usageHours = 24

// Use is a token's use: since a gateway's last report, or as Usage returns it.
type Use struct {
	Token      TokenID       `json:"token"`
	Requests   int64         `json:"count"`   // that were not refused
	Refused    int64         `json:"refused"` // with 401, 403 or 429
	LastUsedAt time.Time     `json:"last_used_at"`
	Address    audit.Address `json:"address"` // of the last client
	// Results are how many got 401, 403 and 429, which are the refused ones, success, another 4xx, and 5xx.
	Results [6]int64  `json:"results"`
	Errors  []Failure `json:"errors,omitempty"`
}

// Failure is a request whose status was an error.
type Failure struct {
	At        time.Time `json:"at"`
	Status    int       `json:"status"`
	RequestID string    `json:"request_id"`
	Request   string    `json:"request"` // its method and path
}

// KeptErrors is how many errors of a token are kept: the last ones.
const KeptErrors = 20

// valid reports whether a gateway may send u.
func (u Use) valid() bool {
	return u.Token.Valid() && !u.LastUsedAt.IsZero() && len(u.Errors) <= KeptErrors &&
		min(u.Requests, u.Refused, slices.Min(u.Results[:])) >= 0
}

// Hour is the use of one hour, by result. Requests are those that were not refused.
type Hour struct {
	Hour                             time.Time
	Requests                         int64
	Unauthorized, Forbidden, Limited int64
	Rejected, Failed                 int64 // of Requests: with another 4xx, and with 5xx
}

// History returns the hours since a time in which a token of org was used, oldest first, and its last errors, newest
// first. With "" it is that of all tokens, without errors.
func (s *Service) History(ctx context.Context, org OrgID, id TokenID, since time.Time) ([]Hour, []Failure, error) {
	return s.repo.History(ctx, org, id, since)
}

// Usage returns when these tokens of org were last used, and how much in the last 24
// hours. Those that org does not have were never used.
func (s *Service) Usage(ctx context.Context, org OrgID, of ...Token) (map[TokenID]Use, error) {
	ids := make([]TokenID, len(of))
	for i, t := range of {
		ids[i] = t.ID
	}
	uses, err := s.repo.Usage(ctx, org, ids, s.Now().Truncate(time.Hour).Add(-(usageHours-1)*time.Hour))
	all := make(map[TokenID]Use, len(uses))
	for _, use := range uses {
		all[use.Token] = use
	}
	return all, err
}

// RecordUsage adds gateways' reports. Each counts into the hour in which the token was last used; times in the future
// are corrected. When a token was last used never moves back, in whatever order reports come. Tokens that do not exist
// are ignored. It gives a ValidationError, and then nothing was added. Gateways are programs: it names the first fault
// only.
func (s *Service) RecordUsage(ctx context.Context, reports []Use) error {
	now, uses := s.Now(), make([]Use, len(reports))
	for i, u := range reports {
		if !u.valid() {
			var wrong ValidationError
			wrong.addEntry("usage", i+1, InvalidValue, "needs a token's id, last_used_at, counts from 0, and few errors")
			return &wrong
		}
		u.LastUsedAt, u.Address = u.LastUsedAt.UTC().Truncate(time.Millisecond),
			audit.Address{Addr: address.Canonical(u.Address.Addr)}
		if u.LastUsedAt.After(now) {
			u.LastUsedAt = now
		}
		for i, f := range u.Errors {
			if f.At.After(now) {
				u.Errors[i].At = now
			}
		}
		uses[i] = u
	}
	return s.repo.AddUsage(ctx, uses)
}
