package tokens_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// catalogue is the built-in permissions.
var catalogue, _ = tokens.NewCatalogue()

func person(id string, role tokens.Role) tokens.Principal {
	return catalogue.Person(audit.Actor{Kind: audit.User, ID: id, Name: id + "@acme.example"}, role)
}

func bearer(id tokens.TokenID, held ...tokens.Permission) tokens.Principal {
	caller := tokens.Token{ID: id, Environment: tokens.Live, Permissions: held, RateLimit: tokens.DefaultRateLimit}
	return catalogue.Bearer(audit.Actor{Kind: audit.Token, ID: string(id), Name: "ERP"}, caller, held)
}

// TestRoleTable is the table of roles: whether each may make a token of a
// permission, change another's and their own, and read the audit log.
func TestRoleTable(t *testing.T) {
	t.Parallel()
	data := []tokens.Permission{"documents:read", "documents:write", "shipments:read", "shipments:write"}
	own := tokens.Token{ID: "tok_000000000001", Owner: tokens.Owner{ID: "usr_1"}}
	others := tokens.Token{ID: "tok_000000000002", Owner: tokens.Owner{ID: "usr_2"}}
	operators := tokens.Token{ID: "tok_000000000003", CreatedBy: audit.CommandLine}
	for name, c := range map[string]struct {
		principal                      tokens.Principal
		grants                         []tokens.Permission
		create, own, others, readAudit bool
	}{
		"operator":           {tokens.Operator(), []tokens.Permission{tokens.Admin}, true, true, true, true},
		"owner":              {person("usr_1", tokens.RoleOwner), catalogue.All(), true, true, true, true},
		"admin":              {person("usr_1", tokens.RoleAdmin), catalogue.All(), true, true, true, true},
		"member":             {person("usr_1", tokens.RoleMember), data, true, true, false, false},
		"auditor":            {person("usr_1", tokens.RoleAuditor), nil, false, false, false, true},
		"no role":            {person("usr_1", "captain"), nil, false, false, false, false},
		"nobody":             {tokens.Principal{}, nil, false, false, false, false},
		"token with admin":   {bearer("tok_000000000009", tokens.Admin), catalogue.All(), true, true, true, true},
		"token without":      {bearer("tok_000000000009", "shipments:write"), data[2:], false, false, false, false},
		"token about itself": {bearer("tok_000000000001", "shipments:read"), data[2:3], false, true, false, false},
		"person like a token": {
			catalogue.Bearer(audit.Actor{Kind: audit.User, ID: "tok_000000000001"}, tokens.Token{}, nil),
			nil, false, false, false, false,
		},
	} {
		if got := c.principal.Grants(); !slices.Equal(got, c.grants) {
			t.Errorf("%s may grant %v, want %v", name, got, c.grants)
		}
		got := []bool{
			c.principal.MayCreate(), c.principal.MayChange(own), c.principal.MayChange(others),
			c.principal.MayChange(operators), c.principal.Audit,
		}
		if want := []bool{c.create, c.own, c.others, c.others, c.readAudit}; !slices.Equal(got, want) {
			t.Errorf("%s: create, own, others', operators', audit: %v, want %v", name, got, want)
		}
	}
}

// TestTokenIsWithinItsCreatorsPermissions, neither in permissions nor in its limit.
func TestTokenIsWithinItsCreatorsPermissions(t *testing.T) {
	t.Parallel()
	s, _ := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	member := person("usr_1", tokens.RoleMember)
	made, _, err := s.CreateToken(t.Context(), member, someOrg,
		tokens.Draft{Name: "ERP", Permissions: []string{"shipments:write"}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"shipments:review": "permissions", "admin": "permissions", "webhooks:manage": "permissions",
	} {
		_, _, err := s.CreateToken(t.Context(), member, someOrg,
			tokens.Draft{Name: "ERP", Permissions: []string{"shipments:read", text}})
		wantFields(t, err, want)
		wrong := &tokens.ValidationError{}
		if errors.As(err, &wrong) && (wrong.Fields[0].Entry != 2 ||
			!strings.Contains(wrong.Fields[0].Detail, "documents:write")) {
			t.Errorf("%+v does not name the entry and what may be granted", wrong.Fields[0])
		}
		_, err = s.UpdateToken(t.Context(), member, someOrg, made.ID, tokens.Patch{Permissions: &[]string{text}})
		wantFields(t, err, want)
	}
	if _, err := s.UpdateToken(t.Context(), tokens.Operator(), someOrg, made.ID,
		tokens.Patch{Permissions: &[]string{"admin"}}); err != nil {
		t.Fatal(err)
	}
	_, err = s.RotateToken(t.Context(), member, someOrg, made.ID, 0)
	wantFields(t, err, "permissions") // it has become more than its maker
	for limit, allowed := range map[tokens.RateLimit]bool{
		{}:                                true,
		{Limit: 100, WindowSeconds: 60}:   true,
		{Limit: 1, WindowSeconds: 1}:      true,
		{Limit: 100, WindowSeconds: 3600}: true,
		{Limit: 101, WindowSeconds: 3600}: false,
		{Limit: 2, WindowSeconds: 1}:      false,
		{Limit: 100, WindowSeconds: 59}:   false,
		{WindowSeconds: 30}:               false,
	} {
		for name, principal := range map[string]tokens.Principal{
			"owner": person("usr_2", tokens.RoleOwner),
			"token": bearer("tok_000000000000", tokens.Admin),
		} {
			_, _, err := s.CreateToken(t.Context(), principal, someOrg,
				tokens.Draft{Name: "ERP", Permissions: []string{"admin"}, RateLimit: limit})
			if allowed && err != nil {
				t.Errorf("%s, %+v: %v", name, limit, err)
			}
			if !allowed {
				wantFields(t, err, "limit")
			}
		}
	}
}

func wantFields(t *testing.T, err error, names ...string) {
	t.Helper()
	wrong, ok := errors.AsType[*tokens.ValidationError](err)
	if !ok {
		t.Errorf("%v, want faults of %v", err, names)
		return
	}
	var got []string
	for _, f := range wrong.Fields {
		got = append(got, f.Field)
	}
	if !slices.Equal(got, names) {
		t.Errorf("%v, want faults of %v", err, names)
	}
}
