package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/bench/benchmark"
)

// report is a whole run.
type report struct {
	settings settings
	facts    benchmark.Facts

	postgres, fsync, buffers, size string
	days, months                   int // rows of counters

	large, other organization
	lists        map[listing]pair
	exactness    exactness
	creates      creates
	details      []detail
	readings     map[string]reading
}

const (
	maxRatio    = 3.0 // of a list of the large organization by that of the small one
	minCreating = 0.5 // of the rate of creates by that without counters
)

// goals evaluates the goals.
func (r *report) goals() []benchmark.Goal {
	var worst listing
	for _, l := range r.listings() {
		if l.place != middle && r.lists[l].ratio() > r.lists[worst].ratio() || worst == (listing{}) {
			worst = l
		}
	}
	ratio, creating := r.lists[worst].ratio(), r.creates.ratio("without counters")
	e := r.exactness
	return []benchmark.Goal{
		{
			Title: "first and last page, with and without status, by the same of 1,000 shipments",
			Limit: fmt.Sprintf("≤ %g", maxRatio), Measured: fmt.Sprintf("at most %.2f (%s)", ratio, worst.title()), Met: ratio <= maxRatio,
		},
		{
			Title: "totals are exact while others write",
			Limit: "none wrong", Measured: fmt.Sprintf("%d wrong of %d; afterwards those of all statuses %s", e.wrong, e.lists, exactly(e.after)),
			Met: e.wrong == 0 && e.after && r.creates.exact,
		},
		{
			Title: "rate of creates, by that without counters",
			Limit: fmt.Sprintf("> %g", minCreating), Measured: fmt.Sprintf("%.2f", creating), Met: creating > minCreating,
		},
	}
}

func exactly(is bool) string {
	if is {
		return "are the rows'"
	}
	return "are **not** the rows'"
}

func (l listing) title() string {
	if l.status == "" {
		return "all, " + string(l.place)
	}
	return l.status + ", " + string(l.place)
}

// listings are the lists that were measured, in a fixed order.
func (r *report) listings() (all []listing) {
	for _, status := range statuses {
		for _, at := range []place{first, middle, last} {
			if _, measured := r.lists[listing{status, at}]; measured {
				all = append(all, listing{status, at})
			}
		}
	}
	return all
}

// Check implements benchmark.Report.
func (r *report) Check(strict bool) error {
	if !strict {
		return nil
	}
	return benchmark.CheckGoals(r.goals())
}

// Markdown implements benchmark.Report.
func (r *report) Markdown() string {
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	s, f := r.settings, r.facts
	say("# shipments-svc at scale\n")
	say("Written by `make bench-scale ARGS=-write`; [how it measures](../deploy/README.md#make-bench-scale).\n")
	say("- %s, commit %s, %s, Postgres %s (fsync %s, shared_buffers %s)", f.Date, f.Commit, f.Go, r.postgres, r.fsync, r.buffers)
	say("- %s, %d cores, Linux %s, with service, Postgres and load on them; /proc/loadavg before the run: %s", f.Processor, f.Cores, f.Kernel, f.Load)
	say("- one organization of %s shipments and %d of %s, over two years: %s, %s counters by day and %s by month",
		number(s.shipments), s.others, number(small), r.size, number(r.days), number(r.months))
	say("\n## Goals\n")
	benchmark.WriteGoals(say, r.goals())
	r.sayLists(say)
	r.sayWrites(say)
	r.sayDocuments(say)
	return out.String()
}

func (r *report) sayLists(say func(string, ...any)) {
	say("\n## Lists\n")
	say("Milliseconds of a whole request for %d shipments: medians of %d by turns, and what one of 20 exceeds.\n", perPage, r.settings.rounds)
	say("| status | page | of %s | p95 | of %s | p95 | ratio |", number(r.settings.shipments), number(small))
	say("|---|---|---|---|---|---|---|")
	for _, l := range r.listings() {
		p, status := r.lists[l], l.status
		if status == "" {
			status = "all"
		}
		say("| %s | %s | %s | %s | %s | %s | %.2f |", status, l.place, ms(quantile(p.large, 0.5)), ms(quantile(p.large, 0.95)),
			ms(quantile(p.small, 0.5)), ms(quantile(p.small, 0.95)), p.ratio())
	}
}

func (r *report) sayWrites(say func(string, ...any)) {
	e := r.exactness
	say("\n## Totals while others write\n")
	say("%d writers created %d shipments of the large organization, deleted %d and moved others %d times from status to status. Of %d lists meanwhile",
		writers, e.created, e.deleted, e.moved, e.lists)
	say("(median %s ms) %d had a total that was not true at any time of the request; afterwards the totals of all statuses %s.",
		ms(quantile(e.took, 0.5)), e.wrong, exactly(e.after))
	say("\n## Creates\n")
	say("%d writers in the large organization, for %s each, by turns, medians of %d rounds. A trigger drops the rows that are left out.",
		writers, r.settings.length, r.settings.createRounds)
	say("While it is measured, the service numbers the events as well.\n")
	say("| | creates a second | as it is, by this |")
	say("|---|---|---|")
	for _, w := range variants {
		say("| %s | %.0f | %.2f |", w.title, benchmark.Median(r.creates.rates[w.title]), r.creates.ratio(w.title))
	}
}

func (r *report) sayDocuments(say func(string, ...any)) {
	say("\n## One shipment with its pallets\n")
	say("| pallets | answer, KB | median ms | slowest ms | peak memory of the service so far, MB |")
	say("|---|---|---|---|---|")
	for _, d := range r.details {
		say("| %s | %d | %s | %s | %d |", number(d.pallets), d.bytes>>10, ms(quantile(d.took, 0.5)), ms(slices.Max(d.took)), d.peak>>20)
	}
	say("\n## Packing lists of %s lines\n", number(r.settings.lines))
	say("From sending the form, medians of %d. Each line is a pallet with an SSCC of its own.\n", r.settings.fileRounds)
	say("| | file, KB | stored, ms | ready for review, ms | slowest |")
	say("|---|---|---|---|---|")
	for _, kind := range []string{"xlsx", "csv"} {
		d := r.readings[kind]
		say("| %s | %d | %s | %s | %s |", strings.ToUpper(kind), d.bytes>>10, ms(quantile(d.answered, 0.5)), ms(quantile(d.ready, 0.5)), ms(slices.Max(d.ready)))
	}
}

// quantile returns the value that a share q of values does not exceed; 0 when
// there are none.
func quantile(values []time.Duration, q float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

func ms(d time.Duration) string {
	if d < 100*time.Millisecond {
		return fmt.Sprintf("%.1f", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.0f", d.Seconds()*1000)
}

// number writes 1000000 as 1,000,000.
func number(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
