package tokens_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// peppers returns one for each version, newest first.
func peppers(tb testing.TB, versions ...int) tokens.Peppers {
	tb.Helper()
	var entries []string
	for _, v := range versions {
		key := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(rune('a'+v)), 32)))
		entries = append(entries, fmt.Sprintf("%d:%s", v, key))
	}
	p, err := tokens.ParsePeppers(strings.Join(entries, ","))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// newService returns a service over repo, in which there is someOrg, with a clock that the test sets.
func newService(t *testing.T, repo tokens.Repository, c tokens.Config) (*tokens.Service, *time.Time) {
	t.Helper()
	now := atNoon.Truncate(time.Second)
	c.Now = func() time.Time { return now }
	s := tokens.NewService(repo, c)
	if _, err := s.CreateOrganization(t.Context(), tokens.Operator(), someOrg, "Acme Citrus"); err != nil &&
		!errors.Is(err, tokens.ErrExists) {
		t.Fatal(err)
	}
	return s, &now
}

func create(t *testing.T, s *tokens.Service) (tokens.Token, tokens.Secret) {
	t.Helper()
	token, secret, err := s.CreateToken(t.Context(), tokens.Operator(), someOrg, tokens.Draft{
		Name: "ERP", Permissions: []string{"shipments:read"}, ExpiresAt: atNoon.Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	return token, secret
}

func introspect(t *testing.T, s *tokens.Service, presented tokens.Secret) tokens.Introspection {
	t.Helper()
	found, err := s.Introspect(t.Context(), presented)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestReasonNeedsTheRightSecret: to everybody else all refusals look alike, and carry nothing of the token.
func TestReasonNeedsTheRightSecret(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	token, secret := create(t, s)
	if _, err := s.RevokeToken(t.Context(), tokens.Operator(), someOrg, token.ID, "", false); err != nil {
		t.Fatal(err)
	}
	_, unknown, err := tokens.NewService(repo, tokens.Config{Peppers: peppers(t, 1)}).
		CreateToken(t.Context(), tokens.Operator(), someOrg, tokens.Draft{Name: "lost", Permissions: []string{"admin"}})
	if err != nil {
		t.Fatal(err)
	}
	delete(repo.tokens, unknown.ID())

	for name, c := range map[string]struct {
		service   *tokens.Service
		presented tokens.Secret
		want      tokens.Outcome
	}{
		"no token":        {s, tokens.Secret{}, tokens.OutcomeMalformed},
		"unknown id":      {s, unknown, tokens.OutcomeUnknown},
		"wrong secret":    {s, withIDOf(t, secret), tokens.OutcomeMismatch},
		"the right token": {s, secret, tokens.OutcomeRevoked},
	} {
		found := introspect(t, c.service, c.presented)
		if found.Outcome != c.want {
			t.Errorf("%s: %s, want %s", name, found.Outcome, c.want)
		}
		if right := c.want == tokens.OutcomeRevoked; (found.Reason() != "") != right || (found.Token.ID != "") != right {
			t.Errorf("%s: reason %q, token %q", name, found.Reason(), found.Token.ID)
		}
	}
}

// withIDOf returns a well-formed token with the same id and another secret.
func withIDOf(t *testing.T, s tokens.Secret) tokens.Secret {
	t.Helper()
	const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	text := []byte(strings.TrimSuffix(s.String(), "…") + strings.Repeat("x", 32) + "000000")
	sum := crc32.ChecksumIEEE(text[:len(text)-6])
	for i := len(text) - 1; sum > 0; i-- {
		text[i] = base62[sum%62]
		sum /= 62
	}
	other, err := tokens.Parse(string(text))
	if err != nil || other.ID() != s.ID() {
		t.Fatalf("%v, %v", other, err)
	}
	return other
}

func TestNothingIsMadeOfWrongInput(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	good := tokens.Draft{Name: "ERP", Permissions: []string{"shipments:read"}}

	if _, secret, err := s.CreateToken(t.Context(), tokens.Operator(), otherOrg, good); !errors.Is(err,
		tokens.ErrNotFound) || !secret.IsZero() {
		t.Errorf("a token without organization: %v", err)
	}
	if _, _, err := s.CreateToken(t.Context(), tokens.Operator(), someOrg, tokens.Draft{}); !isInvalid(err) {
		t.Errorf("an empty draft: %v", err)
	}
	if _, err := s.CreateOrganization(t.Context(), tokens.Operator(), otherOrg, " "); !isInvalid(err) {
		t.Errorf("an organization without name: %v", err)
	}
	if _, err := s.RevokeToken(t.Context(), tokens.Operator(), someOrg, "tok_000000000000",
		strings.Repeat("x", 201), false); !isInvalid(err) {
		t.Errorf("an endless reason: %v", err)
	}
	if len(repo.tokens) != 0 || len(repo.orgs) != 1 {
		t.Errorf("there are %d tokens and %d organizations", len(repo.tokens), len(repo.orgs))
	}
}

func isInvalid(err error) bool {
	_, ok := errors.AsType[*tokens.ValidationError](err)
	return ok
}

// TestUncheckableTokenIsUnavailableNotInactive: without its pepper a token is
// neither good nor bad, whatever secret is presented.
func TestUncheckableTokenIsUnavailableNotInactive(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	with, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	token, secret := create(t, with)
	without, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 2)})
	for name, presented := range map[string]tokens.Secret{"right": secret, "wrong": withIDOf(t, secret)} {
		found, err := without.Introspect(t.Context(), presented)
		missing, ok := errors.AsType[*tokens.PepperError](err)
		if !ok || *missing != (tokens.PepperError{ID: token.ID, Version: 1}) ||
			!errors.Is(err, tokens.ErrUnavailable) || found.Outcome != "" {
			t.Errorf("the %s secret: %+v, %v", name, found, err)
		}
	}
}

// TestAReplicaWithTheOldPrimaryPepperMovesNoTokenBack while a rolling restart changes it.
func TestAReplicaWithTheOldPrimaryPepperMovesNoTokenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		repo := newMemory()
		before, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
		token, secret := create(t, before)
		oldPrimary, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1, 2)})
		newPrimary, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 2, 1)})
		for _, replica := range []*tokens.Service{oldPrimary, newPrimary, oldPrimary, newPrimary} {
			if found := introspect(t, replica, secret); found.Outcome != tokens.OutcomeActive {
				t.Errorf("during the change: %s", found.Outcome)
			}
			synctest.Wait()
		}
		if got := repo.digests[token.ID].Version; got != 2 {
			t.Errorf("the token is under pepper %d", got)
		}
	})
}

// TestATokenMovesToThePrimaryPepperWhenUsed: the old pepper can be dropped once every token in use has been seen.
func TestATokenMovesToThePrimaryPepperWhenUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		repo := newMemory()
		before, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
		used, secret := create(t, before)
		_, unused := create(t, before)

		during, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 2, 1)})
		for range 3 {
			if found := introspect(t, during, secret); found.Outcome != tokens.OutcomeActive {
				t.Errorf("while it moves: %s", found.Outcome)
			}
		}
		synctest.Wait()
		if got := repo.digests[used.ID].Version; got != 2 {
			t.Errorf("the used token is under pepper %d", got)
		}
		after, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 2)})
		if found := introspect(t, after, secret); found.Outcome != tokens.OutcomeActive {
			t.Errorf("without the old pepper: %s", found.Outcome)
		}
		if found, err := after.Introspect(t.Context(), unused); !errors.Is(err, tokens.ErrUnavailable) ||
			found.Outcome != "" {
			t.Errorf("never used in between: %+v, %v", found, err)
		}
	})
}

func TestOnlyGoodTokensMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		repo := newMemory()
		before, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
		token, secret := create(t, before)
		if _, err := before.RevokeToken(t.Context(), tokens.Operator(), someOrg, token.ID, "", false); err != nil {
			t.Fatal(err)
		}
		during, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 2, 1)})
		introspect(t, during, secret)
		introspect(t, during, withIDOf(t, secret))
		synctest.Wait()
		if got := repo.digests[token.ID].Version; got != 1 {
			t.Errorf("the token is under pepper %d", got)
		}
	})
}

// TestTheCallerIsAuthorizedUnderTheLockOfTheChange: what ended after the request began makes and changes nothing.
func TestTheCallerIsAuthorizedUnderTheLockOfTheChange(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	repo.trusting = false
	s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	admin := tokens.Draft{Name: "ERP", Permissions: []string{"admin"}}
	caller, _, err := s.CreateToken(t.Context(), tokens.Operator(), someOrg, admin)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := create(t, s)
	principal := s.Permissions().Bearer(audit.Actor{Kind: audit.Token, ID: string(caller.ID)},
		caller, s.Permissions().All())
	name := "new"
	changes := map[string]func(tokens.Principal) error{
		"create": func(p tokens.Principal) error {
			_, _, err := s.CreateToken(t.Context(), p, someOrg, admin)
			return err
		},
		"update": func(p tokens.Principal) error {
			_, err := s.UpdateToken(t.Context(), p, someOrg, other.ID, tokens.Patch{Name: &name})
			return err
		},
		"rotate": func(p tokens.Principal) error {
			_, err := s.RotateToken(t.Context(), p, someOrg, other.ID, 0)
			return err
		},
		"revoke": func(p tokens.Principal) error {
			_, err := s.RevokeToken(t.Context(), p, someOrg, other.ID, "", false)
			return err
		},
	}
	reader := []string{"shipments:read"}
	if _, err := s.UpdateToken(t.Context(), tokens.Operator(), someOrg, caller.ID,
		tokens.Patch{Permissions: &reader}); err != nil {
		t.Fatal(err)
	}
	for what, change := range changes {
		if err := change(principal); !errors.Is(err, tokens.ErrForbidden) {
			t.Errorf("%s by a token that lost admin: %v", what, err)
		}
	}
	if _, err := s.RevokeToken(t.Context(), tokens.Operator(), someOrg, caller.ID, "", false); err != nil {
		t.Fatal(err)
	}
	for what, change := range changes {
		if err := change(principal); !errors.Is(err, tokens.ErrInvalidToken) {
			t.Errorf("%s by a revoked token: %v", what, err)
		}
	}
	repo.role = tokens.RoleAuditor // was owner when the request began
	person := s.Permissions().Person(audit.Actor{Kind: audit.User, ID: "usr_1"}, tokens.RoleOwner)
	for what, change := range changes {
		if err := change(person); !errors.Is(err, tokens.ErrForbidden) {
			t.Errorf("%s by a person who is an auditor now: %v", what, err)
		}
	}
}

// TestATokenThatEndedNeedsNoPepper: it is refused like any other.
func TestATokenThatEndedNeedsNoPepper(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	with, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	token, secret := create(t, with)
	if _, err := with.RevokeToken(t.Context(), tokens.Operator(), someOrg, token.ID, "", false); err != nil {
		t.Fatal(err)
	}
	without, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 2)})
	for _, presented := range []tokens.Secret{secret, withIDOf(t, secret)} {
		if found := introspect(t, without, presented); found.Outcome != tokens.OutcomeMismatch {
			t.Errorf("%s", found.Outcome)
		}
	}
}

func TestTimesOfTheFutureAreNow(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	s, now := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	use := tokens.Use{
		Token: "tok_000000000001", Requests: 1, LastUsedAt: now.Add(time.Hour),
		Address: audit.Address{Addr: netip.MustParseAddr("::ffff:192.0.2.1")},
	}
	err := s.RecordUsage(t.Context(), []tokens.Use{use})
	use.LastUsedAt, use.Address = *now, audit.Address{Addr: netip.MustParseAddr("192.0.2.1")}
	if err != nil || !reflect.DeepEqual(repo.usage, []tokens.Use{use}) {
		t.Errorf("%+v, %v", repo.usage, err)
	}
}
