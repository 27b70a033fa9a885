package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// amounts compares what other papers say of the whole with the sums of the
// packing lists, and returns what agrees. Boxes are counted; net weights may
// differ by two percent, as those of a packing list may from its own total. A
// weight that can be read in two ways differs where neither agrees.
func amounts(e subject, differ func(shipments.Result, string, ...shipments.Location)) (agreed []string) {
	if len(e.Pallets) == 0 {
		return nil
	}
	same := map[shipments.FactKind]int{}
	for _, doc := range e.Documents {
		if doc.Type == shipments.PackingList {
			continue
		}
		for _, f := range doc.Facts {
			at := shipments.Location{Source: shipments.Source{Document: doc.ID, Sheet: f.Sheet, Row: f.Row}}
			values := numbers.Readings(f.Text)
			if len(values) == 0 || slices.Max(values) >= 1e9 {
				continue
			}
			who, n := paper(e, doc), int(values[0])
			net := func(v float64) bool { return weightsDiffer(shipments.Grams(v*1000), weight(e.Pallets)) }
			switch {
			case f.Kind == shipments.PalletsFact && n != len(e.Pallets):
				differ(shipments.Warn, fmt.Sprintf("the %s has %s, the packing lists %s", who, counted(n, "pallet"), counted(len(e.Pallets), "pallet")), at)
			case f.Kind == shipments.BoxesFact && n != boxes(e.Pallets):
				differ(shipments.Fail, fmt.Sprintf("the %s has %s, the packing lists %s", who, counted(n, "box"), counted(boxes(e.Pallets), "box")), at)
			case f.Kind == shipments.NetWeightFact && !slices.ContainsFunc(values, func(v float64) bool { return !net(v) }):
				text := kilograms(shipments.Grams(values[0] * 1000))
				if len(values) > 1 {
					text = fmt.Sprintf("%q, which can be %s or %s,", f.Text, text, kilograms(shipments.Grams(values[1]*1000)))
				}
				differ(shipments.Warn, fmt.Sprintf("the %s has %s net, the packing lists %s", who, text, kilograms(weight(e.Pallets))), at)
			default:
				same[f.Kind]++
			}
		}
	}
	for _, kind := range []shipments.FactKind{shipments.PalletsFact, shipments.BoxesFact, shipments.NetWeightFact} {
		if same[kind] > 0 {
			agreed = append(agreed, strings.ReplaceAll(string(kind), "_", " "))
		}
	}
	return agreed
}

func weightsDiffer(a, b shipments.Grams) bool { return (max(a, b)-min(a, b))*50 > max(a, b) }
