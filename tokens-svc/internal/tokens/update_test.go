package tokens_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestAPatchChangesWhatItNames and tells the audit log of the difference.
func TestAPatchChangesWhatItNames(t *testing.T) {
	t.Parallel()
	never := time.Time{}
	later := atNoon.Truncate(time.Second).Add(24 * time.Hour)
	name, same := " WMS ", "ERP"
	for title, c := range map[string]struct {
		patch   tokens.Patch
		details audit.Details
	}{
		"nothing":           {tokens.Patch{}, nil},
		"the same name":     {tokens.Patch{Name: &same}, nil},
		"the same, ordered": {tokens.Patch{Permissions: &[]string{"shipments:read", "shipments:read"}}, nil},
		"name":              {tokens.Patch{Name: &name}, audit.Details{"name": "WMS", "name_before": "ERP"}},
		"permissions": {tokens.Patch{Permissions: &[]string{"documents:read", "admin"}}, audit.Details{
			"permissions": "admin documents:read", "permissions_before": "shipments:read",
		}},
		"addresses": {tokens.Patch{IPAllow: &[]string{"192.0.2.7", "2001:db8::/32"}}, audit.Details{
			"ip_allow": "192.0.2.7/32 2001:db8::/32", "ip_allow_before": "anywhere",
		}},
		"limit": {tokens.Patch{RateLimit: &tokens.RateLimit{Limit: 5}}, audit.Details{
			"rate_limit": "5 in 60 s", "rate_limit_before": "100 in 60 s",
		}},
		"later end": {tokens.Patch{ExpiresAt: &later}, audit.Details{
			"expires_at": "2026-11-21T12:00:00.000Z", "expires_at_before": "2026-11-20T13:00:00.000Z",
		}},
		"no end": {tokens.Patch{ExpiresAt: &never}, audit.Details{
			"expires_at": "never", "expires_at_before": "2026-11-20T13:00:00.000Z",
		}},
	} {
		repo := newMemory()
		s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
		before, _ := create(t, s)
		after, err := s.UpdateToken(t.Context(), person("usr_1", tokens.RoleAdmin), someOrg, before.ID, c.patch)
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		stored, err := s.Token(t.Context(), someOrg, before.ID)
		if err != nil || stored.Revision != after.Revision || stored.Name != after.Name {
			t.Errorf("%s: stored is %+v, %v", title, stored, err)
		}
		log := repo.events[someOrg]
		last := log[len(log)-1]
		if c.details == nil {
			if after.Revision != before.Revision || last.Action != audit.TokenCreated {
				t.Errorf("%s leaves a trace: %+v", title, last)
			}
			continue
		}
		c.details["name"] = after.Name
		if diff := cmp.Diff(c.details, last.Details); diff != "" ||
			last.Action != audit.TokenUpdated || last.Actor.ID != "usr_1" {
			t.Errorf("%s: %s by %s: %s", title, last.Action, last.Actor.ID, diff)
		}
		if after.Revision != before.Revision+1 || repo.changes[after.Revision-1].Kind != tokens.Updated {
			t.Errorf("%s: revision %d, %v", title, after.Revision, repo.changes)
		}
	}
}

// TestATokenIsWidenedByThoseWhoMayCreateIt: what it becomes good for counts, not what the patch names. Narrowing it
// needs no such right.
func TestATokenIsWidenedByThoseWhoMayCreateIt(t *testing.T) {
	t.Parallel()
	s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	policy := tokens.Policy{OwnersGrantAdmin: true}
	owner, admin := person("usr_1", tokens.RoleOwner).Under(policy), person("usr_2", tokens.RoleAdmin).Under(policy)
	never, later, sooner := time.Time{}, now.Add(2*time.Hour), now.Add(time.Minute)
	for name, tt := range map[string]struct {
		patch  tokens.Patch
		widens bool
	}{
		"no end":         {tokens.Patch{ExpiresAt: &never}, true},
		"a later end":    {tokens.Patch{ExpiresAt: &later}, true},
		"an earlier end": {tokens.Patch{ExpiresAt: &sooner}, false},
		"anywhere":       {tokens.Patch{IPAllow: &[]string{}}, true},
		"more addresses": {tokens.Patch{IPAllow: &[]string{"192.0.2.0/24"}}, true},
		"one address":    {tokens.Patch{IPAllow: &[]string{"192.0.2.1"}}, false},
		"organization":   {tokens.Patch{OfOrganization: true}, true},
		"fewer":          {tokens.Patch{Permissions: &[]string{"shipments:read"}}, false},
		"another name":   {tokens.Patch{Name: new("glass")}, false},
	} {
		token, _, err := s.CreateToken(t.Context(), owner, someOrg, tokens.Draft{
			Name: "break glass", Permissions: []string{"admin"}, IPAllow: []string{"192.0.2.0/28"},
			ExpiresAt: now.Add(time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.UpdateToken(t.Context(), admin, someOrg, token.ID, tt.patch)
		if tt.widens {
			wantFields(t, err, "permissions")
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.UpdateToken(t.Context(), owner, someOrg, token.ID, tt.patch); err != nil {
			t.Errorf("%s, by an owner: %v", name, err)
		}
	}
}

func TestAllFaultsOfAPatchAreReported(t *testing.T) {
	t.Parallel()
	s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	token, _ := create(t, s)
	empty, past := "", *now
	_, err := s.UpdateToken(t.Context(), tokens.Operator(), someOrg, token.ID, tokens.Patch{
		Name: &empty, Permissions: &[]string{}, IPAllow: &[]string{"10.0.0.0/8", "here"},
		RateLimit: &tokens.RateLimit{Limit: -1}, ExpiresAt: &past,
	})
	wantFields(t, err, "name", "permissions", "ip_allow", "limit", "expires_at")
}

// TestEveryChangeIsInTheAuditLog with who did it, and none of it is secret.
func TestEveryChangeIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	token, _ := create(t, s)
	principal := bearer("tok_000000000009", tokens.Admin)
	done, err := s.RotateToken(t.Context(), principal, someOrg, token.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RevokeToken(t.Context(), principal, someOrg, token.ID, "lost", false); err != nil {
		t.Fatal(err)
	}
	found, err := s.AuditEvents(t.Context(), principal, someOrg, tokens.AuditQuery{},
		tokens.Page{Number: 1, Size: 2})
	if err != nil || found.Total != 4 {
		t.Fatalf("%+v, %v", found, err)
	}
	slices.Reverse(found.Events)
	want := []map[string]string{
		{
			"name": "ERP", "successor": string(done.Token.ID), "ends_at": "2026-11-20T12:01:00.000Z",
			"successor_ends_at": "2026-11-20T13:00:00.000Z",
		},
		{"name": "ERP", "reason": "lost"},
	}
	for i, action := range []audit.Action{audit.TokenRotated, audit.TokenRevoked} {
		e := found.Events[i]
		if e.Action != action || e.Actor != principal.Actor || e.Target != string(token.ID) ||
			!e.At.Equal(atNoon.Truncate(time.Second)) || !maps.Equal(e.Details, want[i]) {
			t.Errorf("%+v, want %s %v", e, action, want[i])
		}
	}
}

// TestTheLengthOfAWindowStays, because gateways count windows of each length apart:
// another length begins with an unused window.
func TestTheLengthOfAWindowStays(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, _ := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	token, _ := create(t, s)
	admin, _, err := s.CreateToken(ctx, tokens.Operator(), someOrg,
		tokens.Draft{Name: "admin", Permissions: []string{"admin"}})
	if err != nil {
		t.Fatal(err)
	}
	bearer := catalogue.Bearer(audit.Actor{Kind: audit.Token, ID: string(admin.ID)}, admin, admin.Permissions)
	for name, who := range map[string]tokens.Principal{
		"a person": person("usr_1", tokens.RoleOwner),
		"a token":  bearer,
	} {
		for _, c := range []struct {
			limit   tokens.RateLimit
			refused bool
		}{
			{tokens.RateLimit{Limit: 99, WindowSeconds: 60}, false},
			{tokens.RateLimit{Limit: 98}, false},
			{tokens.DefaultRateLimit, false},
			{tokens.RateLimit{Limit: 100, WindowSeconds: 61}, true},
			{tokens.RateLimit{WindowSeconds: 86_400}, true},
		} {
			_, err := s.UpdateToken(ctx, who, someOrg, token.ID, tokens.Patch{RateLimit: &c.limit})
			invalid, _ := errors.AsType[*tokens.ValidationError](err)
			if c.refused != (invalid != nil && invalid.Fields[0].Field == "window_seconds") || !c.refused &&
				err != nil {
				t.Errorf("%s, %v: %v", name, c.limit, err)
			}
		}
	}
}
