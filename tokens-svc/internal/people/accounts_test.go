package people_test

import (
	"errors"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const newSecret = "another horse battery"

// signIn returns the error of signing in as anna with that password.
func signIn(t *testing.T, s *people.Service, password string) (people.User, error) {
	t.Helper()
	return s.SignIn(t.Context(), anna.Email, password, here)
}

// epoch returns the session epoch of an account.
func epoch(t *testing.T, s *people.Service, id people.UserID) int64 {
	t.Helper()
	u, err := s.User(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return u.SessionEpoch
}

// fault returns the only field of a validation error and its code.
func fault(t *testing.T, err error) (string, tokens.FaultCode) {
	t.Helper()
	invalid, ok := errors.AsType[*tokens.ValidationError](err)
	if !ok || len(invalid.Fields) != 1 {
		t.Errorf("%v, want one fault", err)
		return "", ""
	}
	return invalid.Fields[0].Field, invalid.Fields[0].Code
}

func TestChangedPasswordReplacesTheOldOneAndEndsSessions(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	u, _ := enroll(t, s, anna)
	if _, err := s.ChangePassword(t.Context(), u.ID, "wrong", newSecret, here); !errors.Is(err, people.ErrRefused) {
		t.Errorf("with a wrong password: %v", err)
	}
	for name, password := range map[string]string{"short": "short", "the current one": secret, "the address": anna.Email} {
		if _, err := s.ChangePassword(t.Context(), u.ID, secret, password, here); err == nil {
			t.Errorf("%s is accepted", name)
		} else if field, code := fault(t, err); field != "password" || code != tokens.InvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := epoch(t, s, u.ID); got != u.SessionEpoch {
		t.Error("a refused change ended sessions")
	}
	changed, err := s.ChangePassword(t.Context(), u.ID, secret, newSecret, here)
	if err != nil || changed.SessionEpoch != u.SessionEpoch+1 || changed.PasswordTemporary {
		t.Errorf("%+v, %v", changed, err)
	}
	if _, err := signIn(t, s, secret); !errors.Is(err, people.ErrRefused) {
		t.Errorf("with the old password: %v", err)
	}
	if _, err := signIn(t, s, newSecret); err != nil {
		t.Errorf("with the new password: %v", err)
	}
	if _, err := s.ChangePassword(t.Context(), "usr_00000000000000000000000000", secret, newSecret,
		here); !errors.Is(err, tokens.ErrNotFound) {
		t.Errorf("without a user: %v", err)
	}
}

func TestDisabledAccountCannotSignInUntilItIsEnabled(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	u, _ := enroll(t, s, anna)
	colleague(t, s, "second@acme.example", tokens.RoleOwner)
	for range 2 { // the second time changes nothing
		if err := s.Disable(t.Context(), u, "left"); err != nil {
			t.Fatal(err)
		}
	}
	if got := epoch(t, s, u.ID); got != u.SessionEpoch+1 {
		t.Errorf("session epoch %d, want %d", got, u.SessionEpoch+1)
	}
	if _, err := signIn(t, s, secret); !errors.Is(err, people.ErrDisabled) {
		t.Errorf("with the right password: %v", err)
	}
	if _, err := signIn(t, s, "wrong"); !errors.Is(err, people.ErrRefused) || errors.Is(err, people.ErrDisabled) {
		t.Errorf("with a wrong password: %v", err)
	}
	if err := s.Enable(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	if _, err := signIn(t, s, secret); err != nil {
		t.Errorf("after it was enabled: %v", err)
	}
}

func TestOperatorFindsAccountsByIDAndAddress(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	u, _ := enroll(t, s, anna)
	for _, text := range []string{string(u.ID), "anna@acme.example", " ANNA@acme.example "} {
		if got, err := s.Find(t.Context(), text); err != nil || got.ID != u.ID {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"usr_00000000000000000000000000", "bert@acme.example", ""} {
		if got, err := s.Find(t.Context(), text); !errors.Is(err, tokens.ErrNotFound) || got.ID != "" {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
