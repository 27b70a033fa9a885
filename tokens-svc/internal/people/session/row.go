package session

import (
	"context"
	"net/netip"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

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
