package web

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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
	wantTo(t, w.browser().post(t, "/sign-in", url.Values{"email": {"owner@acme.example"}, "password": {newSecret}}), home)
}
