package tokens_test

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestRotationCreatesASuccessor: it is the same in all but its secret, and both work until the overlap is over.
func TestRotationCreatesASuccessor(t *testing.T) {
	t.Parallel()
	s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	anna := person("usr_1", tokens.RoleMember)
	old, oldSecret, err := s.CreateToken(t.Context(), anna, someOrg, tokens.Draft{
		Name: "ERP", Environment: tokens.Test, Permissions: []string{"shipments:write"},
		IPAllow:   []string{"192.0.2.0/24"},
		RateLimit: tokens.RateLimit{Limit: 10, WindowSeconds: 60}, ExpiresAt: now.Add(90 * 24 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	*now = now.Add(80 * 24 * time.Hour)
	done, err := s.RotateToken(t.Context(), tokens.Operator(), someOrg, old.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	next := done.Token
	if next.ID == old.ID || next.ID != done.Secret.ID() || next.RotatedFrom != old.ID ||
		done.Previous.RotatedTo != next.ID {
		t.Errorf("not linked: %s → %s", old.ID, next.ID)
	}
	if next.Name != old.Name || next.Environment != old.Environment || !slices.Equal(next.Permissions,
		old.Permissions) ||
		!slices.Equal(next.IPAllow, []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}) ||
		next.RateLimit != old.RateLimit ||
		next.CreatedBy != old.CreatedBy || next.Organization != old.Organization {
		t.Errorf("the successor is %+v", next)
	}
	if !next.CreatedAt.Equal(*now) || !next.ExpiresAt.Equal(now.Add(90*24*time.Hour)) {
		t.Errorf("it lasts from %s to %s", next.CreatedAt, next.ExpiresAt)
	}
	if end := done.Previous.ExpiresAt; !end.Equal(now.Add(time.Hour)) || !done.Previous.Expiring(*now) {
		t.Errorf("the old one ends %s", end)
	}
	for _, secret := range []tokens.Secret{oldSecret, done.Secret} {
		if found := introspect(t, s, secret); found.Outcome != tokens.OutcomeActive {
			t.Errorf("during the overlap %s is %s", secret, found.Outcome)
		}
	}
	*now = now.Add(time.Hour)
	if found := introspect(t, s, oldSecret); found.Outcome != tokens.OutcomeExpired ||
		found.Token.RotatedTo != next.ID {
		t.Errorf("after the overlap the old one is %+v", found)
	}
	if found := introspect(t, s, done.Secret); found.Outcome != tokens.OutcomeActive {
		t.Errorf("after the overlap the new one is %s", found.Outcome)
	}
	if !anna.MayChange(next) {
		t.Error("its maker lost it")
	}
}

func TestTheOldTokenEndsAtTheEarlierOfItsEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lives, grace, want time.Duration }{
		"at once":            {time.Hour, 0, 0},
		"after the overlap":  {48 * time.Hour, tokens.DefaultGrace, 24 * time.Hour},
		"at its own end":     {time.Hour, tokens.MaxGrace, time.Hour},
		"without an own end": {0, tokens.MaxGrace, tokens.MaxGrace},
		"without, at once":   {0, 0, 0},
		"after a second":     {time.Hour, time.Second + time.Millisecond, time.Second},
	} {
		s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
		d := tokens.Draft{Name: "ERP", Permissions: []string{"shipments:read"}}
		if c.lives > 0 {
			d.ExpiresAt = now.Add(c.lives)
		}
		old, _, err := s.CreateToken(t.Context(), tokens.Operator(), someOrg, d)
		if err != nil {
			t.Fatal(err)
		}
		done, err := s.RotateToken(t.Context(), tokens.Operator(), someOrg, old.ID, c.grace)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := done.Previous.ExpiresAt.Sub(*now); got != c.want {
			t.Errorf("%s: after %s, want %s", name, got, c.want)
		}
		if done.Token.ExpiresAt.IsZero() != (c.lives == 0) {
			t.Errorf("%s: the successor ends %s", name, done.Token.ExpiresAt)
		}
	}
}

func TestOnlyAGoodTokenIsRotatedAndOnce(t *testing.T) {
	t.Parallel()
	s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	rotate := func(id tokens.TokenID) error {
		_, err := s.RotateToken(t.Context(), tokens.Operator(), someOrg, id, time.Minute)
		return err
	}
	rotated, _ := create(t, s)
	done, err := s.RotateToken(t.Context(), tokens.Operator(), someOrg, rotated.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	revoked, _ := create(t, s)
	if _, err := s.RevokeToken(t.Context(), tokens.Operator(), someOrg, revoked.ID, "", false); err != nil {
		t.Fatal(err)
	}
	wantState(t, rotate(rotated.ID), tokens.StateError{
		ID:     rotated.ID,
		Status: tokens.StatusActive, Successor: done.Token.ID,
	})
	wantState(t, rotate(revoked.ID), tokens.StateError{ID: revoked.ID, Status: tokens.StatusRevoked})
	name := "new"
	_, err = s.UpdateToken(t.Context(), tokens.Operator(), someOrg, rotated.ID, tokens.Patch{Name: &name})
	wantState(t, err, tokens.StateError{ID: rotated.ID, Status: tokens.StatusActive, Successor: done.Token.ID})

	*now = done.Token.ExpiresAt
	wantState(t, rotate(rotated.ID), tokens.StateError{
		ID:     rotated.ID,
		Status: tokens.StatusExpired, Successor: done.Token.ID,
	})
	wantState(t, rotate(done.Token.ID), tokens.StateError{ID: done.Token.ID, Status: tokens.StatusExpired})
	if err := rotate("tok_000000000000"); !errors.Is(err, tokens.ErrNotFound) {
		t.Errorf("%v", err)
	}
	for _, grace := range []time.Duration{-1, tokens.MaxGrace + 1} {
		_, err := s.RotateToken(t.Context(), tokens.Operator(), someOrg, rotated.ID, grace)
		wantFields(t, err, "grace_seconds")
	}
}

func wantState(t *testing.T, err error, want tokens.StateError) {
	t.Helper()
	if got, ok := errors.AsType[*tokens.StateError](err); !ok || *got != want {
		t.Errorf("%v, want %v", err, &want)
	}
}

// TestActiveTokensHaveAMaximum, to which those that have ended do not count, and which a
// rotation without overlap does not exceed.
func TestActiveTokensHaveAMaximum(t *testing.T) {
	t.Parallel()
	s, _ := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1), MaxActive: 1})
	first, _ := create(t, s)
	_, _, err := s.CreateToken(t.Context(), tokens.Operator(), someOrg,
		tokens.Draft{Name: "WMS", Permissions: []string{"shipments:read"}})
	if tooMany, ok := errors.AsType[*tokens.TooManyError](err); !ok || tooMany.Max != 1 {
		t.Errorf("a second token: %v", err)
	}
	_, err = s.RotateToken(t.Context(), tokens.Operator(), someOrg, first.ID, time.Minute)
	if _, ok := errors.AsType[*tokens.TooManyError](err); !ok {
		t.Errorf("a rotation with an overlap: %v", err)
	}
	if _, err = s.RotateToken(t.Context(), tokens.Operator(), someOrg, first.ID, 0); err != nil {
		t.Errorf("a rotation without overlap: %v", err)
	}
}

// TestATokenEndsAtAWholeSecond, because gateways learn no other end: so what is
// shown is what is enforced. No rotation takes anything off the lifetime.
func TestATokenEndsAtAWholeSecond(t *testing.T) {
	t.Parallel()
	s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	*now = now.Add(123 * time.Millisecond)
	old, _, err := s.CreateToken(t.Context(), tokens.Operator(), someOrg, tokens.Draft{
		Name: "ERP", Permissions: []string{"shipments:read"}, ExpiresAt: now.Add(time.Hour),
	})
	if want := now.Add(time.Hour).Truncate(time.Second); err != nil || old.ExpiresAt != want ||
		old.ExpiresAt.Equal(now.Add(time.Hour)) {
		t.Fatalf("ends %s, want %s; %v", old.ExpiresAt, want, err)
	}
	for range 3 {
		*now = now.Add(time.Minute + 900*time.Millisecond)
		done, err := s.RotateToken(t.Context(), tokens.Operator(), someOrg, old.ID, 30*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		second := now.Truncate(time.Second)
		if old = done.Token; old.ExpiresAt != second.Add(time.Hour) || done.Previous.ExpiresAt != second.Add(30*time.Second) {
			t.Errorf("at %s: ends %s, its predecessor %s", now, old.ExpiresAt, done.Previous.ExpiresAt)
		}
	}
	later := now.Add(2*time.Hour + time.Millisecond)
	changed, err := s.UpdateToken(t.Context(), tokens.Operator(), someOrg, old.ID, tokens.Patch{ExpiresAt: &later})
	if want := later.Truncate(time.Second); err != nil || changed.ExpiresAt != want {
		t.Errorf("ends %s, want %s; %v", changed.ExpiresAt, want, err)
	}
	soon := now.Truncate(time.Second).Add(999 * time.Millisecond)
	_, err = s.UpdateToken(t.Context(), tokens.Operator(), someOrg, old.ID, tokens.Patch{ExpiresAt: &soon})
	wantFields(t, err, "expires_at")
}
