package tokens_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestReportsAreMerged into one use for each token and hour; times of the future are not believed.
func TestReportsAreMerged(t *testing.T) {
	t.Parallel()
	repo := newMemory()
	s, now := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
	const one, two tokens.TokenID = "tok_000000000001", "tok_000000000002"
	here := netip.MustParseAddr("192.0.2.1")
	*now = now.Truncate(time.Hour).Add(30 * time.Minute)
	at := func(ago time.Duration) time.Time { return now.Add(-ago) }
	err := s.RecordUsage(t.Context(), []tokens.Use{
		{Token: two, Requests: 1, LastUsedAt: at(-5 * time.Hour)},
		{Token: one, Requests: 5, LastUsedAt: at(24 * time.Hour), Address: here},
		{
			Token: one, Requests: 7, Refused: 1, LastUsedAt: at(time.Minute), Address: netip.MustParseAddr("::ffff:192.0.2.1"),
		},
		{Token: one, Requests: 2, Refused: 2, LastUsedAt: at(2 * time.Minute)}, // the same hour, and before
	})
	want := []tokens.Use{
		{Token: one, Requests: 5, LastUsedAt: at(24 * time.Hour), Address: here},
		{Token: one, Requests: 9, Refused: 3, LastUsedAt: at(time.Minute), Address: here},
		{Token: two, Requests: 1, LastUsedAt: *now},
	}
	if err != nil || !slices.Equal(repo.usage, want) {
		t.Errorf("%+v, %v; want %+v", repo.usage, err, want)
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
