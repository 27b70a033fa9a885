// Package websession keeps people signed in over HTTP, with alexedwards/scs and
// a store of our own.
//
// Guarantees: the text in the cookie is in no table, only its hash; it changes
// at sign-in, which prevents session fixation; and a session ends after Idle without
// a request, after Lifetime in any case, and at once when its owner ends it.
package websession

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/scs/v2"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
)

// How long a session lasts.
const (
	Idle     = 30 * time.Minute
	Lifetime = 12 * time.Hour
)

// maxUserAgent is the stored length of User-Agent in bytes.
const maxUserAgent = 256

// Manager loads and saves the sessions of requests.
type Manager struct {
	scs   *scs.SessionManager
	store session.Store
}

// New returns a Manager over a store. secure says that browsers come over https:
// the cookie is then bound to this very host and to https by its name's prefix
// (RFC 6265bis, 4.1.3.2).
func New(store session.Store, secure bool) *Manager {
	cookie := scs.SessionCookie{Name: "quayside", Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if secure {
		cookie.Name, cookie.Secure = "__Host-quayside", true
	}
	// Persist stays false: the cookie goes when the browser is closed. And not
	// scs.New, which starts a goroutine for a store in memory.
	return &Manager{store: store, scs: &scs.SessionManager{
		IdleTimeout: Idle, Lifetime: Lifetime, Store: store, Codec: scs.GobCodec{}, Cookie: cookie, HashTokenInStore: true,
	}}
}

// Load returns ctx with the session of r, which came from that address, and
// whether r brought the cookie of a session that has ended. A request without a
// session gets an empty one, which is stored once something is in it.
func (m *Manager) Load(
	ctx context.Context, r *http.Request, from netip.Addr,
) (with context.Context, ended bool, err error) {
	token := ""
	if cookie, err := r.Cookie(m.scs.Cookie.Name); err == nil {
		token = cookie.Value
	}
	row := &session.Row{Address: from, UserAgent: shorten(r.UserAgent())}
	with, err = m.scs.Load(session.WithRow(ctx, row), token)
	if err != nil {
		return nil, false, fmt.Errorf("load a session: %w", err)
	}
	return with, token != "" && row.ID == "", nil
}

// Save writes the session back and its cookie to w, before the answer's body.
// It extends the session; polling requests do not save.
func (m *Manager) Save(ctx context.Context, w http.ResponseWriter) error {
	switch m.scs.Status(ctx) {
	case scs.Modified:
		token, end, err := m.scs.Commit(ctx)
		if err != nil {
			return fmt.Errorf("save a session: %w", err)
		}
		m.scs.WriteSessionCookie(ctx, w, token, end)
	case scs.Destroyed:
		m.scs.WriteSessionCookie(ctx, w, "", time.Time{})
	case scs.Unmodified:
		return nil
	}
	// scs has added a weaker rule for caches to whatever the page has.
	w.Header().Set("Cache-Control", "no-store")
	return nil
}

// Extend extends the session as Save does, for a request without a response of its own.
func (m *Manager) Extend(ctx context.Context) error {
	if _, _, err := m.scs.Commit(ctx); err != nil {
		return fmt.Errorf("extend a session: %w", err)
	}
	return nil
}

// List returns the person's sessions, the latest used first.
func (m *Manager) List(ctx context.Context) ([]session.Session, error) {
	return m.store.List(ctx, m.User(ctx))
}

// End ends one of the person's sessions.
func (m *Manager) End(ctx context.Context, id string) error {
	return m.store.End(ctx, m.User(ctx), id)
}

// EndOthers ends all of the person's sessions but this one.
func (m *Manager) EndOthers(ctx context.Context) error {
	return m.store.EndOthers(ctx, m.User(ctx), m.ID(ctx))
}

// SignIn makes the session that person's, as they are in the present session
// epoch, under a new token. Its earlier contents and user are removed.
func (m *Manager) SignIn(ctx context.Context, user people.User) error {
	if err := m.scs.Clear(ctx); err != nil {
		return fmt.Errorf("clear the session: %w", err)
	}
	if err := m.scs.RenewToken(ctx); err != nil {
		return fmt.Errorf("renew the session: %w", err)
	}
	row := session.RowFrom(ctx)
	row.User, row.Epoch = user.ID, user.SessionEpoch
	return nil
}

// SignOut ends the session.
func (m *Manager) SignOut(ctx context.Context) error {
	if err := m.scs.Destroy(ctx); err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	session.RowFrom(ctx).User = ""
	return nil
}

// User returns the id of the signed-in user, or "".
func (m *Manager) User(ctx context.Context) people.UserID { return session.RowFrom(ctx).User }

// ID returns the session's public id, or "" for one that is not stored yet.
func (m *Manager) ID(ctx context.Context) string { return session.RowFrom(ctx).ID }

// Put keeps a text in the session until Take.
func (m *Manager) Put(ctx context.Context, key, text string) { m.scs.Put(ctx, key, text) }

// Take returns a text that Put has kept, once, and then "".
func (m *Manager) Take(ctx context.Context, key string) string { return m.scs.PopString(ctx, key) }

// shorten truncates text between characters.
func shorten(text string) string {
	text = text[:min(len(text), maxUserAgent)]
	for !utf8.ValidString(text) && text != "" {
		text = text[:len(text)-1]
	}
	return text
}
