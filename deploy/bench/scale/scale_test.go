package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestAShortRunMeasuresEverything is a whole run with little data. Its figures
// mean nothing, but all exist, and those that do not depend on time are exact: rows
// and totals of lists, totals while others write, pallets of packing lists.
func TestAShortRunMeasuresEverything(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("measuring needs Linux")
	}
	server := os.Getenv("TEST_DATABASE_URL")
	if server == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("TEST_DATABASE_URL is not set")
		}
		t.Skip("TEST_DATABASE_URL is not set; `make test` sets it")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	s := settings{
		root: root, server: server, race: true, shipments: 20_000, others: 3, rounds: 2, createRounds: 1,
		length: 300 * time.Millisecond, lines: 200, fileRounds: 1, pallets: []int{3, 500}, log: io.Discard,
	}
	r, err := run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if r.large.total[""] < s.shipments || r.other.total[""] != small || r.large.total["approved"] < s.shipments/2 {
		t.Errorf("the organizations have %v and %v", r.large.total, r.other.total)
	}
	if len(r.listings()) != 3*len(statuses) {
		t.Errorf("%d lists were measured", len(r.listings()))
	}
	for _, l := range r.listings() {
		if p := r.lists[l]; len(p.large) != s.rounds || len(p.small) != s.rounds || p.ratio() <= 0 {
			t.Errorf("%s: %+v", l.title(), p)
		}
	}
	if e := r.exactness; e.wrong > 0 || !e.after || e.lists == 0 || e.created == 0 || e.deleted == 0 || e.moved == 0 {
		t.Errorf("totals while others wrote: %+v", e)
	}
	if c := r.creates; !c.exact || c.uncounted == 0 || len(c.rates) != len(variants) {
		t.Errorf("creates: %+v", c)
	}
	if len(r.details) != 2 || r.details[1].bytes <= r.details[0].bytes || len(r.readings) != 2 {
		t.Errorf("%+v, %+v", r.details, r.readings)
	}
	text := r.Markdown()
	for _, want := range []string{"| ready_for_review | middle |", "of 20,000", "| without both |", "| XLSX |", "Postgres " + r.postgres} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// reportOf is a report in which the last page of rejected shipments takes so
// long, beside 1 ms, and creates have such rates with and without counters.
func reportOf(slowest time.Duration, wrong int, with, without float64) *report {
	one := []time.Duration{time.Millisecond}
	return &report{
		lists: map[listing]pair{
			{"", first}:        {one, one},
			{"", middle}:       {[]time.Duration{time.Hour}, one}, // is measured and has no goal
			{"rejected", last}: {[]time.Duration{slowest}, one},
		},
		exactness: exactness{lists: 9, wrong: wrong, after: true},
		creates:   creates{rates: map[string][]float64{"as it is": {with}, "without counters": {without}}, exact: true},
	}
}

func TestGoalsAreMissedWhenOneFigureIsBad(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		report *report
		missed int // which goal; -1: none
	}{
		"all is well":          {reportOf(2*time.Millisecond, 0, 900, 1000), -1},
		"one list is slow":     {reportOf(4*time.Millisecond, 0, 900, 1000), 0},
		"one total was wrong":  {reportOf(2*time.Millisecond, 1, 900, 1000), 1},
		"counters cost a half": {reportOf(2*time.Millisecond, 0, 500, 1000), 2},
	} {
		for i, g := range c.report.goals() {
			if g.Met == (i == c.missed) {
				t.Errorf("%s: %+v", name, g)
			}
		}
	}
	if got := reportOf(2*time.Millisecond, 0, 1, 2).goals()[0].Measured; got != "at most 2.00 (rejected, last)" {
		t.Error(got)
	}
}

// A list without shipments has one page.
func TestPagesOfAList(t *testing.T) {
	t.Parallel()
	for total, want := range map[int][3]int{0: {1, 1, 1}, 1: {1, 1, 1}, 25: {1, 1, 1}, 26: {1, 1, 2}, 1000: {1, 20, 40}, 1001: {1, 21, 41}} {
		if got := [3]int{first.number(total), middle.number(total), last.number(total)}; got != want {
			t.Errorf("%d shipments: pages %v, want %v", total, got, want)
		}
	}
	if last.rows(1001) != 1 || last.rows(1000) != 25 || first.rows(0) != 0 {
		t.Errorf("%d, %d, %d rows", last.rows(1001), last.rows(1000), first.rows(0))
	}
}

func TestFiguresAreFormattedForReaders(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		number(999): "999", number(1_000_000): "1,000,000", number(20_000): "20,000",
		ms(1234 * time.Microsecond): "1.2", ms(1234 * time.Millisecond): "1234",
		crockford(uuid.UUID{15: 33}): "00000000000000000000000011", crockford(uuid.UUID{0: 0xff}): "7z000000000000000000000000",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	series := []time.Duration{3, 1, 2}
	if quantile(series, 0.5) != 2 || quantile(series, 0.95) != 3 || quantile(nil, 0.5) != 0 {
		t.Error("quantiles are wrong")
	}
}
