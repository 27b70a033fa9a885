package tokens_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// TestUsageIsReturnedByHour for the last 24, however far back the last use is.
func TestUsageIsReturnedByHour(t *testing.T) {
	t.Parallel()
	s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	busy, _ := create(t, s)
	idle, _ := create(t, s)
	dormant, _ := create(t, s)
	here := netip.MustParseAddr("192.0.2.1")
	*now = now.Truncate(time.Hour).Add(30 * time.Minute)
	err := s.RecordUsage(t.Context(), []tokens.Use{
		{Token: busy.ID, Requests: 5, LastUsedAt: now.Add(-24 * time.Hour), Address: here}, // one hour too old
		{
			Token: busy.ID, Requests: 7, Refused: 1, LastUsedAt: now.Add(-time.Minute),
			Address: netip.MustParseAddr("::ffff:192.0.2.1"),
		},
		{Token: busy.ID, Requests: 1, LastUsedAt: now.Add(-23 * time.Hour)},
		{Token: busy.ID, Requests: 2, Refused: 2, LastUsedAt: now.Add(-2 * time.Minute)}, // the same hour, and before
		{Token: dormant.ID, Requests: 9, LastUsedAt: now.Add(-1000 * time.Hour)},
	})
	if err != nil {
		t.Fatal(err)
	}
	usage, err := s.Usage(t.Context(), repotest.Org, busy.ID, idle.ID, dormant.ID)
	if err != nil {
		t.Fatal(err)
	}
	u := usage[busy.ID]
	if !u.LastUsedAt.Equal(now.Add(-time.Minute)) || u.LastUsedFrom != here || u.Requests() != 10 || u.Refused() != 3 {
		t.Errorf("%+v", u)
	}
	if len(u.Hours) != 24 || u.Hours[23] != (tokens.Hour{Requests: 9, Refused: 3}) || u.Hours[0].Requests != 1 {
		t.Errorf("hours %+v", u.Hours)
	}
	if u := usage[idle.ID]; !u.LastUsedAt.IsZero() || u.Requests() != 0 || len(u.Hours) != 24 {
		t.Errorf("idle: %+v", u)
	}
	if u := usage[dormant.ID]; !u.LastUsedAt.Equal(now.Add(-1000*time.Hour)) || u.Requests() != 0 {
		t.Errorf("dormant: %+v", u)
	}
}

func TestFutureTimesOfGatewaysAreClamped(t *testing.T) {
	t.Parallel()
	s, now := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	token, _ := create(t, s)
	if err := s.RecordUsage(t.Context(), []tokens.Use{{
		Token: token.ID, Requests: 1,
		LastUsedAt: now.Add(5 * time.Hour),
	}}); err != nil {
		t.Fatal(err)
	}
	usage, err := s.Usage(t.Context(), repotest.Org, token.ID)
	if u := usage[token.ID]; err != nil || !u.LastUsedAt.Equal(*now) || u.Hours[23].Requests != 1 {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]tokens.Filter{
		"": tokens.FilterAll, "all": tokens.FilterAll, "active": tokens.FilterActive, "expiring": tokens.FilterExpiring,
		"expired": tokens.FilterExpired, "revoked": tokens.FilterRevoked,
	} {
		if got, err := tokens.ParseFilter(text); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := tokens.ParseFilter("Active"); err == nil ||
		err.Error() != "must be one of active, expiring, expired, revoked" {
		t.Errorf("%v", err)
	}
}
