package postgres_test

import (
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// testFilters compares lists of every combination of filters, several times
// with random values, with the same choice among a slice. Many shipments lie
// at an end of a UTC day and many share a millisecond, and bounds are the very
// times of shipments, the milliseconds beside them and the ends of days.
func testFilters(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	random := mathrand.New(mathrand.NewPCG(11, 4))
	all := randomDetails(random, 300)
	stores(t, repo, org, all...)
	stores(t, repo, postgres.NewOrg(), all...) // meet the filters, too
	for range 20 {
		s := postgres.NewShipment(shipments.Pending, randomTime(random))
		setTexts(random, &s.Draft)
		check(t, repo.Create(t.Context(), org, s, postgres.Someone))
		all = append(all, shipments.Detail{Shipment: s})
	}
	slices.SortFunc(all, newestFirst)
	for combination := range 1 << (5 + len(shipments.FilterFields)) {
		for range 3 {
			f := randomFilter(random, combination)
			compare(t, repo, org, f, chosen(all, f))
		}
	}
}

// compare compares the pages of a list with what it must show.
func compare(
	t *testing.T, repo shipments.Repository, org shipments.OrgID, f shipments.Filter, want []shipments.Shipment,
) {
	t.Helper()
	const limit = 30
	var last *shipments.Shipment
	for n := 0; n <= len(want); n += limit {
		rows, err := repo.ListAfter(t.Context(), org, f, last, limit)
		check(t, err)
		if part := want[n:min(n+limit, len(want))]; len(rows) != len(part) {
			t.Fatalf("%s, from %d: %d shipments, want %d", show(f), n, len(rows), len(part))
		} else if len(part) > 0 {
			last = &rows[len(rows)-1]
			equal(t, *last, part[len(part)-1])
		}
	}
	for offset := 0; offset == 0 || offset < len(want)+limit; offset += limit {
		rows, total, err := repo.List(t.Context(), org, f, int64(offset), limit)
		check(t, err)
		if total != int64(len(want)) {
			t.Fatalf("%s: total %d, want %d", show(f), total, len(want))
		}
		page := want[min(offset, len(want)):min(offset+limit, len(want))]
		if rows == nil || len(rows) != len(page) {
			t.Fatalf("%s, after %d: %v, want %v", show(f), offset, rows, page)
		}
		for i := range page {
			equal(t, rows[i], page[i])
		}
	}
}

// chosen is what a Filter means.
func chosen(all []shipments.Detail, f shipments.Filter) []shipments.Shipment {
	var met []shipments.Shipment
	for _, d := range all {
		if (f.Status == "" || d.Status == f.Status) &&
			meets(d.Draft, f.Texts) &&
			(f.CheckResult == "" || slices.ContainsFunc(d.Checks,
				func(c shipments.Check) bool { return c.Result == f.CheckResult })) &&
			(f.CreatedAfter == nil || d.CreatedAt.After(*f.CreatedAfter)) &&
			(f.CreatedBefore == nil || d.CreatedAt.Before(*f.CreatedBefore)) &&
			(f.UpdatedAfter == nil || d.UpdatedAt.After(*f.UpdatedAfter)) {
			met = append(met, d.Shipment)
		}
	}
	return met
}

// meets reports whether the texts of a shipment are those that a filter looks for.
func meets(is, wanted shipments.Draft) bool {
	return !slices.ContainsFunc(shipments.FilterFields, func(t shipments.TextField) bool {
		text, want := t.Of(is), t.Of(wanted)
		if t.Filter == shipments.Prefix {
			return !strings.HasPrefix(strings.ToLower(text), strings.ToLower(want))
		}
		return want != "" && text != want
	})
}

// texts differ, some of them only in an exact comparison.
var texts = []string{"PO-1", "PO-10", "po-1", "PO_1", "PO%", "Ä ß", `'"\`, "Łódź \U0001F34A", "Łódra"}

func setTexts(random *mathrand.Rand, d *shipments.Draft) {
	for _, t := range shipments.FilterFields {
		t.Set(d, texts[random.IntN(len(texts))])
	}
}

func randomDetails(random *mathrand.Rand, n int) []shipments.Detail {
	all := make([]shipments.Detail, n)
	for i := range all {
		d := detail(shipments.Statuses[random.IntN(len(shipments.Statuses))], randomTime(random), 0)
		setTexts(random, &d.Draft)
		var checks []shipments.Check
		for range random.IntN(5) {
			checks = append(checks, d.Checks[random.IntN(len(d.Checks))])
		}
		d.Checks = checks
		d.UpdatedAt = randomTime(random)
		all[i] = d
	}
	return all
}

// randomTime returns one of few times within six days.
func randomTime(random *mathrand.Rand) time.Time {
	midnight := time.Date(2026, 2, 26+random.IntN(6), 0, 0, 0, 0, time.UTC)
	within := []time.Duration{-time.Millisecond, 0, time.Millisecond, time.Duration(random.IntN(24)) * time.Hour}
	return midnight.Add(within[random.IntN(len(within))])
}

// randomFilter returns a filter of those fields whose bits are set.
func randomFilter(random *mathrand.Rand, fields int) (f shipments.Filter) {
	if fields&1 != 0 {
		f.Status = shipments.Statuses[random.IntN(len(shipments.Statuses))]
	}
	if fields&2 != 0 {
		f.CheckResult = shipments.Results[random.IntN(len(shipments.Results))]
	}
	if fields&4 != 0 {
		f.CreatedAfter = new(randomTime(random))
	}
	if fields&8 != 0 {
		f.CreatedBefore = new(randomTime(random).In(time.FixedZone("", 5*3600)))
	}
	if fields&16 != 0 {
		f.UpdatedAfter = new(randomTime(random))
	}
	for i, t := range shipments.FilterFields {
		if fields&(32<<i) == 0 {
			continue
		}
		text := []rune(texts[random.IntN(len(texts))])
		if t.Filter == shipments.Prefix {
			text = text[:1+random.IntN(len(text))]
		}
		t.Set(&f.Texts, string(text))
	}
	return f
}

// show shows a filter with its times.
func show(f shipments.Filter) string {
	return fmt.Sprintf("%+v, created after %v and before %v, updated after %v",
		f, f.CreatedAfter, f.CreatedBefore, f.UpdatedAfter)
}
