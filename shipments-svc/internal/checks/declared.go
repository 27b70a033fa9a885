package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// requiredFields fails where a pallet lacks a field that the API guarantees. A
// calibre is not required of produce that is sold without one.
func requiredFields(s subject) finding {
	if len(s.Pallets) == 0 {
		return skip("There are no pallets to check.")
	}
	var incomplete []shipments.Pallet
	var fields []string
	for _, p := range s.Pallets {
		missing := missingFields(p)
		if missing == nil {
			continue
		}
		incomplete = append(incomplete, p)
		for _, field := range missing {
			if !slices.Contains(fields, field) {
				fields = append(fields, field)
			}
		}
	}
	if incomplete == nil {
		return pass(fmt.Sprintf("%s, no field is missing.", counted(len(s.Pallets), "pallet")))
	}
	return finding{result: shipments.Fail, pallets: incomplete, details: fmt.Sprintf("Fields are missing on %s: %s.", rowsOf(s, incomplete...), strings.Join(fields, ", "))}
}

func missingFields(p shipments.Pallet) (fields []string) {
	for _, f := range []struct {
		name    string
		missing bool
	}{
		{"pallet_number", p.Number == ""},
		{"produce_name", p.ProduceName == ""},
		{"calibre", p.Calibre == "" && !allUnsized(p)},
		{"boxes", p.Boxes < 1},
		{"box_weight_kg", p.BoxWeight < 1},
	} {
		if f.missing {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// allUnsized reports whether all produce of a pallet is sold without a calibre.
func allUnsized(p shipments.Pallet) bool {
	return !slices.ContainsFunc(produceOf(p), func(produce string) bool {
		return !slices.ContainsFunc(wordsOf(produce), func(word string) bool { return unsized[word] != "" })
	})
}

// total is a quantity that packing lists declare.
type total struct {
	name     string
	declared func(shipments.Declared) int // 0: not declared
	listed   func([]shipments.Pallet) int
	format   func(int) string
	compare  func(declared, listed int) shipments.Result
}

// check compares the total that each packing list declares with its pallets.
func (t total) check(s subject) finding {
	f := finding{result: shipments.Pass}
	var all, different []string
	lists := documentsOf(s, shipments.PackingList)
	for _, doc := range lists {
		declared := t.declared(doc.Declared)
		if declared == 0 {
			continue
		}
		listed := t.listed(having(s.Pallets, func(p shipments.Pallet) bool { return p.Source.Document == doc.ID }))
		text := fmt.Sprintf("%s declared, %s listed", t.format(declared), t.format(listed))
		if len(lists) > 1 {
			text = documentName(s, doc) + ": " + text
		}
		all = append(all, text)
		if r := t.compare(declared, listed); r != shipments.Pass {
			different = append(different, text)
			f.result = worse(f.result, r)
		}
	}
	if all == nil {
		return skip("No packing list declares " + t.name + ".")
	}
	if different == nil {
		f.details = sentence(listed(all))
	} else {
		f.details, f.count = sentence(listed(different)), len(different)
	}
	return f
}

func equal(declared, listed int) shipments.Result {
	if declared == listed {
		return shipments.Pass
	}
	return shipments.Fail
}

var palletCountDeclared = total{
	"a number of pallets",
	func(d shipments.Declared) int { return d.Pallets },
	func(pallets []shipments.Pallet) int { return len(pallets) },
	func(n int) string { return counted(n, "pallet") }, equal,
}.check

var boxTotalDeclared = total{
	"a number of boxes",
	func(d shipments.Declared) int { return d.Boxes }, boxes,
	func(n int) string { return counted(n, "box") }, equal,
}.check

// netWeightDeclared passes differences of up to 0.5 %, as box weights are often
// rounded to 0.1 kg, and warns up to 2 %, as nominal weights differ from actual
// ones.
var netWeightDeclared = total{
	"a net weight",
	func(d shipments.Declared) int { return int(d.NetWeight) },
	func(pallets []shipments.Pallet) int { return int(weight(pallets)) },
	func(n int) string { return kilograms(shipments.Grams(n)) },
	func(declared, listed int) shipments.Result {
		difference := max(declared, listed) - min(declared, listed)
		if difference*200 <= declared {
			return shipments.Pass
		}
		if difference*50 <= declared {
			return shipments.Warn
		}
		return shipments.Fail
	},
}.check

func boxes(pallets []shipments.Pallet) (n int) {
	for _, p := range pallets {
		n += p.Boxes
	}
	return n
}

func weight(pallets []shipments.Pallet) (g shipments.Grams) {
	for _, p := range pallets {
		g += palletWeight(p)
	}
	return g
}

func palletWeight(p shipments.Pallet) shipments.Grams { return shipments.Grams(p.Boxes) * p.BoxWeight }
