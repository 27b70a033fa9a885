package tokens_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// asking returns the principal of a stored token.
func caller(t tokens.Token) tokens.Principal {
	return catalogue.Bearer(audit.Actor{Kind: audit.Token, ID: string(t.ID), Name: t.Name}, t, catalogue.Effective(t))
}

// restricted makes an admin token that is good for an hour, from two networks, for 30 requests in a minute.
func restricted(t *testing.T, s *tokens.Service, change func(*tokens.Draft)) tokens.Token {
	t.Helper()
	d := tokens.Draft{
		Name: "Terraform", Permissions: []string{"admin"}, IPAllow: []string{"192.0.2.0/24", "2001:db8::/32"},
		RateLimit: tokens.RateLimit{Limit: 30, WindowSeconds: 60}, ExpiresAt: atNoon.Add(time.Hour),
	}
	if change != nil {
		change(&d)
	}
	made, _, err := s.CreateToken(t.Context(), tokens.Operator(), someOrg, d)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestAChildTakesItsParentsBounds(t *testing.T) {
	t.Parallel()
	s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	hour, minute, both := now.Add(time.Hour), now.Add(time.Minute), "192.0.2.0/24 2001:db8::/32"
	limit := func(n, seconds int) tokens.RateLimit { return tokens.RateLimit{Limit: n, WindowSeconds: seconds} }
	only := func(r tokens.RateLimit) func(*tokens.Draft) {
		return func(d *tokens.Draft) { *d = tokens.Draft{Name: "x", Permissions: d.Permissions, RateLimit: r} }
	}
	for name, c := range map[string]struct {
		parent    func(*tokens.Draft)
		draft     tokens.Draft
		ends      time.Time
		limit     tokens.RateLimit
		addresses string
	}{
		"all of them": {nil, tokens.Draft{DefaultExpiry: true, ExpiresAt: now.AddDate(0, 0, 90)}, hour, limit(30, 60), both},
		"narrower ones stay": {nil, tokens.Draft{
			ExpiresAt: minute, IPAllow: []string{"192.0.2.7"}, RateLimit: tokens.RateLimit{Limit: 5},
		}, minute, limit(5, 60), "192.0.2.7/32"},
		"the default is earlier": {nil, tokens.Draft{DefaultExpiry: true, ExpiresAt: minute}, minute, limit(30, 60), both},
		"test": {
			func(d *tokens.Draft) { d.Environment, d.IPAllow, d.ExpiresAt = tokens.Test, nil, time.Time{} },
			tokens.Draft{},
			time.Time{},
			limit(30, 60), "",
		},
		"a higher limit is not passed on": {
			only(limit(10_000, 60)), tokens.Draft{}, time.Time{}, tokens.DefaultRateLimit, "",
		},
		"a limit that only on average is lower": {
			only(limit(200, 3600)), tokens.Draft{}, time.Time{}, limit(100, 3600), "",
		},
	} {
		parent := restricted(t, s, c.parent)
		c.draft.Name, c.draft.Permissions = "ERP", []string{"shipments:read"}
		got, _, err := s.CreateToken(t.Context(), caller(parent), someOrg, c.draft)
		if err != nil || got.Environment != parent.Environment || !got.ExpiresAt.Equal(c.ends) || got.RateLimit != c.limit ||
			strings.Join(tokens.Texts(got.IPAllow), " ") != c.addresses {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c)
		}
		if got.CreatedBy.ID != string(parent.ID) || got.Owner != parent.Owner {
			t.Errorf("%s: made by %+v, owned by %+v", name, got.CreatedBy, got.Owner)
		}
	}
}

func TestTokenCreatesTokensWithinItsOwnBounds(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	s, now := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	parent := restricted(t, s, nil)
	bounded := func(limit tokens.RateLimit, ranges ...string) tokens.Draft {
		return tokens.Draft{DefaultExpiry: true, RateLimit: limit, IPAllow: ranges}
	}
	for name, c := range map[string]struct {
		draft       tokens.Draft
		field, says string
	}{
		"no end":           {tokens.Draft{}, "expires_at", "2026-11-20T13:00:00.000Z"},
		"a later end":      {tokens.Draft{ExpiresAt: now.Add(3601 * time.Second)}, "expires_at", "2026-11-20T13:00:00.000Z"},
		"any address":      {tokens.Draft{DefaultExpiry: true, IPAllow: []string{}}, "ip_allow", "192.0.2.0/24"},
		"a wider range":    {bounded(tokens.RateLimit{}, "192.0.2.0/25", "192.0.0.0/16"), "ip_allow", "192.0.0.0/16"},
		"another network":  {bounded(tokens.RateLimit{}, "2001:db9::/32"), "ip_allow", "2001:db9::/32"},
		"a higher limit":   {bounded(tokens.RateLimit{Limit: 31}), "limit", "30 in 60"},
		"a shorter window": {bounded(tokens.RateLimit{WindowSeconds: 59}), "limit", "30 in 60"},
	} {
		c.draft.Name, c.draft.Permissions = "ERP", []string{"shipments:read"}
		_, _, err := s.CreateToken(t.Context(), caller(parent), someOrg, c.draft)
		wantFields(t, err, c.field)
		if err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v does not name the bound %s", name, err, c.says)
		}
	}
	if len(repo.tokens) != 1 {
		t.Errorf("there are %d tokens", len(repo.tokens))
	}
}

// TestNoTokenGainsByChangingOrRotatingAnother: neither itself, nor one that is good for more, nor one of another owner.
func TestNoTokenGainsByChangingOrRotatingAnother(t *testing.T) {
	t.Parallel()
	s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	parent := restricted(t, s, nil)
	wide, _, err := s.CreateToken(t.Context(), tokens.Operator(), someOrg,
		tokens.Draft{Name: "ERP", Permissions: []string{"shipments:read"}})
	if err != nil {
		t.Fatal(err)
	}
	never, later, anywhere := time.Time{}, now.Add(2*time.Hour), []string(nil)
	for field, p := range map[string]tokens.Patch{
		"expires_at": {ExpiresAt: &never}, "ip_allow": {IPAllow: &anywhere},
		"limit": {RateLimit: &tokens.RateLimit{Limit: 31}},
	} {
		_, err := s.UpdateToken(t.Context(), caller(parent), someOrg, parent.ID, p)
		wantFields(t, err, field)
	}
	_, err = s.UpdateToken(t.Context(), caller(parent), someOrg, parent.ID, tokens.Patch{ExpiresAt: &later})
	wantFields(t, err, "expires_at")
	_, err = s.UpdateToken(t.Context(), caller(parent), someOrg, wide.ID,
		tokens.Patch{Permissions: &[]string{"admin"}})
	wantFields(t, err, "expires_at", "ip_allow", "limit")
	_, err = s.RotateToken(t.Context(), caller(parent), someOrg, wide.ID, time.Hour)
	wantFields(t, err, "ip_allow", "limit")

	owned := parent
	owned.Owner = tokens.Owner{ID: "usr_1", Role: tokens.RoleOwner}
	narrow := restricted(t, s, nil)
	for name, err := range map[string]error{
		"change": second(s.UpdateToken(t.Context(), caller(owned), someOrg, narrow.ID,
			tokens.Patch{Permissions: &[]string{"admin"}})),
		"rotate": second(s.RotateToken(t.Context(), caller(owned), someOrg, narrow.ID, 0)),
	} {
		if !errors.Is(err, tokens.ErrForbidden) {
			t.Errorf("a person's token may %s the organization's: %v", name, err)
		}
	}
	if _, err := s.RevokeToken(t.Context(), caller(owned), someOrg, narrow.ID, "", false); err != nil {
		t.Errorf("revoking takes nothing: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestTokenCannotExtendItsExpiry by rotating itself, nor puts out its owner at once.
func TestTokenCannotExtendItsExpiry(t *testing.T) {
	t.Parallel()
	s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	token, _ := create(t, s) // for an hour
	end := token.ExpiresAt
	*now = now.Add(time.Minute)
	_, err := s.RotateToken(t.Context(), caller(token), someOrg, token.ID, tokens.MinOwnGrace-1)
	wantFields(t, err, "grace_seconds")
	for range 3 {
		*now = now.Add(time.Minute)
		done, err := s.RotateToken(t.Context(), caller(token), someOrg, token.ID, tokens.MinOwnGrace)
		if err != nil {
			t.Fatal(err)
		}
		if !done.Token.ExpiresAt.Equal(end) || !done.Previous.ExpiresAt.Equal(end) ||
			done.Token.Lineage != token.Lineage {
			t.Errorf("the successor ends %s, the old one %s, want %s; lineage %s", done.Token.ExpiresAt,
				done.Previous.ExpiresAt, end, done.Token.Lineage)
		}
		token = done.Token
	}
	admin := restricted(t, s, nil)
	done, err := s.RotateToken(t.Context(), caller(admin), someOrg, admin.ID, 0)
	if err != nil || !done.Token.ExpiresAt.Equal(admin.ExpiresAt) || !done.Previous.ExpiresAt.Equal(*now) {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestTestTokenAccessesTestTokensOnly, also of its own organization.
func TestTestTokenAccessesTestTokensOnly(t *testing.T) {
	t.Parallel()
	s, _ := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	live := restricted(t, s, nil)
	testing := caller(restricted(t, s, func(d *tokens.Draft) { d.Environment = tokens.Test }))
	name := "mine"
	for what, err := range map[string]error{
		"change": second(s.UpdateToken(t.Context(), testing, someOrg, live.ID, tokens.Patch{Name: &name})),
		"rotate": second(s.RotateToken(t.Context(), testing, someOrg, live.ID, 0)),
		"revoke": second(s.RevokeToken(t.Context(), testing, someOrg, live.ID, "", false)),
	} {
		if !errors.Is(err, tokens.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, _, err := s.CreateToken(t.Context(), testing, someOrg, tokens.Draft{
		Name: "ERP", Permissions: []string{"shipments:read"}, Environment: tokens.Live, DefaultExpiry: true,
	})
	wantFields(t, err, "environment")
	if _, err := s.AuditEvents(t.Context(), testing, someOrg, tokens.AuditQuery{},
		tokens.Page{Number: 1, Size: 1}); !errors.Is(err, tokens.ErrForbidden) {
		t.Errorf("it reads the audit log: %v", err)
	}
}

// TestATokenIsBoundByItsOwnersRole, whatever it was granted.
func TestATokenIsBoundByItsOwnersRole(t *testing.T) {
	t.Parallel()
	as := func(role tokens.Role) tokens.Owner { return tokens.Owner{ID: "usr_1", Role: role} }
	for name, c := range map[string]struct {
		owner   tokens.Owner
		granted []tokens.Permission
		want    string
	}{
		"the organization": {
			tokens.Owner{},
			[]tokens.Permission{"shipments:write", "future:write"},
			"future:write shipments:read shipments:write",
		},
		"an admin": {
			as(tokens.RoleAdmin), []tokens.Permission{"shipments:review", "future:read"}, "future:read shipments:review",
		},
		"a member": {
			as(tokens.RoleMember),
			[]tokens.Permission{tokens.Admin},
			"documents:read documents:write shipments:read shipments:write",
		},
		"a member, reviews": {
			as(tokens.RoleMember), []tokens.Permission{"shipments:review", "shipments:read"}, "shipments:read",
		},
		"an auditor":         {as(tokens.RoleAuditor), []tokens.Permission{tokens.Admin}, ""},
		"no longer a member": {as(""), []tokens.Permission{tokens.Admin}, ""},
	} {
		token := tokens.Token{Owner: c.owner, Permissions: c.granted}
		if got := strings.Join(tokens.Texts(catalogue.Effective(token)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
