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

// Row is the data of a session beside scs's own. It is passed in
// the request's context, because scs hands a store no more than a token's hash
// and some bytes.
type Row struct {
	// ID and TokenSum are set by Find to those of the session that it found, and
	// by Commit to those of one that it made. Commit changes the row with this
	// sum and makes one for any other: so a session that was ended meanwhile is
	// not made anew by the request that still holds it.
	ID, TokenSum string
	User         people.UserID // "": not signed in yet
	Epoch        int64         // the user's session epoch at sign-in
	Address      netip.Addr
	UserAgent    string
}

type rowKey struct{}

// RowFrom returns the row of the request's session.
func RowFrom(ctx context.Context) *Row {
	if row, ok := ctx.Value(rowKey{}).(*Row); ok {
		return row
	}
	return &Row{}
}

// WithRow returns a context with a row. It is for code that
// manages sessions, and for tests of stores.
func WithRow(ctx context.Context, row *Row) context.Context {
	return context.WithValue(ctx, rowKey{}, row)
}
