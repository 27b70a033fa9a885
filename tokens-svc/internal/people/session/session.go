// Package session keeps people signed in over HTTP.
//
// Guarantees: the text in the cookie is in no table, only its hash; it changes at sign-in, which prevents session
// fixation; a session ends after Idle without a request, after Lifetime in any case, and at once when its owner ends
// it; what is kept in it is taken by one request; and the response to a request whose session ended meanwhile leaves
// the browser's cookie alone.
package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// maxUserAgent is the stored length of User-Agent in bytes.
const maxUserAgent = 256

// Manager loads and saves the sessions of requests.
type Manager struct {
	Owned

	store  Store
	cookie http.Cookie
}

// New returns a Manager over a store. secure says that browsers come over https: the cookie is then bound to this very
// host and to https by its name's prefix (RFC 6265bis, 4.1.3.2). It goes when the browser is closed.
func New(store Store, secure bool) *Manager {
	cookie := http.Cookie{ //nolint:gosec // G124: not Secure only on plain http, which is for development
		Name: "quayside", Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure,
	}
	if secure {
		cookie.Name = "__Host-quayside"
	}
	return &Manager{Owned: store, store: store, cookie: cookie}
}

// current is the session of a request.
type current struct {
	Row
	token   string // the text in the cookie; "": it is not stored yet
	changed bool   // it is to be saved
	ended   bool   // the cookie is to be removed
}

type currentKey struct{}

// of returns the session of a context that Load returned.
func of(ctx context.Context) *current { return ctx.Value(currentKey{}).(*current) }

// Load returns ctx with the session of r, which came from that address, and whether r brought the cookie of a session
// that has ended. A request without a session gets an empty one, which is stored once something is in it.
func (m *Manager) Load(
	ctx context.Context, r *http.Request, from netip.Addr,
) (with context.Context, ended bool, err error) {
	c := &current{}
	if cookie, err := r.Cookie(m.cookie.Name); err == nil && cookie.Value != "" {
		c.Row, err = m.store.Find(ctx, sum(cookie.Value))
		switch {
		case err == nil:
			c.token, c.changed = cookie.Value, true // the request extends it
		case errors.Is(err, tokens.ErrNotFound):
			ended = true
		default:
			return nil, false, fmt.Errorf("load a session: %w", err)
		}
	}
	agent := r.UserAgent()
	c.Address, c.UserAgent = audit.Address{Addr: from}, strings.ToValidUTF8(agent[:min(len(agent), maxUserAgent)], "")
	return context.WithValue(ctx, currentKey{}, c), ended, nil
}

// Save writes the session back and its cookie to w, before the answer's body. It extends the session; polling requests
// do not save. The cookie of a session that has ended meanwhile is not set: another request may have set one since.
func (m *Manager) Save(ctx context.Context, w http.ResponseWriter) error {
	c, cookie := of(ctx), m.cookie //nolint:gosec // G124: New gives the cookie its attributes
	switch {
	case c.ended:
		cookie.MaxAge = -1
	case c.changed:
		if saved, err := m.Extend(ctx); err != nil || !saved {
			return err
		}
		cookie.Value = c.token
	default:
		return nil
	}
	http.SetCookie(w, &cookie)
	return nil
}

// Extend extends the session as Save does, for a request without a response of its own, unless it has ended.
func (m *Manager) Extend(ctx context.Context) (extended bool, err error) {
	c := of(ctx)
	if c.token == "" {
		var secret [32]byte
		_, _ = rand.Read(secret[:]) // never fails: see its documentation
		c.token = base64.RawURLEncoding.EncodeToString(secret[:])
	}
	if extended, err = m.store.Save(ctx, sum(c.token), &c.Row); err != nil {
		return false, fmt.Errorf("save a session: %w", err)
	}
	return extended, nil
}

// SignIn makes the session that person's, as they are in the present session epoch, under a new token. Its earlier
// contents and user are removed. proved is when the person proved who they are; zero: not known.
func (m *Manager) SignIn(ctx context.Context, user people.User, proved time.Time) error {
	_, err := m.renew(ctx, user, proved)
	return err
}

// renew makes the session that person's under a new token, and reports whether it was stored before.
func (m *Manager) renew(ctx context.Context, user people.User, proved time.Time) (existed bool, err error) {
	c := of(ctx)
	if existed, err = m.forget(ctx, c); err != nil {
		return false, err
	}
	c.User, c.Epoch, c.ProvedAt, c.changed = user.ID, user.SessionEpoch, proved, true
	return existed, nil
}

// Prove makes the session as young as one that begins now, of a person who has proved again who they are, under a new
// token. Its contents stay. A session that was ended meanwhile stays so: then it returns true.
func (m *Manager) Prove(ctx context.Context, user people.User, proved time.Time) (ended bool, err error) {
	c := of(ctx)
	texts := c.Texts
	existed, err := m.renew(ctx, user, proved)
	c.Texts, c.Kept, c.changed = texts, texts, existed
	return !existed, err
}

// SignOut ends the session.
func (m *Manager) SignOut(ctx context.Context) error {
	c := of(ctx)
	c.ended = true
	_, err := m.forget(ctx, c)
	return err
}

// forget ends the stored session, if it exists, and leaves an empty one to the request.
func (m *Manager) forget(ctx context.Context, c *current) (existed bool, err error) {
	if existed, err = m.store.Delete(ctx, sum(c.token)); err != nil {
		return false, fmt.Errorf("end a session: %w", err)
	}
	c.token, c.Row = "", Row{Session: Session{Address: c.Address, UserAgent: c.UserAgent}}
	return existed, nil
}

// Current returns the session of the request. One that is not stored yet has no ID.
func (m *Manager) Current(ctx context.Context) Row { return of(ctx).Row }

// Put keeps a text in the session until Take.
func (m *Manager) Put(ctx context.Context, key, text string) {
	c := of(ctx)
	if c.Kept == nil {
		c.Kept = map[string]string{}
	}
	c.Kept[key], c.changed = text, true
}

// Get returns a text that Put has kept, or "".
func (m *Manager) Get(ctx context.Context, key string) string {
	c := of(ctx)
	return cmp.Or(c.Kept[key], c.Texts[key])
}

// Take returns a text that Put has kept, to one request, and then "".
func (m *Manager) Take(ctx context.Context, key string) (string, error) {
	c := of(ctx)
	kept := c.Kept[key]
	delete(c.Kept, key)
	if kept != "" || c.Texts[key] == "" {
		return kept, nil
	}
	delete(c.Texts, key)
	text, err := m.store.Take(ctx, sum(c.token), key)
	if err != nil {
		return "", fmt.Errorf("take %s from a session: %w", key, err)
	}
	return text, nil
}

// sum is the hash by which a session is stored.
func sum(token string) string {
	hash := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(hash[:])
}

// How long a session lasts: without a request, and in any case.
const (
	Idle     = 30 * time.Minute
	Lifetime = 12 * time.Hour
)

// Session is one that its owner can see and end.
type Session struct {
	ID         string    // ses_…; public, and nothing by which anybody could get in
	CreatedAt  time.Time // at sign-in, or the latest proof
	LastSeenAt time.Time
	Address    audit.Address // of its last request
	UserAgent  string        // of its last request
}

// Row is all of a session.
type Row struct {
	Session
	User     people.UserID     // "": not signed in yet
	Epoch    int64             // the user's session epoch at sign-in
	ProvedAt time.Time         // when the person proved who they are; zero: not known
	Texts    map[string]string // what is kept for the next pages
	Kept     map[string]string // what Save adds to that
}

// Store keeps sessions by the hash of the text in their cookie. Errors wrap
// tokens.ErrUnavailable when the storage cannot be asked now.
type Store interface {
	Owned
	// Find returns a session that has not ended, or tokens.ErrNotFound.
	Find(ctx context.Context, sum string) (Row, error)
	// Save stores what may change of a session, which then ends after Idle, or Lifetime after its creation. One without an
	// ID is created, and gets one. One that has ended meanwhile stays ended: then saved is false.
	Save(ctx context.Context, sum string, r *Row) (saved bool, err error)
	// Take removes one of the kept texts and returns it; "" if there is none, or no longer.
	Take(ctx context.Context, sum, key string) (string, error)
	// Delete ends a session, and reports whether there was one.
	Delete(ctx context.Context, sum string) (existed bool, err error)
}

// Owned is what people see of their own sessions and do to them.
type Owned interface {
	// List returns a person's sessions that have not ended, the latest used first.
	List(ctx context.Context, user people.UserID) ([]Session, error)
	// End ends a session of that person's, if there is one.
	End(ctx context.Context, user people.UserID, id string) error
	// EndOthers ends all of that person's sessions but one.
	EndOthers(ctx context.Context, user people.UserID, keep string) error
}
