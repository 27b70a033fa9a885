// Package session defines a stored session and the interface of its
// store. The cookies of browsers are in
// internal/web/websession.
package session

import (
	"context"
	"net/netip"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// How long a session lasts: without a request, and in any case.
const (
	Idle     = 30 * time.Minute
	Lifetime = 12 * time.Hour
)

// Session is one that its owner can see and end.
type Session struct {
	ID         string // ses_…; public, and nothing by which anybody could get in
	CreatedAt  time.Time
	LastSeenAt time.Time
	Address    netip.Addr // of its last request; zero: unknown
	UserAgent  string     // of its last request
}

// Row is all of a session.
type Row struct {
	Session
	User  people.UserID     // "": not signed in yet
	Epoch int64             // the user's session epoch at sign-in
	Texts map[string]string // what is kept for the next pages
}

// Store keeps sessions by the hash of the text in their cookie. Errors wrap
// tokens.ErrUnavailable when the storage cannot be asked now.
type Store interface {
	// Find returns a session that has not ended, or tokens.ErrNotFound.
	Find(ctx context.Context, sum string) (Row, error)
	// Save stores what may change of a session, which then ends after Idle, or Lifetime after
	// its creation. One without an ID is created, and gets one. One that has ended meanwhile
	// stays ended.
	Save(ctx context.Context, sum string, r *Row) error
	// Delete ends a session, and reports whether there was one.
	Delete(ctx context.Context, sum string) (existed bool, err error)

	// List returns a person's sessions that have not ended, the latest used first.
	List(ctx context.Context, user people.UserID) ([]Session, error)
	// End ends a session of that person's, if there is one.
	End(ctx context.Context, user people.UserID, id string) error
	// EndOthers ends all of that person's sessions but one.
	EndOthers(ctx context.Context, user people.UserID, keep string) error
}
