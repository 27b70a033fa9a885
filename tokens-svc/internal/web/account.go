package web

import (
	"context"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
)

const accountPath = "/settings/account"

// shownSignIns is how many of its events the page of an account shows.
const shownSignIns = 20

// signInText is the kind of such an event in words.
func signInText(a audit.Action) string { return words(strings.TrimPrefix(string(a), "user.")) }

// accountPage is the page of the person's own account.
type accountPage struct {
	pages.Faults
	Name                              string // in the form
	Passwords, Factors, Mails, Issuer bool   // what the person can do there

	Sessions []session.Session
	Current  string // the session of this request
	SignIns  []audit.Event
}

// browserName describes a browser by its User-Agent.
func browserName(agent string) string {
	return pick(agent, "A browser", "Edg/=Edge", "OPR/=Opera", "Firefox/=Firefox", "Chrome/=Chrome",
		"Safari/=Safari", "curl/=curl") +
		pick(agent, "", "Android= on Android", "iPhone= on iPhone", "iPad= on iPad", "Windows= on Windows",
			"Mac OS X= on macOS", "CrOS= on ChromeOS", "Linux= on Linux")
}

// pick returns the name of the first mark that text has; marks are mark=name.
func pick(text, otherwise string, marks ...string) string {
	for _, pair := range marks {
		if mark, name, _ := strings.Cut(pair, "="); strings.Contains(text, mark) {
			return name
		}
	}
	return otherwise
}

func (s *site) showAccount(ctx context.Context, v *visit) (answer, error) {
	all, err := s.Sessions.List(ctx, v.person.ID)
	if err != nil {
		return answer{}, err
	}
	events, err := s.People.SignIns(ctx, v.person.ID, shownSignIns)
	return page("account", "Your account", &accountPage{
		Name: v.person.Name, Passwords: s.Passwords, Factors: hasFactors(s), Mails: s.People.Mails(), Issuer: s.Issuer != nil,
		Sessions: all, Current: s.Sessions.Current(ctx).ID, SignIns: events,
	}), err
}

func (s *site) rename(ctx context.Context, v *visit) (answer, error) {
	form, err := s.showAccount(ctx, v)
	if err != nil {
		return answer{}, err
	}
	name := v.PostForm.Get("name")
	if err := s.People.Rename(ctx, v.person.User, name, v.client()); err != nil {
		form.data.(*accountPage).Name = name
		return refused(err, "name", form)
	}
	return s.done(ctx, nil, accountPath, "Your name was changed.")
}

func (s *site) endSession(ctx context.Context, v *visit) (answer, error) {
	id := v.PostForm.Get("session")
	if id == s.Sessions.Current(ctx).ID {
		return s.signOut(ctx, v)
	}
	return s.done(ctx, s.Sessions.End(ctx, v.person.ID, id), accountPath, "The session has ended.")
}

func (s *site) endOtherSessions(ctx context.Context, v *visit) (answer, error) {
	err := s.Sessions.EndOthers(ctx, v.person.ID, s.Sessions.Current(ctx).ID)
	return s.done(ctx, err, accountPath, "You were signed out of all other sessions.")
}

// passwordForm is the page for changing a password.
type passwordForm struct {
	pages.Faults
	// Temporary means that the present password came from an operator.
	Temporary bool
}

func passwordPage(v *visit) answer {
	return page("password", "Change password", &passwordForm{Temporary: v.person.PasswordTemporary})
}

func (s *site) changePassword(ctx context.Context, v *visit) (answer, error) {
	if empty := v.empty("current", "password"); empty != nil {
		return passwordPage(v).with(empty...), nil
	}
	user, err := s.People.ChangePassword(ctx, v.person.ID, v.PostForm.Get("current"), v.PostForm.Get("password"),
		v.client())
	if err != nil {
		return refused(err, "current", passwordPage(v),
			refusal{people.ErrRefused, "current", "Incorrect current password."})
	}
	a, err := s.afterPassword(ctx, v, user, accountPath) // a password alone proves nothing beside an app
	s.notify(ctx, "Your password was changed. You were signed out of all other sessions.")
	return a, err
}
