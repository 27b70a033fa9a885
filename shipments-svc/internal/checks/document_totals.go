package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// compareTotals compares the totals that other documents state with the sums of
// the packing lists, reports differences, and returns the names of those that
// agree. Net weights may differ by 2 %. An ambiguous number agrees if one of its
// readings does.
func compareTotals(s subject, into *finding) (agreed []string) {
	if len(s.Pallets) == 0 {
		return nil
	}
	same := map[shipments.FactKind]bool{}
	for _, doc := range s.Documents {
		if doc.Type == shipments.PackingList {
			continue
		}
		for _, f := range doc.Facts {
			values := numbers.Readings(f.Text)
			if len(values) == 0 || slices.Max(values) >= 1e9 {
				continue
			}
			result, stated, listed := shipments.Warn, "", ""
			n := int(values[0])
			switch f.Kind {
			case shipments.PalletsFact:
				if n != len(s.Pallets) {
					stated, listed = counted(n, "pallet"), counted(len(s.Pallets), "pallet")
				}
			case shipments.BoxesFact:
				if n != boxes(s.Pallets) {
					result, stated, listed = shipments.Fail, counted(n, "box"), counted(boxes(s.Pallets), "box")
				}
			case shipments.NetWeightFact:
				if !slices.ContainsFunc(values, func(v float64) bool { return similarWeights(shipments.Grams(v*1000), weight(s.Pallets)) }) {
					stated, listed = netWeights(f.Text, values), kilograms(weight(s.Pallets))
				}
			default:
				continue
			}
			if stated == "" {
				same[f.Kind] = true
				continue
			}
			into.report(result, fmt.Sprintf("the %s states %s, the packing lists %s", documentName(s, doc), stated, listed))
			into.places = append(into.places, shipments.Location{Source: shipments.Source{Document: doc.ID, Sheet: f.Sheet, Row: f.Row}})
		}
	}
	for _, kind := range []shipments.FactKind{shipments.PalletsFact, shipments.BoxesFact, shipments.NetWeightFact} {
		if same[kind] {
			agreed = append(agreed, strings.ReplaceAll(string(kind), "_", " "))
		}
	}
	return agreed
}

// netWeights formats a net weight; of an ambiguous one, its text and both
// readings.
func netWeights(text string, values []float64) string {
	first := kilograms(shipments.Grams(values[0] * 1000))
	if len(values) == 1 {
		return first + " net"
	}
	return fmt.Sprintf("%q net (%s or %s)", text, first, kilograms(shipments.Grams(values[1]*1000)))
}

// similarWeights reports whether two weights differ by at most 2 %.
func similarWeights(a, b shipments.Grams) bool { return (max(a, b)-min(a, b))*50 <= max(a, b) }
