package tokens_test

import (
	"errors"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// alter changes a stored token beside the service.
func (m *memory) alter(id tokens.TokenID, change func(*tokens.Token)) {
	t := m.tokens[id]
	change(&t)
	m.tokens[id] = t
}

func moreRights(t *tokens.Token) { t.Permissions = []tokens.Permission{tokens.Admin} }

// TestAnAlteredTokenIsRefused, even with the right secret, without a
// reason.
func TestAnAlteredTokenIsRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*tokens.Token){
		"more rights": moreRights,
		"no MAC":      func(t *tokens.Token) { t.Bounds = tokens.Digest{} },
		"both":        func(t *tokens.Token) { moreRights(t); t.Bounds = tokens.Digest{} },
	} {
		repo := newMemory()
		s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
		token, secret := create(t, s)
		repo.alter(token.ID, change)
		if found := introspect(t, s, secret); found.Outcome != tokens.OutcomeAltered || found.Reason() != "" || found.Token.ID != "" {
			t.Errorf("%s: %+v", name, found)
		}
		if found := introspect(t, s, withIDOf(t, secret)); found.Outcome != tokens.OutcomeMismatch {
			t.Errorf("%s, with another secret: %s", name, found.Outcome)
		}
	}
}

// TestAnAlterationIsNotSealedByAChange: only revoking goes on, and after it the
// token is revoked.
func TestAnAlterationIsNotSealedByAChange(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	token, secret := create(t, s)
	repo.alter(token.ID, moreRights)
	name := "renamed"
	_, updated := s.UpdateToken(t.Context(), tokens.Operator(), repotest.Org, token.ID, tokens.Patch{Name: &name})
	_, rotated := s.RotateToken(t.Context(), tokens.Operator(), repotest.Org, token.ID, time.Hour)
	for what, err := range map[string]error{"update": updated, "rotate": rotated} {
		if altered, ok := errors.AsType[*tokens.BoundsError](err); !ok || altered.ID != token.ID {
			t.Errorf("%s: %v", what, err)
		}
	}
	if found := introspect(t, s, secret); found.Outcome != tokens.OutcomeAltered {
		t.Errorf("after refused changes: %s", found.Outcome)
	}
	if _, err := s.RevokeToken(t.Context(), tokens.Operator(), repotest.Org, token.ID, "altered"); err != nil {
		t.Fatal(err)
	}
	if found := introspect(t, s, secret); found.Outcome != tokens.OutcomeRevoked {
		t.Errorf("revoked: %s", found.Outcome)
	}
}

// TestEveryChangeSealsTheBounds, those of a successor, too.
func TestEveryChangeSealsTheBounds(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	token, secret := create(t, s)
	active := func(what string, presented tokens.Secret) {
		t.Helper()
		if found := introspect(t, s, presented); found.Outcome != tokens.OutcomeActive {
			t.Errorf("%s: %s", what, found.Outcome)
		}
	}
	active("created", secret)
	name, permissions := "renamed", []string{"documents:read"}
	if _, err := s.UpdateToken(t.Context(), tokens.Operator(), repotest.Org, token.ID, tokens.Patch{Name: &name, Permissions: &permissions}); err != nil {
		t.Fatal(err)
	}
	active("updated", secret)
	done, err := s.RotateToken(t.Context(), tokens.Operator(), repotest.Org, token.ID, 1500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	active("rotated", secret)
	active("the successor", done.Secret)
}

// TestOldTokensAreSealedOnce: they are good meanwhile, and then as others are.
func TestOldTokensAreSealedOnce(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	during, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1), SealOld: true})
	token, secret := create(t, during)
	_, other := create(t, during)
	repo.alter(token.ID, func(t *tokens.Token) { t.Bounds = tokens.Digest{} })
	if found := introspect(t, during, secret); found.Outcome != tokens.OutcomeActive {
		t.Errorf("before it is sealed: %s", found.Outcome)
	}
	for want := 1; want >= 0; want-- {
		if n, err := during.SealOldTokens(t.Context()); n != want || err != nil {
			t.Errorf("%d sealed, %v; want %d", n, err, want)
		}
	}
	after, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	for _, s := range []tokens.Secret{secret, other} {
		if found := introspect(t, after, s); found.Outcome != tokens.OutcomeActive {
			t.Errorf("after: %s", found.Outcome)
		}
	}
	repo.alter(token.ID, moreRights)
	if found := introspect(t, during, secret); found.Outcome != tokens.OutcomeAltered {
		t.Errorf("altered, although old tokens are accepted: %s", found.Outcome)
	}
}
