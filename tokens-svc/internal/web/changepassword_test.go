package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// busy computes passwords only after longer than pages have for the database.
type busy struct {
	*password.Hasher
	wait time.Duration
}

func (b busy) Verify(ctx context.Context, stored, text string) (right, stale bool, err error) {
	select {
	case <-time.After(b.wait):
		return b.Hasher.Verify(ctx, stored, text)
	case <-ctx.Done():
		return false, false, ctx.Err()
	}
}

func TestPasswordHashingDoesNotUseTheDatabaseTimeout(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	w := start(t, func(c *Config) { c.Timeout = timeout })
	owner := w.member(t, tokens.RoleOwner)
	db, err := postgres.Open(w.dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store := postgres.NewPeople(db)
	w.Handler = New(Config{
		People:   people.NewService(store, people.Config{Passwords: busy{password.New(cheap), timeout + timeout/2}, NewID: publicid.New, Now: w.clock}),
		Tokens:   w.tokens,
		Sessions: postgres.NewSessions(db, publicid.New, w.clock), Passwords: true, PublicURL: &url.URL{Scheme: "https", Host: "quayside.example"},
		Timeout: timeout, Log: slog.New(slog.DiscardHandler),
	})
	wantTo(t, owner.post(t, "/settings/password", change(secret, newSecret)), "/settings/sessions")
	want(t, owner.get(t, "/settings/sessions"), http.StatusOK, "Your password was changed.")
}

// lost is a store of sessions that stores none while it is away.
type lost struct {
	session.Store
	away atomic.Bool
}

func (l *lost) CommitCtx(ctx context.Context, sum string, data []byte, end time.Time) error {
	if l.away.Load() {
		return tokens.ErrUnavailable
	}
	return l.Store.CommitCtx(ctx, sum, data, end)
}

// TestPasswordChangeWithoutASavedSessionLeadsToSignIn: where the session cannot be saved after the
// password was changed, the person is sent to sign in.
func TestPasswordChangeWithoutASavedSessionLeadsToSignIn(t *testing.T) {
	t.Parallel()
	store := &lost{}
	w := start(t, func(c *Config) { store.Store = c.Sessions; c.Sessions = store })
	owner := w.member(t, tokens.RoleOwner)
	store.away.Store(true)
	wantTo(t, owner.post(t, "/settings/password", change(secret, newSecret)), "/sign-in?changed=1")
	store.away.Store(false)
	want(t, owner.get(t, "/sign-in?changed=1"), http.StatusOK, "Your password was changed. Sign in with the new one.")
	wantTo(t, w.browser().post(t, "/sign-in", url.Values{"email": {"owner@acme.example"}, "password": {newSecret}}), "/settings")
}
