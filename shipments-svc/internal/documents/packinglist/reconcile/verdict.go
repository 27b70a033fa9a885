package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Verdict is what the numbers of a list say about its reading.
type Verdict struct {
	agree   int      // declared totals that agree
	differ  []string // how others differ
	doubts  []string // rows and columns that may be read wrong
	values  []string // values that are missing or invalid
	noBoxes bool
	named   bool // the labels are words
}

// longestName is the maximum length of a pallet number without a digit: A, B, C.
const longestName = 2

// Judge compares a reading with what its list declares.
func Judge(all []*Settled, read shipments.Reading) (v Verdict) {
	pallets, boxes, net, weighed := float64(len(read.Pallets)), 0.0, 0.0, true
	numbered, impossible := false, 0
	for _, p := range read.Pallets {
		if weight := float64(p.Boxes) * float64(p.BoxWeight); weight > float64(reference.HeaviestPallet) {
			v.doubts = append(v.doubts, fmt.Sprintf("pallet %s would weigh %s kg", p.Number, kilograms(weight)))
			if weight > 2*float64(reference.HeaviestPallet) {
				impossible++
			}
		} else if len(p.Number) >= shipments.MaxPalletNumber { // shortened
			v.doubts = append(v.doubts, fmt.Sprintf("the text %q is no pallet number", p.Number))
			impossible++
		}
		numbered = numbered || strings.ContainsFunc(p.Number, unicode.IsDigit)
		boxes += float64(p.Boxes)
		net += float64(p.Boxes) * float64(p.BoxWeight)
		weighed = weighed && p.Boxes > 0 && p.BoxWeight > 0
	}
	v.noBoxes = boxes == 0
	v.named = !numbered &&
		slices.ContainsFunc(read.Pallets, func(p shipments.Pallet) bool { return len(p.Number) > longestName })
	if !numbered {
		v.doubts = append(v.doubts, "no pallet number has a digit")
	}
	compare := func(what string, declared, listed float64) {
		switch {
		case declared == 0:
		case declared == listed || what == "kg" && near(declared, listed):
			v.agree++
		default:
			v.differ = append(
				v.differ,
				fmt.Sprintf("the list declares %.10g %s, and its lines have %.10g", declared, what, listed),
			)
		}
	}
	compare("pallets", float64(read.Declared.Pallets), pallets)
	compare("boxes", float64(read.Declared.Boxes), boxes)
	if weighed {
		compare("kg", float64(read.Declared.NetWeight)/1000, net/1000)
	}
	if impossible > 0 && 2*impossible >= len(read.Pallets) {
		v.differ = append(v.differ, "half of the pallets or more have an impossible weight or number")
	}
	for _, s := range all {
		if s.inconsistent {
			v.differ = append(v.differ, "boxes × box weight differ from the net weight on most lines")
		}
	}
	for _, r := range read.Remarks {
		if remarks.Doubts(r.Rule) {
			v.doubts = append(v.doubts, r.Text)
		}
		if remarks.OfValue(r.Rule) {
			v.values = append(v.values, r.Text)
		}
	}
	return v
}

// Verified reports whether the declared totals agree with the lines.
func (v Verdict) Verified() bool { return v.agree > 0 && v.differ == nil && !v.noBoxes }

// Better reports whether a reading is better than one of another division of the list,
// which is likelier by its headings: the totals of the list must say so.
func (v Verdict) Better(than Verdict, err error) bool {
	return v.Verified() && (err != nil || !than.Verified())
}

// Refusal returns the error of a reading that is not to be used, or nil.
func (v Verdict) Refusal(at tables.Place) error {
	switch {
	case v.named:
		return refusal(NoPallets, at, []string{"no line below the header row has a pallet number"}, v.doubts)
	case v.noBoxes:
		return refusal(
			NoBoxes,
			at,
			[]string{"no line has a number of boxes; a packing list has them in a column for each pallet"},
			v.values,
		)
	case v.differ != nil && (v.doubts != nil || len(v.differ) > 1 && v.agree == 0):
		return refusal(Contradicted, at, v.differ, v.doubts)
	}
	return nil
}

// refusal returns an error with its reasons and the first doubts.
func refusal(code string, at tables.Place, reasons, doubts []string) error {
	const most = 3 // doubts
	detail := strings.Join(append(reasons, doubts[:min(most, len(doubts))]...), "; ")
	detail, _ = remarks.Shortened(detail, 4*remarks.MaxText)
	return &Error{Code: code, Detail: detail, Place: at}
}
