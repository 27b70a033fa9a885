package people_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// audited returns a service, and a function that returns the details of all events of an action.
func audited(t *testing.T, k ...*sealing.Keys) (*people.Service, func(audit.Action) []map[string]string) {
	t.Helper()
	db := database(t)
	c := people.Config{Passwords: cheap()}
	if len(k) > 0 {
		c.AppKeys = k[0]
	}
	s := people.NewService(postgres.NewRepository(db), c)
	log := tokens.NewService(postgres.NewRepository(db), tokens.Config{})
	return s, func(action audit.Action) (details []map[string]string) {
		t.Helper()
		s.Wait()
		found, err := log.AuditEvents(t.Context(), tokens.Operator(), org, tokens.AuditQuery{},
			tokens.Page{Number: 1, Size: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found.Events {
			if e.Action == action {
				details = append(details, e.Details)
			}
		}
		return details
	}
}

func TestRefusedSignInsAreRecordedWithTheirReason(t *testing.T) {
	t.Parallel()
	s, _ := audited(t)
	u, _ := enroll(t, s, anna)
	if _, err := signIn(t, s, secret); err != nil {
		t.Fatal(err)
	}
	for range people.AttemptsPerDevice + 3 {
		if _, err := signIn(t, s, "wrong"); err == nil {
			t.Fatal("signed in")
		}
	}
	for _, subject := range []string{"1", "2", "2"} {
		_, _, err := s.SignInWith(t.Context(), claims(subject, anna.Email), "", here)
		if (subject == "2") != errors.Is(err, people.ErrLinkedElsewhere) {
			t.Fatal(err)
		}
	}
	colleague(t, s, "second@acme.example", tokens.RoleOwner)
	if err := s.Disable(t.Context(), u, "left"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.SignInWith(t.Context(), claims("1", anna.Email), "", here); !errors.Is(err, people.ErrDisabled) {
		t.Fatal(err)
	}
	reasons := map[string]int{}
	methods := map[string]int{}
	s.Wait()
	signIns, err := s.SignIns(t.Context(), u.ID, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range signIns {
		if e.Action == audit.UserSignInFailed {
			reasons[e.Details["method"]+": "+e.Details["reason"]]++
		} else {
			methods[e.Details["method"]]++
		}
	}
	if want := map[string]int{
		"password: wrong password":           people.AttemptsPerDevice,
		"issuer: linked to another identity": 2, "issuer: account disabled": 1,
	}; !maps.Equal(reasons, want) {
		t.Errorf("%v, want %v", reasons, want)
	}
	if want := map[string]int{"password": 1, "issuer": 1}; !maps.Equal(methods, want) {
		t.Errorf("%v, want %v", methods, want)
	}
}

func TestChangesOfMembersAreRecordedWithTheirRoles(t *testing.T) {
	t.Parallel()
	s, events := audited(t)
	owner, _ := enroll(t, s, anna)
	bert := accept(t, s, invite(t, s, owner, "bert@acme.example", "member"))
	by := acting(owner, tokens.RoleOwner)
	if err := errors.Join(s.ChangeRole(t.Context(), by, org, bert.ID, "auditor"),
		s.Remove(t.Context(), by, org, bert.ID)); err != nil {
		t.Fatal(err)
	}
	for action, want := range map[audit.Action]map[string]string{
		audit.MemberInvited:     {"email": bert.Email, "role": "member"},
		audit.MemberRoleChanged: {"email": bert.Email, "from": "member", "to": "auditor"},
		audit.MemberRemoved:     {"email": bert.Email, "from": "auditor"},
	} {
		if got := events(action); !slices.EqualFunc(got, []map[string]string{want}, maps.Equal) {
			t.Errorf("%s: %v, want %v", action, got, want)
		}
	}
}
