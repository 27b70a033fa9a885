package tokens_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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
	if err != nil || !slices.Equal(repo.usage, []tokens.Use{use}) {
		t.Errorf("%+v, %v", repo.usage, err)
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
		err.Error() != "must be one of active, expiring, expired, revoked, all" {
		t.Errorf("%v", err)
	}
}
