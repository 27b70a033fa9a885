package websession_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/web/websession"
)

// memory is a store for tests with a fake clock, which Postgres would stop. The
// real one passes the same in internal/postgres.
type memory struct {
	session.Store
	mu   sync.Mutex
	rows map[string]kept
}

type kept struct {
	row  session.Row
	data []byte
	end  time.Time
}

func newMemory() *memory { return &memory{rows: map[string]kept{}} }

func (m *memory) FindCtx(ctx context.Context, sum string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.rows[sum]
	if !ok || !k.end.After(time.Now()) {
		return nil, false, nil
	}
	row := session.RowFrom(ctx)
	row.ID, row.TokenSum, row.User = k.row.ID, sum, k.row.User
	return k.data, true, nil
}

func (m *memory) CommitCtx(ctx context.Context, sum string, data []byte, end time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	row := session.RowFrom(ctx)
	row.ID, row.TokenSum = "ses_"+sum[:8], sum
	m.rows[sum] = kept{*row, data, end}
	return nil
}

func (m *memory) DeleteCtx(_ context.Context, sum string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.rows, sum)
	return nil
}

// visitor is a browser.
type visitor struct {
	*websession.Manager
	cookie string
	ended  bool
}

// request makes one request, in which do happens.
func (v *visitor) request(t *testing.T, do func(ctx context.Context)) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("User-Agent", strings.Repeat("ü", 200))
	if v.cookie != "" {
		r.AddCookie(&http.Cookie{Name: "quayside", Value: v.cookie})
	}
	ctx, ended, err := v.Load(r.Context(), r, netip.MustParseAddr("192.0.2.1"))
	if err != nil {
		t.Fatal(err)
	}
	v.ended = ended
	do(ctx)
	w := httptest.NewRecorder()
	if err := v.Save(ctx, w); err != nil {
		t.Fatal(err)
	}
	for _, c := range w.Result().Cookies() {
		v.cookie = c.Value
	}
}

func (v *visitor) signIn(t *testing.T) {
	t.Helper()
	v.request(t, func(ctx context.Context) {
		if err := v.SignIn(ctx, people.User{ID: "usr_1"}); err != nil {
			t.Fatal(err)
		}
	})
}

func (v *visitor) user(t *testing.T) (user people.UserID) {
	t.Helper()
	v.request(t, func(ctx context.Context) { user = v.User(ctx) })
	return user
}

func TestSessionHasAnIdleTimeoutAndATwelveHourLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &visitor{Manager: websession.New(newMemory(), false)}
		v.signIn(t)
		for passed := time.Duration(0); passed < websession.Lifetime-20*time.Minute; passed += 20 * time.Minute {
			if v.user(t) != "usr_1" {
				t.Fatalf("signed out after %s", passed)
			}
			time.Sleep(20 * time.Minute)
		}
		time.Sleep(20 * time.Minute)
		if v.user(t) != "" || !v.ended {
			t.Error("signed in after twelve hours")
		}
		v.signIn(t)
		time.Sleep(websession.Idle)
		if v.user(t) != "" || !v.ended {
			t.Error("signed in after half an hour of nothing")
		}
	})
}

func TestSessionsAreStoredByHash(t *testing.T) {
	t.Parallel()
	store := newMemory()
	v := &visitor{Manager: websession.New(store, false)}
	v.signIn(t)
	sum := sha256.Sum256([]byte(v.cookie))
	k, ok := store.rows[base64.RawURLEncoding.EncodeToString(sum[:])]
	if !ok || len(store.rows) != 1 || strings.Contains(string(k.data), v.cookie) {
		t.Errorf("%+v", store.rows)
	}
	if k.row.Address != netip.MustParseAddr("192.0.2.1") || k.row.UserAgent != strings.Repeat("ü", 128) {
		t.Errorf("%+v", k.row)
	}
}

func TestSessionIsCreatedByItsFirstValue(t *testing.T) {
	t.Parallel()
	store := newMemory()
	v := &visitor{Manager: websession.New(store, false)}
	if v.user(t) != "" || v.cookie != "" || v.ended || len(store.rows) != 0 {
		t.Errorf("%+v, %+v", v, store.rows)
	}
	v.request(t, func(ctx context.Context) { v.Put(ctx, "key", "text") })
	before := v.cookie
	v.request(t, func(ctx context.Context) {
		if first, second := v.Take(ctx, "key"), v.Take(ctx, "key"); first != "text" || second != "" {
			t.Errorf("%q, %q", first, second)
		}
		v.Put(ctx, "key", "again")
	})
	v.signIn(t)
	if v.cookie == before || len(store.rows) != 1 {
		t.Errorf("%q, %+v", v.cookie, store.rows)
	}
	v.request(t, func(ctx context.Context) {
		if text := v.Take(ctx, "key"); text != "" {
			t.Errorf("%q outlived the sign-in", text)
		}
		if err := v.SignOut(ctx); err != nil {
			t.Fatal(err)
		}
		if v.User(ctx) != "" {
			t.Error("still there")
		}
	})
	if v.cookie != "" || len(store.rows) != 0 {
		t.Errorf("%q, %+v", v.cookie, store.rows)
	}
}
