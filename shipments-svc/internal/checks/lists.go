package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// requiredFields fails where a pallet lacks one of the fields that the API
// shows of every pallet. The calibre of produce that has none is not required.
func requiredFields(e subject) finding {
	if len(e.Pallets) == 0 {
		return skip("There are no pallets to look at.")
	}
	var wrong []shipments.Pallet
	var fields []string
	for _, p := range e.Pallets {
		lacks := lacking(p)
		if lacks == nil {
			continue
		}
		wrong = append(wrong, p)
		for _, field := range lacks {
			if !slices.Contains(fields, field) {
				fields = append(fields, field)
			}
		}
	}
	if wrong == nil {
		return pass(fmt.Sprintf("%s, each with every field.", counted(len(e.Pallets), "pallet")))
	}
	return finding{result: shipments.Fail, at: wrong, details: fmt.Sprintf("Fields are missing on %s: %s.", places(e, wrong), strings.Join(fields, ", "))}
}

// lacking returns the fields that a pallet lacks.
func lacking(p shipments.Pallet) (fields []string) {
	for _, f := range []struct {
		name  string
		lacks bool
	}{
		{"pallet_number", p.Number == ""},
		{"produce_name", p.ProduceName == ""},
		{"calibre", p.Calibre == "" && !allUnsized(p)},
		{"boxes", p.Boxes < 1},
		{"box_weight_kg", p.BoxWeight < 1},
	} {
		if f.lacks {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// allUnsized reports whether a pallet holds nothing but produce that is not
// sold by calibre.
func allUnsized(p shipments.Pallet) bool {
	for _, l := range loadsOf([]shipments.Pallet{p}) {
		if !slices.ContainsFunc(wordsOf(l.produce), func(word string) bool { return unsized[word] != "" }) {
			return false
		}
	}
	return true
}

// declared compares what documents declare with what they list. of says what
// one declares, or 0; sum what its pallets come to; show how people write it.
func declared(
	e subject, what string,
	of func(shipments.Declared) int, sum func([]shipments.Pallet) int, show func(int) string,
	judge func(declared, listed int) shipments.Result,
) finding {
	f, said, differing := finding{result: shipments.Pass}, []string{}, []string{}
	lists := papersOf(e, shipments.PackingList)
	for _, doc := range lists {
		want := of(doc.Declared)
		if want == 0 {
			continue
		}
		var pallets []shipments.Pallet
		for _, p := range e.Pallets {
			if p.Source.Document == doc.ID {
				pallets = append(pallets, p)
			}
		}
		got := sum(pallets)
		sentence := fmt.Sprintf("%s declared, %s listed", show(want), show(got))
		if len(lists) > 1 {
			sentence = paper(e, doc) + ": " + sentence
		}
		said = append(said, sentence)
		if r := judge(want, got); r != shipments.Pass {
			differing = append(differing, sentence)
			if f.result != shipments.Fail {
				f.result = r
			}
		}
	}
	switch {
	case len(said) == 0:
		return skip("No document declares " + what + ".")
	case len(differing) == 0:
		f.details = sentence(listed(said))
	default:
		f.details, f.count = sentence(listed(differing)), len(differing)
	}
	return f
}

// equal is for what can be counted.
func equal(declared, listed int) shipments.Result {
	if declared == listed {
		return shipments.Pass
	}
	return shipments.Fail
}

func palletCountDeclared(e subject) finding {
	return declared(e, "a number of pallets",
		func(d shipments.Declared) int { return d.Pallets },
		func(ps []shipments.Pallet) int { return len(ps) },
		func(n int) string { return counted(n, "pallet") }, equal)
}

func boxTotalDeclared(e subject) finding {
	return declared(e, "a number of boxes",
		func(d shipments.Declared) int { return d.Boxes }, boxes,
		func(n int) string { return counted(n, "box") }, equal)
}

// netWeightDeclared allows for rounding: box weights are often rounded to the
// tenth of a kilogram, totals to the kilogram. Half a percent is rounding; two
// percent is a nominal instead of a weighed weight; more is another cargo.
func netWeightDeclared(e subject) finding {
	return declared(e, "a net weight",
		func(d shipments.Declared) int { return int(d.NetWeight) },
		func(ps []shipments.Pallet) int { return int(weight(ps)) },
		func(n int) string { return kilograms(shipments.Grams(n)) },
		func(declared, listed int) shipments.Result {
			off := max(declared, listed) - min(declared, listed)
			switch {
			case off*200 <= declared:
				return shipments.Pass
			case off*50 <= declared:
				return shipments.Warn
			default:
				return shipments.Fail
			}
		})
}

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
