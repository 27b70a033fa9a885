package tokens_test

import (
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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
