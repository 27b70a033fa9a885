package lines

import (
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/facts"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// total reads a row of totals. It returns false for other rows.
func (r *reader) total(w row) bool {
	ofPallet, same := r.ofPallet(w.label.Value)
	label := r.totalLabel(w, ofPallet && w.Boxes.Value == same)
	if label == "" && !r.sums(w) {
		return false
	}
	t := Total{
		Place: w.Place,
		Grand: vocabulary.GrandText.MatchString(label),
		Part:  ofPallet || vocabulary.PartText.MatchString(label),
	}
	if w.Boxes.OK {
		t.Boxes = int(w.Boxes.Value)
	}
	if w.Net.OK && r.m.Has(vocabulary.NetWeight) {
		t.NetWeight = shipments.Grams(w.Net.Value + 0.5)
	}
	for _, f := range []vocabulary.Field{vocabulary.PalletCount, vocabulary.PalletNumber} {
		if n, ok := palletCount(r.text(w.i, f).Value); ok && t.Pallets == 0 && n != t.Boxes { // not a total of boxes
			t.Pallets = n
		}
	}
	t.Declared = facts.Either(t.Declared, facts.Counts(r.t.Table, w.i, r.m.Style))
	t.Group = t.Boxes > 0 && float64(t.Boxes) == r.recent.boxes
	if !ofPallet {
		r.recent = run{}
	}
	r.Totals = append(r.Totals, t)
	r.totalled = r.totalled || t.Grand || !t.Part && t.Boxes > 0 && float64(t.Boxes) == r.all.boxes
	return true
}

// ofPallet reports whether the last line is of a pallet, and its boxes.
func (r *reader) ofPallet(label string) (last bool, boxes float64) {
	for _, l := range slices.Backward(r.Lines.Lines) {
		if label == "" || l.Pallet.Value != label {
			break
		}
		last, boxes = true, boxes+l.Boxes.Value
	}
	return last, boxes
}

// totalLabel returns the label of a row of totals, folded, or "". Beside a calibre or the
// number of a pallet whose boxes it does not repeat, it may have no other words.
func (r *reader) totalLabel(w row, repeats bool) string {
	const first, longest = 3, 60 // texts, and bytes of a label
	own, calibre := vocabulary.Fold(w.label.Value), vocabulary.Fold(r.text(w.i, vocabulary.Calibre).Value)
	labelled := own != "" && !vocabulary.IsTotal(own) // another cell may name a variety
	if calibre != "" && !vocabulary.IsTotal(calibre) && (own == "" || labelled) {
		return ""
	}
	for _, col := range w.cells[:min(len(w.cells), first)] {
		text := r.t.Rows[w.i].Cells[col].Text
		if len(text) >= longest || !strings.ContainsFunc(text, unicode.IsLetter) {
			continue
		}
		if text = vocabulary.Fold(text); vocabulary.OnlyTotal(text) || (!labelled || repeats) && vocabulary.IsTotal(text) {
			return text
		}
	}
	return ""
}

// sums reports whether a row without a known label is one of totals: its boxes are those
// of at least two lines, all or the last ones, and unlike these it names no contents or has
// no label with a number.
func (r *reader) sums(w row) bool {
	all, recent := w.Boxes.Value == r.all.boxes, w.Boxes.Value == r.recent.boxes
	switch {
	case !w.Boxes.OK:
		return false
	case r.unlabelled(w):
		return all || recent || vocabulary.Foreign(w.label.Value)
	case w.described || (!all || r.all.lines < 2) && (!recent || r.recent.lines < 2):
		return false
	}
	return !r.unnamed || all && !numbered(w.label)
}

// palletCount parses a number of pallets: "20", "20 pallets".
func palletCount(text string) (int, bool) {
	n, ok := numbers.Split(text)
	count, valid := numbers.Value(n.Digits, numbers.Point)
	pallets := vocabulary.Pallet | vocabulary.Pallets
	return int(count), ok && valid && count == float64(int(count)) &&
		(n.Unit == "" || vocabulary.IsA(n.Unit, pallets, pallets))
}
