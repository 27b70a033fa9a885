package web

import (
	"context"
	"slices"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
)

// shownSignIns is how many of its events the page of an account shows.
const shownSignIns = 20

// signInRow is one of those events.
type signInRow struct{ audit.Event }

// Text returns the kind of the event.
func (r signInRow) Text() string { return words(strings.TrimPrefix(string(r.Action), "user.")) }

// accountPage is the page of the person's own account.
type accountPage struct {
	Passwords, Factors, Mails bool // what the person can do there
	Sessions                  []sessionRow
	SignIns                   []signInRow
}

// sessionRow is a session in the list.
type sessionRow struct {
	session.Session
	Current bool
}

// Device describes the browser by its User-Agent.
func (r sessionRow) Device() string {
	return pick(r.UserAgent, "A browser", [][2]string{
		{"Edg/", "Edge"},
		{"OPR/", "Opera"},
		{"Firefox/", "Firefox"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"},
	}) + pick(r.UserAgent, "", [][2]string{
		{"Android", " on Android"},
		{"iPhone", " on iPhone"},
		{"iPad", " on iPad"},
		{"Windows", " on Windows"},
		{"Mac OS X", " on macOS"},
		{"CrOS", " on ChromeOS"},
		{"Linux", " on Linux"},
	})
}

// pick returns the name of the first mark that text has.
func pick(text, otherwise string, marks [][2]string) string {
	for _, mark := range marks {
		if strings.Contains(text, mark[0]) {
			return mark[1]
		}
	}
	return otherwise
}

func (s *site) showAccount(ctx context.Context, v *visit) (answer, error) {
	all, err := s.Sessions.List(ctx, v.user.ID)
	if err != nil {
		return answer{}, err
	}
	account := accountPage{Passwords: s.Passwords, Factors: hasFactors(s), Mails: s.People.Mails()}
	for _, one := range all {
		account.Sessions = append(account.Sessions, sessionRow{one, one.ID == s.sessions.ID(ctx)})
	}
	events, err := s.People.SignIns(ctx, v.user.ID, shownSignIns)
	if err != nil {
		return answer{}, err
	}
	for _, e := range events {
		account.SignIns = append(account.SignIns, signInRow{e})
	}
	return page("account", "Your account", account), nil
}

func (s *site) endSession(ctx context.Context, v *visit) (answer, error) {
	id := v.PostForm.Get("session")
	if id == s.sessions.ID(ctx) {
		return s.signOut(ctx, v)
	}
	all, err := s.Sessions.List(ctx, v.user.ID)
	if err != nil {
		return answer{}, err
	}
	if !slices.ContainsFunc(all, func(one session.Session) bool { return one.ID == id }) {
		return redirect("/settings/account"), nil // it ended before
	}
	if err := s.People.SignedOut(ctx, v.user, v.client(), "another one"); err != nil {
		return answer{}, err
	}
	if err := s.Sessions.End(ctx, v.user.ID, id); err != nil {
		return answer{}, err
	}
	s.notify(ctx, "The session has ended.")
	return redirect("/settings/account"), nil
}

func (s *site) endOtherSessions(ctx context.Context, v *visit) (answer, error) {
	if err := s.People.SignedOut(ctx, v.user, v.client(), "all others"); err != nil {
		return answer{}, err
	}
	if err := s.Sessions.EndOthers(ctx, v.user.ID, s.sessions.ID(ctx)); err != nil {
		return answer{}, err
	}
	s.notify(ctx, "You were signed out of all other sessions.")
	return redirect("/settings/account"), nil
}
