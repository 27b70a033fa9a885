package tokens_test

import (
	"errors"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestPeopleChooseTheOwner, when they make a token or later, and the audit log says who it was before.
func TestPeopleChooseTheOwner(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	maker := person("usr_1", tokens.RoleAdmin)
	made, secret, err := s.CreateToken(t.Context(), maker, someOrg,
		tokens.Draft{Name: "ERP", Permissions: []string{"admin"}})
	if err != nil {
		t.Fatal(err)
	}
	if made.Owner.ID != "usr_1" {
		t.Errorf("its maker does not own it: %+v", made.Owner)
	}
	organizations, _ := create(t, s)
	give := func(principal tokens.Principal) (tokens.Token, error) {
		return s.UpdateToken(t.Context(), principal, someOrg, made.ID, tokens.Patch{OfOrganization: true})
	}
	for name, principal := range map[string]tokens.Principal{
		"itself": caller(made), "the organization's token": bearer(organizations.ID, tokens.Admin),
		"its owner, a member now": person("usr_1", tokens.RoleMember),
		"an auditor":              person("usr_2", tokens.RoleAuditor), "nobody": {},
	} {
		if _, err := give(principal); !errors.Is(err, tokens.ErrForbidden) {
			t.Errorf("%s may: %v", name, err)
		}
		draft := tokens.Draft{Name: "ERP", Permissions: []string{"shipments:read"}, DefaultExpiry: true, OfOrganization: true}
		if _, _, err := s.CreateToken(t.Context(), principal, someOrg, draft); !errors.Is(err, tokens.ErrForbidden) {
			t.Errorf("%s may make one: %v", name, err)
		}
	}
	for range 2 {
		done, err := give(person("usr_2", tokens.RoleOwner))
		if err != nil || !done.Owner.IsOrganization() || done.CreatedBy != made.CreatedBy {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	if found := introspect(t, s, secret); found.Outcome != tokens.OutcomeActive || !found.Token.Owner.IsOrganization() {
		t.Errorf("introspected %+v", found)
	}
	if maker := person("usr_1", tokens.RoleMember); maker.MayChange(repo.tokens[made.ID]) {
		t.Error("a member may change what the organization owns")
	}
	log := repo.events[someOrg]
	last := log[len(log)-1]
	if last.Action != audit.TokenUpdated || last.Actor.ID != "usr_2" || last.Details["owner"] != "organization" ||
		last.Details["owner_before"] != "usr_1@acme.example" {
		t.Errorf("the audit log has %+v", last)
	}
	if before := log[len(log)-2]; before.Action == audit.TokenUpdated {
		t.Error("what changes nothing is in the audit log")
	}
	own, _, err := s.CreateToken(t.Context(), maker, someOrg,
		tokens.Draft{Name: "ERP", Permissions: []string{"admin"}, OfOrganization: true})
	if err != nil || !own.Owner.IsOrganization() || own.CreatedBy.ID != "usr_1" {
		t.Errorf("made for the organization: %+v, %v", own, err)
	}
	if _, err := s.RevokeToken(t.Context(), tokens.Operator(), someOrg, made.ID, "", false); err != nil {
		t.Fatal(err)
	}
	_, err = give(tokens.Operator())
	wantState(t, err, tokens.StateError{ID: made.ID, Status: tokens.StatusRevoked})
}
