// Package session defines a stored session and the interface of its
// store. The cookies of browsers are in
// internal/websession.
package session

import (
	"context"
	"net/netip"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// Session is one that its owner can see and end.
type Session struct {
	ID         string // ses_…; public, and nothing by which anybody could get in
	CreatedAt  time.Time
	LastSeenAt time.Time
	Address    netip.Addr // of its last request; zero: unknown
	UserAgent  string     // of its last request
}

// Store keeps sessions. Errors wrap tokens.ErrUnavailable when the storage cannot
// be asked now.
//
// Its first methods are those of scs.CtxStore. They get the hash of a session's
// token, and everything else that a row has from RowFrom.
type Store interface {
	Find(tokenSum string) (data []byte, found bool, err error)
	FindCtx(ctx context.Context, tokenSum string) (data []byte, found bool, err error)
	Commit(tokenSum string, data []byte, end time.Time) error
	CommitCtx(ctx context.Context, tokenSum string, data []byte, end time.Time) error
	Delete(tokenSum string) error
	DeleteCtx(ctx context.Context, tokenSum string) error

	// List returns a person's sessions that have not ended, the latest used first.
	List(ctx context.Context, user people.UserID) ([]Session, error)
	// End ends a session of that person's, if there is one.
	End(ctx context.Context, user people.UserID, id string) error
	// EndOthers ends all of that person's sessions but one.
	EndOthers(ctx context.Context, user people.UserID, keep string) error
}
