package people_test

import (
	"errors"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const issuer = "https://issuer.example"

// claims are those of a person with that subject and address.
func claims(subject, email string) people.Claims {
	return people.Claims{
		Identity: people.Identity{Issuer: issuer, Subject: subject}, Email: email,
		EmailVerified: true, Name: "Anna N.",
	}
}

func TestIssuersUserNeedsAVerifiedAddressAndAnInvitationOrDomain(t *testing.T) {
	t.Parallel()
	s := people.NewService(repository(t), people.Config{Passwords: cheap(), Domains: map[string]people.Domain{
		"domain.example": {Organization: org, Role: tokens.RoleMember},
		"entra.example":  {Organization: org, Role: tokens.RoleAdmin, Claim: "tid", Value: "t-1"},
	}})
	owner, _ := enroll(t, s, anna)
	invite(t, s, owner, "carl@acme.example", "member")
	unverified := claims("1", "carl@acme.example")
	unverified.EmailVerified = false
	ofTenant, foreign := claims("6", "carl@entra.example"), claims("7", "dora@entra.example")
	ofTenant.All, foreign.All = map[string]any{"tid": "T-1"}, map[string]any{"tid": "t-2", "hd": "t-1"}
	for name, tt := range map[string]struct {
		claims people.Claims
		err    error
		role   tokens.Role // in org; "": none
	}{
		"not verified":         {unverified, people.ErrUnverified, ""},
		"no address":           {claims("2", ""), people.ErrUnverified, ""},
		"no proper address":    {claims("3", "Carl <carl@acme.example>"), people.ErrUnverified, ""},
		"not invited":          {claims("4", "dora@acme.example"), people.ErrNotInvited, ""},
		"invited":              {claims("5", "Carl@ACME.example"), nil, ""},
		"of the directory":     {ofTenant, nil, tokens.RoleAdmin},
		"of another directory": {foreign, people.ErrUnmanaged, ""},
		"no claim":             {claims("8", "emil@entra.example"), people.ErrUnmanaged, ""},
		"of the domain":        {claims("9", "Dora@DOMAIN.example"), nil, tokens.RoleMember},
		"a domain in a domain": {claims("10", "dora@sub.domain.example"), people.ErrNotInvited, ""},
	} {
		u, linked, err := s.SignInWith(t.Context(), tt.claims, "", here)
		if !errors.Is(err, tt.err) || linked || (u == people.User{}) != (tt.err != nil) {
			t.Errorf("%s: %+v, linked %t, %v", name, u, linked, err)
		}
		if tt.err != nil {
			continue
		}
		m, err := membership(t, s, u.ID)
		if (err == nil) != (tt.role != "") || m.Role != tt.role || u.Name != "Anna N." || u.VerifiedAt.IsZero() {
			t.Errorf("%s: %+v as %+v, %v", name, u, m, err)
		}
		// The identity is the person, whatever the issuer says of the address later.
		tt.claims.EmailVerified, tt.claims.Email = false, "moved@elsewhere.example"
		if again, linked, err := s.SignInWith(t.Context(), tt.claims, "", here); err != nil || linked ||
			again.ID != u.ID || again.Email != u.Email {
			t.Errorf("%s, again: %+v, linked %t, %v", name, again, linked, err)
		}
	}
}

func TestIssuersUserTakesTheAccountWithTheAddressOver(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	before, _ := enroll(t, s, anna)
	u, linked, err := s.SignInWith(t.Context(), claims("1", anna.Email), "", here)
	if err != nil || !linked || u.ID != before.ID || u.SessionEpoch != before.SessionEpoch+1 || u.VerifiedAt.IsZero() {
		t.Fatalf("%+v, linked %t, %v", u, linked, err)
	}
	if _, err := signIn(t, s, secret); !errors.Is(err, people.ErrRefused) {
		t.Errorf("with the password of before: %v", err)
	}
	if _, _, err := s.SignInWith(t.Context(), claims("2", anna.Email), "", here); !errors.Is(err,
		people.ErrLinkedElsewhere) {
		t.Errorf("another identity: %v", err)
	}
	if again, linked, err := s.SignInWith(t.Context(), claims("1", anna.Email), "", here); err != nil || linked ||
		again.ID != u.ID {
		t.Errorf("again: %+v, linked %t, %v", again, linked, err)
	}
	for _, want := range []bool{true, false} {
		if done, err := s.Unlink(t.Context(), u); done != want || err != nil {
			t.Errorf("unlinked %t, %v, want %t", done, err, want)
		}
	}
	if now, err := s.User(t.Context(), u.ID); err != nil || !now.VerifiedAt.IsZero() ||
		now.SessionEpoch != u.SessionEpoch+1 {
		t.Errorf("unlinked: %+v, %v", now, err)
	}
	if again, linked, err := s.SignInWith(t.Context(), claims("2", anna.Email), "", here); err != nil || !linked ||
		again.ID != u.ID {
		t.Errorf("the next identity: %+v, linked %t, %v", again, linked, err)
	}
	colleague(t, s, "second@acme.example", tokens.RoleOwner)
	if err := s.Disable(t.Context(), u, "left"); err != nil {
		t.Fatal(err)
	}
	for subject, who := range map[string]string{"2": "its identity", "3": "another identity"} {
		if got, _, err := s.SignInWith(t.Context(), claims(subject, anna.Email), "", here); !errors.Is(err,
			people.ErrDisabled) ||
			got != (people.User{}) {
			t.Errorf("disabled, %s: %+v, %v", who, got, err)
		}
	}
}

// TestAnAddressThatTheIssuerDoesNotManageTakesNoAccountOver, and accepts no invitation: its holder links it by proving
// to be that, and the account stays as it was.
func TestAnAddressThatTheIssuerDoesNotManageTakesNoAccountOver(t *testing.T) {
	t.Parallel()
	s := people.NewService(repository(t), people.Config{Passwords: cheap(), Domains: map[string]people.Domain{
		"mapped.example": {Organization: org, Role: tokens.RoleMember, Claim: "hd", Value: "mapped.example"},
	}})
	owner, _ := enroll(t, s, anna)
	atGoogle := func(email string, all map[string]any) people.Claims {
		c := claims("of "+email, email)
		c.Issuer, c.All = people.Google, all
		return c
	}
	colleague(t, s, "bert@mapped.example", tokens.RoleMember)
	hosted := map[string]any{"hd": "other.example"}
	for _, email := range []string{"carl@gmail.com", "dora@other.example", "emil@acme.example"} {
		invite(t, s, owner, email, "member")
	}
	for name, tt := range map[string]struct {
		claims people.Claims
		proved people.UserID
		want   error
	}{
		"an account":                {atGoogle("anna@acme.example", nil), "", people.ErrUnmanaged},
		"by another person":         {atGoogle("anna@acme.example", nil), "usr_x", people.ErrUnmanaged},
		"an invitation":             {atGoogle("emil@acme.example", nil), "", people.ErrUnmanaged},
		"nobody":                    {atGoogle("fritz@acme.example", nil), "", people.ErrUnmanaged},
		"of another Workspace":      {atGoogle("bert@mapped.example", hosted), "", people.ErrUnmanaged},
		"of Google itself, invited": {atGoogle("carl@gmail.com", nil), "", nil},
		"of a Workspace, invited":   {atGoogle("dora@other.example", hosted), "", nil},
	} {
		if u, linked, err := s.SignInWith(t.Context(), tt.claims, tt.proved, here); !errors.Is(err, tt.want) || linked {
			t.Errorf("%s: %+v, linked %t, %v", name, u, linked, err)
		}
	}
	u, linked, err := s.SignInWith(t.Context(), atGoogle("anna@acme.example", nil), owner.ID, here)
	if err != nil || linked || u != owner {
		t.Errorf("by its holder: %+v, linked %t, %v", u, linked, err)
	}
	if _, err := signIn(t, s, secret); err != nil {
		t.Errorf("the holder's password afterwards: %v", err)
	}
	if a, err := s.Find(t.Context(), anna.Email); err != nil || !a.Linked {
		t.Errorf("linked %t, %v", a.Linked, err)
	}
}
