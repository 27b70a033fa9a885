package people_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	totpcode "github.com/pquerna/otp/totp"

	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
)

const (
	oldKey = "1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	newKey = "2:HxobHB0eHxgZGhscHR4fAAECAwQFBgcICQoLDA0ODxA="
)

func keys(t *testing.T, text string) *sealing.Keys {
	t.Helper()
	k, err := sealing.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &k
}

// clocked is a service over a repository, whose clock stands still.
func clocked(t *testing.T, repo people.Repository, k *sealing.Keys, now *time.Time) *people.Service {
	t.Helper()
	return people.NewService(repo, people.Config{
		Passwords: cheap(), AppKeys: k, Now: func() time.Time { return *now },
	})
}

const step = 30 * time.Second

// app returns what an account's authenticator app shows, and its recovery codes.
func app(t *testing.T, s *people.Service, u people.User) (show func() string, recovery []string) {
	t.Helper()
	sealed := s.NewApp(u)
	secret, _, err := s.App(u, sealed)
	if err != nil {
		t.Fatal(err)
	}
	show = func() string {
		code, err := totpcode.GenerateCode(secret, s.Now())
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	recovery, err = s.AddApp(t.Context(), u, sealed, show(), here)
	if err != nil {
		t.Fatal(err)
	}
	return show, recovery
}

// withApp is anna, whose account has an authenticator app, at a time that the test sets.
func withApp(t *testing.T) (s *people.Service, now *time.Time, u people.User, show func() string, recovery []string) {
	t.Helper()
	now = new(time.Now())
	s = clocked(t, repository(t), keys(t, oldKey), now)
	u, _ = enroll(t, s, anna)
	show, recovery = app(t, s, u)
	return s, now, u, show, recovery
}

// enter tries a code behind the password.
func enter(t *testing.T, s *people.Service, code string) error {
	t.Helper()
	u, err := signIn(t, s, secret)
	if err != nil || !u.HasApp {
		t.Fatalf("%+v, %v", u, err)
	}
	_, err = s.SignInWithCode(t.Context(), u, code, here)
	return err
}

// together returns how many of several attempts at once a code passes.
func together(t *testing.T, s *people.Service, code string) (good int) {
	t.Helper()
	u, err := signIn(t, s, secret)
	if err != nil {
		t.Fatal(err)
	}
	results := make([]error, 4)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() { _, results[i] = s.SignInWithCode(t.Context(), u, code, here) })
	}
	all.Wait()
	for _, err := range results {
		if err == nil {
			good++
		} else if !errors.Is(err, people.ErrFactor) {
			t.Error(err)
		}
	}
	return good
}

func TestACodeOfTheAppIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	s, now, _, show, _ := withApp(t)
	if err := enter(t, s, show()); !errors.Is(err, people.ErrFactor) {
		t.Errorf("the code that added the app, again: %v", err)
	}
	*now = now.Add(step)
	code := show() // as it is pasted: with a no-break space
	if good := together(t, s, code[:3]+"\u00a0"+code[3:]); good != 1 {
		t.Errorf("of four at once %d are accepted, want 1", good)
	}
}

// TestARequestOfAnEndedSessionChangesNothing of an account, though it began before the session ended.
func TestARequestOfAnEndedSessionChangesNothing(t *testing.T) {
	t.Parallel()
	s, now, u, show, _ := withApp(t)
	if _, err := s.ChangePassword(t.Context(), u.ID, secret, newSecret, here); err != nil {
		t.Fatal(err)
	}
	*now = now.Add(step)
	_, added := s.AddApp(t.Context(), u, s.NewApp(u), show(), here)
	_, device := s.NewDevice(t.Context(), u)
	for name, err := range map[string]error{
		"adds no app": added, "removes no app": s.RemoveApp(t.Context(), u, here),
		"gives no name": s.Rename(t.Context(), u, "Other", here), "marks no browser": device,
	} {
		if !errors.Is(err, people.ErrEnded) {
			t.Errorf("it %s: %v", name, err)
		}
	}
}

func TestAnAcceptedCodeSealsTheKeyAnew(t *testing.T) {
	t.Parallel()
	repo, now := repository(t), time.Now()
	s := clocked(t, repo, keys(t, oldKey), &now)
	u, _ := enroll(t, s, anna)
	show, recovery := app(t, s, u)
	for _, k := range []string{newKey + "," + oldKey, newKey} {
		now = now.Add(step)
		if err := enter(t, clocked(t, repo, keys(t, k), &now), show()); err != nil {
			t.Errorf("with %.1s: %v", k, err)
		}
	}
	now = now.Add(step)
	without := clocked(t, repo, nil, &now)
	if err := enter(t, without, show()); err == nil || errors.Is(err, people.ErrFactor) {
		t.Errorf("without a key: %v", err)
	}
	if err := enter(t, without, recovery[0]); err != nil {
		t.Errorf("a recovery code without a key: %v", err)
	}
}

func TestARecoveryCodeIsAcceptedOnceHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	s, _, u, _, recovery := withApp(t)
	good := together(t, s, strings.ToLower(recovery[3]))
	if f, err := s.Factors(t.Context(), u); good != 1 || err != nil || f.RecoveryCodes != 9 || !f.App {
		t.Errorf("of four at once %d are accepted, %+v (%v)", good, f, err)
	}
	if err := enter(t, s, recovery[4]); err != nil {
		t.Errorf("another one: %v", err)
	}
}

func TestWrongCodesAreThrottled(t *testing.T) {
	t.Parallel()
	s, now, u, show, _ := withApp(t)
	*now = now.Add(step)
	for range people.AttemptsPerDevice {
		if err := enter(t, s, "000000"); !errors.Is(err, people.ErrFactor) {
			t.Fatal(err)
		}
	}
	if _, throttled := errors.AsType[*people.ThrottledError](enter(t, s, show())); !throttled {
		t.Error("one attempt too many is looked at")
	}
	s.Wait()
	events, err := s.SignIns(t.Context(), u.ID, 1)
	if err != nil || len(events) != 1 || events[0].Details["reason"] != "wrong code" {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestTheCodeCompletesTheSignInOfItsPasswordOnly(t *testing.T) {
	t.Parallel()
	s, now, u, show, _ := withApp(t)
	*now = now.Add(step)
	before, err := signIn(t, s, secret)
	if err != nil {
		t.Fatal(err)
	}
	if events, err := s.SignIns(t.Context(), u.ID, 1); err != nil || len(events) > 0 {
		t.Errorf("the password alone is recorded as a sign-in: %+v, %v", events, err)
	}
	if _, err := s.ChangePassword(t.Context(), u.ID, secret, newSecret, here); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SignInWithCode(t.Context(), before, show(), here); !errors.Is(err, people.ErrFactor) {
		t.Errorf("behind a password that was changed: %v", err)
	}
	after, err := signIn(t, s, newSecret)
	if err != nil {
		t.Fatal(err)
	}
	colleague(t, s, "second@acme.example", "owner")
	if err := s.Disable(t.Context(), u, ""); err != nil {
		t.Fatal(err)
	}
	after.SessionEpoch++
	if _, err := s.SignInWithCode(t.Context(), after, show(), here); !errors.Is(err, people.ErrDisabled) {
		t.Errorf("of a disabled account: %v", err)
	}
}

// TestFactorsOfAnUnverifiedAccountEndWithItsProof: they may be those of a person who took the address.
func TestFactorsOfAnUnverifiedAccountEndWithItsProof(t *testing.T) {
	t.Parallel()
	for name, prove := range map[string]func(s *people.Service, u people.User) error{
		"an operator": func(s *people.Service, u people.User) error { return s.SetPassword(t.Context(), u, newSecret) },
		"the issuer": func(s *people.Service, u people.User) error {
			_, _, err := s.SignInWith(t.Context(), claims("1", u.Email), "", here)
			return err
		},
	} {
		now := time.Now()
		s := clocked(t, repository(t), keys(t, oldKey), &now)
		owner, _ := enroll(t, s, anna)
		u, _, err := s.Accept(t.Context(), invite(t, s, owner, "bert@acme.example", "member"), here)
		if err != nil {
			t.Fatal(err)
		}
		app(t, s, u)
		if err := prove(s, u); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if f, err := s.Factors(t.Context(), u); err != nil || f.App || f.RecoveryCodes > 0 {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
		app2, _ := enroll(t, s, anna)
		app(t, s, app2)
		if err := s.SetPassword(t.Context(), app2, newSecret); err != nil {
			t.Fatal(err)
		}
		if f, err := s.Factors(t.Context(), app2); err != nil || !f.App {
			t.Errorf("a new password of a verified account: %+v, %v", f, err)
		}
	}
}

func TestAnOperatorRemovesFactorsAndEndsSessions(t *testing.T) {
	t.Parallel()
	s, recorded := audited(t, keys(t, oldKey))
	u, _ := enroll(t, s, anna)
	app(t, s, u)
	if err := s.RemoveFactors(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	now, err := signIn(t, s, secret)
	if err != nil || now.HasApp || now.SessionEpoch != u.SessionEpoch+1 {
		t.Errorf("%+v, %v", now, err)
	}
	added, removed := recorded(audit.UserFactorAdded), recorded(audit.UserFactorRemoved)
	if len(added) != 1 || added[0]["factor"] != "authenticator app" || len(removed) != 1 || removed[0]["factor"] != "all" {
		t.Errorf("%v, %v", added, removed)
	}
}

func TestTheSealedKeyIsGoodForItsAccountOnly(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := clocked(t, repository(t), keys(t, oldKey), &now)
	u, _ := enroll(t, s, anna)
	sealed := s.NewApp(u)
	other, _ := enroll(t, s, people.Enrolment{
		Organization: org, Email: "bert@acme.example", Role: "member", Password: secret,
	})
	if _, _, err := s.App(other, sealed); !errors.Is(err, sealing.ErrSealed) {
		t.Errorf("it opens for another account: %v", err)
	}
}
