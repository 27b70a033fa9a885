package checks

import (
	"fmt"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// quantity is a total of a shipment that documents state.
type quantity struct {
	name     string
	unit     float64                 // how many are in one of numbers.Readings
	declared func(list.Declared) int // by a packing list; 0: not declared
	of       func(shipments.Pallet) int
	format   func(int) string
	compare  func(stated, listed int) shipments.Result
	fact     list.FactKind    // by which other documents state it
	result   shipments.Result // where other documents differ
}

var palletCount = quantity{
	name: "number of pallets", unit: 1, fact: list.PalletsFact, result: shipments.Warn, compare: equal,
	declared: func(d list.Declared) int { return d.Pallets },
	of:       func(shipments.Pallet) int { return 1 },
	format:   func(n int) string { return counted(n, "pallet") },
}

var boxTotal = quantity{
	name: "number of boxes", unit: 1, fact: list.BoxesFact, result: shipments.Fail, compare: equal,
	declared: func(d list.Declared) int { return d.Boxes },
	of:       func(p shipments.Pallet) int { return p.Boxes },
	format:   func(n int) string { return counted(n, "box") },
}

var netWeight = quantity{
	name: "net weight", unit: 1000, fact: list.NetWeightFact, result: shipments.Warn, compare: similar,
	declared: func(d list.Declared) int { return int(d.NetWeight) },
	of:       func(p shipments.Pallet) int { return int(p.Net()) },
	format:   func(n int) string { return kilograms(list.Grams(n)) },
}

func equal(stated, listed int) shipments.Result {
	if stated == listed {
		return shipments.Pass
	}
	return shipments.Fail
}

// similar passes differences of up to 0.5 %, as box weights are often rounded to
// 0.1 kg, and warns up to 2 %, as nominal weights differ from actual ones.
func similar(stated, listed int) shipments.Result {
	difference := max(stated, listed) - min(stated, listed)
	if difference*200 <= stated {
		return shipments.Pass
	}
	if difference*50 <= stated {
		return shipments.Warn
	}
	return shipments.Fail
}

func (q quantity) sum(pallets []shipments.Pallet) (n int) {
	for _, p := range pallets {
		n += q.of(p)
	}
	return n
}

// check compares the quantity that each packing list declares with its pallets.
func (q quantity) check(s subject) finding {
	f := finding{result: shipments.Pass}
	var all, different []string
	lists := documentsOf(s, shipments.PackingList)
	for _, doc := range lists {
		declared := q.declared(doc.Declared)
		if declared == 0 {
			continue
		}
		sum := q.sum(having(s.Pallets, func(p shipments.Pallet) bool { return p.Source.Document == doc.ID }))
		text := fmt.Sprintf("%s declared, %s listed", q.format(declared), q.format(sum))
		if len(lists) > 1 {
			text = documentName(s, doc) + ": " + text
		}
		all = append(all, text)
		if r := q.compare(declared, sum); r != shipments.Pass {
			different = append(different, text)
			f.result = worse(f.result, r)
		}
	}
	switch {
	case all == nil:
		return skip("No packing list declares a " + q.name + ".")
	case different == nil:
		f.details = sentence(listed(all))
	default:
		f.details, f.count = sentence(listed(different)), len(different)
	}
	return f
}

// compareStated compares the quantity that other documents state with the packing
// lists, reports differences, and returns whether a document agrees. An ambiguous
// number agrees if one of its readings does.
func (q quantity) compareStated(s subject, f *finding) (agrees bool) {
	listed := q.sum(s.Pallets)
	for _, doc := range s.Documents {
		for _, fact := range doc.Facts {
			values := numbers.Readings(fact.Text)
			if doc.Type == shipments.PackingList || fact.Kind != q.fact || len(values) == 0 || slices.Max(values) >= 1e9 {
				continue
			}
			if q.unit == 1 {
				values = values[:1] // counts have no decimals
			}
			if slices.ContainsFunc(values, func(v float64) bool { return q.compare(int(v*q.unit), listed) != shipments.Fail }) {
				agrees = true
				continue
			}
			stated := q.format(int(values[0] * q.unit))
			if len(values) > 1 {
				stated = fmt.Sprintf("%q (%s or %s)", fact.Text, stated, q.format(int(values[1]*q.unit)))
			}
			f.report(q.result, fmt.Sprintf("the %s is %s on the %s and %s on the packing lists",
				q.name, stated, documentName(s, doc), q.format(listed)))
			at := shipments.Source{Document: doc.ID, Sheet: fact.Sheet, Row: fact.Row}
			f.places = append(f.places, shipments.Location{Source: at})
		}
	}
	return agrees
}
