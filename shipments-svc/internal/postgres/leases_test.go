package postgres

import (
	"context"
	"errors"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// TestConcurrentRequestsWithOneKeyTakeEffectOnce: by its holder, or by the one that has it when the
// holder died; never by both.
func TestConcurrentRequestsWithOneKeyTakeEffectOnce(t *testing.T) {
	t.Parallel()
	r, all := newTest(t)
	org, ctx := repotest.Org(), t.Context()
	done := 0
	do := func(context.Context) ([]byte, error) {
		done++
		return []byte("a"), nil
	}
	holder := func(lease byte) shipments.Key {
		return shipments.Key{Operation: "POST /", Text: "k", Lease: shipments.Lease{lease}}
	}
	reserve := func(k shipments.Key, want error, replayed bool) {
		t.Helper()
		if _, again, err := r.Reserve(ctx, org, k, repotest.Noon); !errors.Is(err, want) || again != replayed {
			t.Fatalf("%v, replayed %t; want %v, %t", err, again, want, replayed)
		}
	}
	reserve(holder(1), nil, false)
	reserve(holder(2), shipments.ErrKeyInProgress, false)
	if err := r.Free(ctx, org, holder(2)); err != nil {
		t.Fatal(err)
	}
	reserve(holder(2), shipments.ErrKeyInProgress, false) // one frees only its own
	if err := r.Free(ctx, org, holder(1)); err != nil {
		t.Fatal(err)
	}
	reserve(holder(2), nil, false)
	exec(t, all, `UPDATE idempotency_leases SET ends_at = now()`) // as when its holder died long ago
	reserve(holder(3), nil, false)
	for i, lease := range []byte{3, 2} { // and then the dead one goes on
		answer, replayed, err := r.Once(ctx, org, holder(lease), repotest.Noon, do)
		if err != nil || string(answer) != "a" || replayed != (i == 1) || done != 1 {
			t.Errorf("%d: %q, replayed %t, done %d times (%v)", lease, answer, replayed, done, err)
		}
	}
	reserve(holder(4), nil, true)
	var left int
	if err := all.GetContext(ctx, &left, `SELECT count(*) FROM idempotency_leases`); err != nil || left != 0 {
		t.Errorf("%d leases are left (%v)", left, err)
	}
}

// TestExpiredLeasesAreRemoved when the organization leases another key.
func TestExpiredLeasesAreRemoved(t *testing.T) {
	t.Parallel()
	r, all := newTest(t)
	org := repotest.Org()
	for _, text := range []string{"a", "b", "c"} {
		if _, _, err := r.Reserve(t.Context(), org, shipments.Key{Text: text, Lease: shipments.Lease{1}}, repotest.Noon); err != nil {
			t.Fatal(err)
		}
		exec(t, all, `UPDATE idempotency_leases SET ends_at = now() WHERE key <> 'c'`)
	}
	var left string
	if err := all.GetContext(t.Context(), &left, `SELECT string_agg(key, ' ') FROM idempotency_leases`); err != nil || left != "c" {
		t.Errorf("%q are left (%v)", left, err)
	}
}
