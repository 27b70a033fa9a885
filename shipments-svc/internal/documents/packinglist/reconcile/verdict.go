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
	boxes, net, weighed, numbered, named, impossible := 0.0, 0.0, true, false, false, 0
	for _, p := range read.Pallets {
		weight := float64(p.Boxes) * float64(p.BoxWeight)
		if weight > float64(reference.HeaviestPallet) {
			v.doubts = append(v.doubts, fmt.Sprintf("pallet %s would weigh %s kg", p.Number, kilograms(weight)))
		}
		if weight > 2*float64(reference.HeaviestPallet) {
			impossible++
		}
		numbered = numbered || strings.ContainsFunc(p.Number, unicode.IsDigit)
		named = named || len(p.Number) > longestName
		boxes, net = boxes+float64(p.Boxes), net+weight
		weighed = weighed && weight > 0
	}
	for _, s := range all {
		if s.inconsistent {
			v.differ = append(v.differ, "boxes × box weight differ from the net weight on most lines")
		}
		for _, l := range s.Lines {
			if text, cut := remarks.Shortened(l.Pallet, shipments.MaxPalletNumber); cut {
				v.doubts = append(v.doubts, fmt.Sprintf("the text %q is no pallet number", text))
				impossible++
			}
		}
	}
	if impossible > 0 && 2*impossible >= len(read.Pallets) {
		v.differ = append(v.differ, "half of the pallets or more have an impossible weight or number")
	}
	v.noBoxes, v.named = boxes == 0, named && !numbered
	if !numbered {
		v.doubts = append(v.doubts, "no pallet number has a digit")
	}
	v.compare("pallets", float64(read.Declared.Pallets), float64(len(read.Pallets)))
	v.compare("boxes", float64(read.Declared.Boxes), boxes)
	if weighed {
		v.compare("kg", float64(read.Declared.NetWeight)/1000, net/1000)
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

// compare compares what a list declares, unless it is 0, with its lines.
func (v *Verdict) compare(what string, declared, listed float64) {
	switch {
	case declared == 0:
	case declared == listed || what == "kg" && near(declared, listed):
		v.agree++
	default:
		text := fmt.Sprintf("the list declares %.10g %s, and its lines have %.10g", declared, what, listed)
		v.differ = append(v.differ, text)
	}
}

// Verified reports whether the declared totals agree with the lines.
func (v Verdict) Verified() bool { return v.agree > 0 && v.differ == nil && !v.noBoxes }

// Better reports whether a reading is better than one of another division of the list,
// which is likelier by its headings: the totals of the list must say so.
func (v Verdict) Better(than Verdict, err error) bool {
	return v.Verified() && (err != nil || !than.Verified())
}

// Refusal returns the error of a reading that is not to be used, with its reasons and the
// first doubts, or nil.
func (v Verdict) Refusal(at tables.Place) error {
	e := Error{Place: at}
	var reasons, doubts []string
	switch {
	case v.named:
		e.Code, reasons, doubts = NoPallets, []string{"no line below the header row has a pallet number"}, v.doubts
	case v.noBoxes:
		e.Code, doubts = NoBoxes, v.values
		reasons = []string{"no line has a number of boxes; a packing list has them in a column for each pallet"}
	case v.differ != nil && (v.doubts != nil || len(v.differ) > 1 && v.agree == 0):
		e.Code, reasons, doubts = Contradicted, v.differ, v.doubts
	default:
		return nil
	}
	const most = 3 // doubts
	detail := strings.Join(slices.Concat(reasons, doubts[:min(most, len(doubts))]), "; ")
	e.Detail, _ = remarks.Shortened(detail, 4*remarks.MaxText)
	return &e
}
