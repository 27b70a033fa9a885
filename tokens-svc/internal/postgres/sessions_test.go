package postgres_test

import (
	"errors"
	"net/netip"
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
	if err := s.Save(t.Context(), sum, row); err != nil {
		t.Fatal(err)
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
	return session.Row{Session: browser, User: user, Texts: map[string]string{"notice": "Saved."}}
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

// TestEndedSessionIsNotRestored by a request that was under way.
func TestEndedSessionIsNotRestored(t *testing.T) {
	t.Parallel()
	s := openSessions(t)
	first := from(s.anna)
	s.save(t, "sum", &first)
	underWay, _ := s.find(t, "sum")
	if err := s.End(t.Context(), s.anna, first.ID); err != nil {
		t.Fatal(err)
	}
	s.save(t, "sum", &underWay)
	if _, found := s.find(t, "sum"); found {
		t.Error("it came back")
	}
}

func TestUsersListAndEndTheirOwnSessions(t *testing.T) {
	t.Parallel()
	s := openSessions(t)
	rows := make([]session.Row, 4)
	for i, user := range []people.UserID{s.anna, s.anna, s.bert, s.anna} {
		rows[i] = from(user)
		s.now = s.now.Add(time.Minute)
		s.save(t, string(rune('a'+i)), &rows[i])
	}
	list := func(user people.UserID) (all []string) {
		t.Helper()
		found, err := s.List(t.Context(), user)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range found {
			all = append(all, one.ID)
			if one.Address.String() != "192.0.2.1" || one.UserAgent != "Firefox" || one.CreatedAt.IsZero() {
				t.Errorf("%+v", one)
			}
		}
		return all
	}
	if got := list(s.anna); len(got) != 3 || got[0] != rows[3].ID || got[2] != rows[0].ID {
		t.Errorf("%q", got)
	}
	for _, err := range []error{
		s.End(t.Context(), s.anna, rows[2].ID), s.End(t.Context(), s.anna, rows[0].ID),
		s.EndOthers(t.Context(), s.anna, rows[1].ID),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if anna, bert := list(s.anna), list(s.bert); len(anna) != 1 || anna[0] != rows[1].ID || len(bert) != 1 {
		t.Errorf("%q, %q", anna, bert)
	}
}
