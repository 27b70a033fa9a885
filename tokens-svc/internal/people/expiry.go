package people

import (
	"context"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// ExpiredSession is a session whose time is over, and which is still stored.
type ExpiredSession struct {
	ID        string // ses_…
	ExpiresAt time.Time
}

// ExpireSessions removes the sessions that have expired. Each is recorded once,
// by whichever replica removes it, in the audit logs of its user's
// organizations.
func (s *Service) ExpireSessions(ctx context.Context) error {
	err := s.repo.ExpireSessions(ctx, s.Now(), func(u User, expired ExpiredSession) audit.Entry {
		e := s.about(audit.UserSessionExpired, audit.Service, u)
		e.Details["session"] = expired.ID
		e.Details["expired_at"] = expired.ExpiresAt.Format(time.RFC3339)
		return e
	})
	if err != nil {
		return fmt.Errorf("expire sessions: %w", err)
	}
	return nil
}
