package postgres_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// creating returns what creates one shipment whenever it is done.
func creating(repo shipments.Repository, org shipments.OrgID, answer string) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		return []byte(answer), repo.Create(ctx, org, postgres.NewShipment(shipments.Pending, postgres.Noon), postgres.Someone)
	}
}

var key = shipments.Key{Operation: "POST /x", Text: "k", Fingerprint: [32]byte{1}}

func testOnce(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	for i, want := range []bool{false, true, true} {
		answer, replayed, err := repo.Once(
			t.Context(), org, key, postgres.Noon, creating(repo, org, string(rune('a'+i))+"\x00\xff"),
		)
		check(t, err)
		if string(answer) != "a\x00\xff" || replayed != want {
			t.Errorf("%d: %q, replayed %t", i, answer, replayed)
		}
	}
	other := key
	other.Fingerprint[31]++
	if _, _, err := repo.Once(t.Context(), org, other, postgres.Noon, creating(repo, org, "")); !errors.Is(
		err, shipments.ErrKeyReused,
	) {
		t.Errorf("another request with the key: %v", err)
	}
	if n := total(t, repo, org); n != 1 {
		t.Errorf("%d shipments", n)
	}
}

func testKeys(t *testing.T, repo shipments.Repository) {
	org, theirs := postgres.NewOrg(), postgres.NewOrg()
	operation, text := key, key
	operation.Operation, text.Text = "POST /y", "K"
	operation.Fingerprint[0], text.Fingerprint[0] = 2, 3
	for _, c := range []struct {
		org      shipments.OrgID
		key      shipments.Key
		at       time.Time
		replayed bool
	}{
		{org, key, postgres.Noon, false},
		{theirs, key, postgres.Noon, false},
		{org, operation, postgres.Noon, false},
		{org, text, postgres.Noon, false},
		{org, key, postgres.Noon.Add(shipments.KeyLife - time.Millisecond), true},
		{org, key, postgres.Noon.Add(shipments.KeyLife), false},
		{org, key, postgres.Noon.Add(shipments.KeyLife + time.Hour), true},
		{org, text, postgres.Noon.Add(shipments.KeyLife + time.Hour), false},
		{theirs, key, postgres.Noon.Add(time.Hour), true},
	} {
		_, replayed, err := repo.Once(t.Context(), c.org, c.key, c.at, creating(repo, c.org, "a"))
		check(t, err)
		if replayed != c.replayed {
			t.Errorf("%+v at %s: replayed %t", c.key, c.at, replayed)
		}
	}
	for org, want := range map[shipments.OrgID]int64{org: 5, theirs: 1} {
		if n := total(t, repo, org); n != want {
			t.Errorf("%d shipments, want %d", n, want)
		}
	}
}

func testOnceFailed(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	create := creating(repo, org, "a")
	for _, want := range []error{shipments.ErrNotFound, errors.New("deep"), shipments.ErrVersion} {
		_, replayed, err := repo.Once(t.Context(), org, key, postgres.Noon, func(ctx context.Context) ([]byte, error) {
			if _, err := create(ctx); err != nil {
				return nil, err
			}
			return nil, want
		})
		if !errors.Is(err, want) || replayed {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if n := total(t, repo, org); n != 0 {
		t.Errorf("%d shipments were left behind", n)
	}
	if _, replayed, err := repo.Once(t.Context(), org, key, postgres.Noon, create); err != nil || replayed {
		t.Errorf("afterwards: replayed %t (%v)", replayed, err)
	}
}

func testOnceAtOnce(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	var done, replayed, refused atomic.Int64
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			switch _, again, err := repo.Once(t.Context(), org, key, postgres.Noon, creating(repo, org, "a")); {
			case errors.Is(err, shipments.ErrKeyInProgress):
				refused.Add(1)
			case err != nil:
				t.Error(err)
			case again:
				replayed.Add(1)
			default:
				done.Add(1)
			}
		})
	}
	wg.Wait()
	if n := total(t, repo, org); n != 1 || done.Load() != 1 {
		t.Errorf("%d shipments; %d done, %d replayed, %d refused", n, done.Load(), replayed.Load(), refused.Load())
	}
	// While one is being done, another is refused and does not wait.
	held := shipments.Key{Operation: "POST /x", Text: "held"}
	_, _, err := repo.Once(t.Context(), org, held, postgres.Noon, func(context.Context) ([]byte, error) {
		//nolint:contextcheck // not a part of the first
		_, _, err := repo.Once(t.Context(), org, held, postgres.Noon, creating(repo, org, "a"))
		return nil, err
	})
	if !errors.Is(err, shipments.ErrKeyInProgress) {
		t.Errorf("while one is being done: %v", err)
	}
}
