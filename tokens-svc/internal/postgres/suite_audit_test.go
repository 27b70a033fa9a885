package postgres_test

import (
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func auditComesBack(t *testing.T, repo *postgres.Repository) {
	token, _ := add(t, repo, 0)
	gives(t, revoke(t, repo, someOrg, token.ID, atNoon, ""), nil)
	gives(t, revoke(t, repo, someOrg, token.ID, atNoon, ""), nil)
	found, err := repo.AuditEvents(t.Context(), someOrg, tokens.AuditQuery{},
		tokens.Page{Number: 1, Size: 10})
	gives(t, err, nil)
	equal(t, found.Total, 3)
	var want audit.Head
	want.Log = string(someOrg)
	for i, e := range []audit.Entry{
		fullEntry(audit.OrganizationCreated, string(someOrg)),
		fullEntry(audit.TokenCreated, string(token.ID)),
		fullEntry(audit.TokenRevoked, string(token.ID)),
	} {
		event := want.Append(e)
		want = event.Head()
		equal(t, found.Events[found.Total-1-i], event)
	}
	head, err := repo.VerifyAudit(t.Context(), string(someOrg))
	gives(t, err, nil)
	equal(t, head, want)
}

func auditComesInPages(t *testing.T, repo *postgres.Repository) {
	for range 4 {
		add(t, repo, 0)
	}
	for page, want := range map[int][]int64{1: {5, 4}, 2: {3, 2}, 3: {1}, 4: nil} {
		found, err := repo.AuditEvents(t.Context(), someOrg, tokens.AuditQuery{},
			tokens.Page{Number: page, Size: 2})
		gives(t, err, nil)
		equal(t, found.Total, 5)
		var got []int64
		for _, e := range found.Events {
			got = append(got, e.Sequence)
		}
		equal(t, got, want)
	}
	_, err := repo.AuditEvents(t.Context(), unknown, tokens.AuditQuery{}, tokens.Page{Number: 1, Size: 2})
	gives(t, err, tokens.ErrNotFound)
	_, err = repo.VerifyAudit(t.Context(), string(unknown))
	gives(t, err, tokens.ErrNotFound)
}

func auditIsFiltered(t *testing.T, repo *postgres.Repository) {
	token, _ := add(t, repo, 0)
	gives(t, revoke(t, repo, someOrg, token.ID, atNoon, ""), nil)
	for _, c := range []struct {
		tokens.AuditQuery
		want []int64
	}{
		{tokens.AuditQuery{}, []int64{3, 2, 1}},
		{tokens.AuditQuery{Text: "REVOKED token"}, []int64{3}},
		{tokens.AuditQuery{Text: "ANNA@ krak"}, []int64{3, 2, 1}},
		{tokens.AuditQuery{Text: "bert"}, nil},
		{tokens.AuditQuery{Text: string(token.ID)}, []int64{3, 2}},
		{tokens.AuditQuery{Text: `"KRAKÓW"`}, []int64{3, 2, 1}},
		{tokens.AuditQuery{Action: audit.TokenCreated, Actor: "ANNA@", From: atNoon}, []int64{2}},
		{tokens.AuditQuery{Actor: "bert"}, nil},
		{tokens.AuditQuery{Before: atNoon}, nil},
		{tokens.AuditQuery{From: atNoon, Before: atNoon.Add(1e6)}, []int64{3, 2, 1}},
	} {
		found, err := repo.AuditEvents(t.Context(), someOrg, c.AuditQuery, tokens.Page{Number: 1, Size: 2})
		gives(t, err, nil)
		equal(t, found.Total, len(c.want))
		equal(t, len(found.Events), min(2, len(c.want)))
		for i, e := range found.Events {
			equal(t, e.Sequence, c.want[i])
		}
		c.After = new(int64)
		found, err = repo.AuditEvents(t.Context(), someOrg, c.AuditQuery, tokens.Page{Size: 10})
		gives(t, err, nil)
		equal(t, len(found.Events), len(c.want))
	}
}
