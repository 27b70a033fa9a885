package postgres_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// sessions is a store with a clock, and two people.
type sessions struct {
	*postgres.Sessions
	peopleStore
	service    *people.Service
	now        time.Time
	anna, bert people.UserID
}

func openSessions(t *testing.T) *sessions {
	t.Helper()
	c := openPeople(t)
	s := &sessions{peopleStore: c, now: atNoon}
	s.service = people.NewService(c, people.Config{Now: func() time.Time { return s.now }})
	s.Sessions = postgres.NewSessions(c.db, func() time.Time { return s.now })
	for email, id := range map[string]*people.UserID{"anna@acme.example": &s.anna, "bert@acme.example": &s.bert} {
		u, _, err := c.Admit(t.Context(), people.Admission{
			Organization: someOrg, Role: tokens.RoleMember,
			User:  people.User{ID: people.UserID(publicid.New("usr")), Email: email, CreatedAt: s.now},
			Entry: audit.Entry{At: s.now, Actor: audit.CommandLine, Action: audit.MemberJoined},
		})
		if err != nil {
			t.Fatal(err)
		}
		*id = u.ID
	}
	return s
}

func (s *sessions) save(t *testing.T, sum string, row *session.Row) {
	t.Helper()
	if saved, err := s.Save(t.Context(), sum, row); err != nil || !saved {
		t.Fatal(saved, err)
	}
}

// find returns what is stored under a sum, if anything.
func (s *sessions) find(t *testing.T, sum string) (session.Row, bool) {
	t.Helper()
	row, err := s.Find(t.Context(), sum)
	if err != nil && !errors.Is(err, tokens.ErrNotFound) {
		t.Fatal(err)
	}
	return row, err == nil
}

// from is a session of a person in a browser.
func from(user people.UserID) session.Row {
	browser := session.Session{Address: audit.Address{Addr: netip.MustParseAddr("192.0.2.1")}, UserAgent: "Firefox"}
	return session.Row{Session: browser, User: user, Kept: map[string]string{"notice": "Saved."}}
}

func TestSessionIsFoundUntilItEnds(t *testing.T) {
	t.Parallel()
	s := openSessions(t)
	row := from(s.anna)
	s.save(t, "sum", &row)
	got, found := s.find(t, "sum")
	if !found || got.ID != row.ID || got.User != s.anna || got.Texts["notice"] != "Saved." {
		t.Errorf("%t, %+v", found, got)
	}
	if _, found := s.find(t, "another"); found {
		t.Error("another sum finds it")
	}
	s.now = s.now.Add(session.Idle)
	if _, found := s.find(t, "sum"); found {
		t.Error("it is found after its end")
	}
	if err := s.Prune(t.Context(), s.now); err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(-session.Idle)
	if _, found := s.find(t, "sum"); found {
		t.Error("it was not removed")
	}
}

// TestAKeptTextIsTakenOnce by one of several requests, and a request that began before does not bring it back.
func TestAKeptTextIsTakenOnce(t *testing.T) {
	t.Parallel()
	s := openSessions(t)
	row := from(s.anna)
	row.Kept["other"] = "stays"
	s.save(t, "sum", &row)
	underWay, _ := s.find(t, "sum")
	var taken [8]string
	together(len(taken), func(i int) {
		var err error
		if taken[i], err = s.Take(t.Context(), "sum", "notice"); err != nil {
			t.Error(err)
		}
	})
	if got := strings.Join(taken[:], ""); got != "Saved." {
		t.Errorf("taken %q", taken)
	}
	underWay.Kept = map[string]string{"third": "is added"}
	s.save(t, "sum", &underWay)
	want := map[string]string{"other": "stays", "third": "is added"}
	if got, found := s.find(t, "sum"); !found || !maps.Equal(got.Texts, want) {
		t.Errorf("%t, %v, want %v", found, got.Texts, want)
	}
}

// TestAResponseOfAnEndedSessionSetsNoCookie: it would replace that which a faster response has set.
func TestAResponseOfAnEndedSessionSetsNoCookie(t *testing.T) {
	t.Parallel()
	s := openSessions(t)
	m := session.New(s.Sessions, true)
	anna, err := s.User(t.Context(), s.anna)
	if err != nil {
		t.Fatal(err)
	}
	load := func(cookies ...*http.Cookie) context.Context {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		for _, c := range cookies {
			r.AddCookie(c)
		}
		ctx, _, err := m.Load(t.Context(), r, netip.Addr{})
		if err != nil {
			t.Fatal(err)
		}
		return ctx
	}
	save := func(ctx context.Context) []*http.Cookie {
		w := httptest.NewRecorder()
		if err := m.Save(ctx, w); err != nil {
			t.Fatal(err)
		}
		return w.Result().Cookies()
	}
	ctx := load()
	if err := m.SignIn(ctx, anna, s.now); err != nil {
		t.Fatal(err)
	}
	cookies := save(ctx)
	fast, slow, proving := load(cookies...), load(cookies...), load(cookies...)
	if ended, err := m.Prove(fast, anna, s.now); err != nil || ended {
		t.Fatal(ended, err)
	}
	if got := save(fast); len(got) != 1 || got[0].Value == cookies[0].Value || m.Current(load(got...)).User != s.anna {
		t.Errorf("the proof sets %v", got)
	}
	if ended, err := m.Prove(proving, anna, s.now); err != nil || !ended {
		t.Errorf("a second proof: ended %t, %v", ended, err)
	}
	for name, ctx := range map[string]context.Context{"a page": slow, "a second proof": proving} {
		if got := save(ctx); len(got) > 0 {
			t.Errorf("the response to %s sets %v", name, got)
		}
	}
}
