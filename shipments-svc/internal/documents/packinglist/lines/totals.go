package lines

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/facts"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// maxTotalText is the maximum length of the label of a row of totals.
const maxTotalText = 60

// total reads a row of totals. It returns false for other rows.
func (r *reader) total(i int) bool {
	own, _ := r.label(i)
	last := r.last()
	again := own.Value != "" && last != nil && last.Pallet.Value == own.Value // the total of a pallet
	label := r.totalLabel(i, own.Value, again)
	if label == "" && !r.sums(i) {
		return false
	}
	t := Total{
		Place: r.t.At(i, -1),
		Grand: vocabulary.GrandText.MatchString(label),
		Part:  again || vocabulary.PartText.MatchString(label),
		Since: r.since,
	}
	if !t.Part && !t.Grand { // "Total pallet" below the lines of a pallet
		of, unknown := vocabulary.Of(label)
		t.Part = unknown == nil && of&vocabulary.Pallet != 0 && r.t.Kind == shipments.BlocksLayout
	}
	if a := r.amount(i, vocabulary.Boxes); a.OK {
		t.Boxes = int(a.Value)
	}
	if a := r.amount(i, r.m.First(vocabulary.NetWeight, vocabulary.AnyWeight)); a.OK && r.m.Has(vocabulary.NetWeight) {
		t.NetWeight = shipments.Grams(a.Value + 0.5)
	}
	for _, f := range []vocabulary.Field{vocabulary.PalletCount, vocabulary.PalletNumber} {
		if n, ok := palletCount(r.text(i, f).Value); ok && t.Pallets == 0 && n != t.Boxes { // not a total of boxes
			t.Pallets = n
		}
	}
	t.Declared = facts.Either(t.Declared, facts.Counts(r.t.Table, i, r.m.Style))
	if t.Group = t.Boxes > 0 && float64(t.Boxes) == r.since; !again {
		r.since, r.recent = 0, 0
	}
	if t.Boxes > 0 && float64(t.Boxes) == r.count { // the other totals of the sheet are part of it
		r.Totals = nil
		r.totalled = r.totalled || !t.Part
	}
	r.Totals = append(r.Totals, t)
	r.totalled = r.totalled || t.Grand
	return true
}

// totalLabel returns the label of a row of totals, folded, or "". A row with a pallet
// number or a calibre is none, unless it repeats the boxes of its pallet.
func (r *reader) totalLabel(i int, own string, again bool) string {
	labelled := own != "" && !vocabulary.IsTotal(vocabulary.Fold(own)) // another cell may name a variety
	calibre := r.text(i, vocabulary.Calibre).Value
	if calibre != "" && !vocabulary.IsTotal(vocabulary.Fold(calibre)) &&
		(own == "" || labelled) { // a row of totals has no calibre
		return ""
	}
	for n, col := range layout.Filled(r.t.Rows[i]) {
		text := r.t.Rows[i].Cells[col].Text
		if n >= 3 {
			break
		}
		if len(text) >= maxTotalText || !strings.ContainsFunc(text, unicode.IsLetter) {
			continue
		}
		text = vocabulary.Fold(text)
		if vocabulary.IsTotal(text) && (!labelled || again && r.repeatsBoxes(i, own)) || vocabulary.OnlyTotal(text) {
			return text
		}
	}
	return ""
}

// sums reports whether a row without a known label is one of totals: its boxes are those of
// at least two lines, of all or since the last total, and its label is unlike those above,
// is none, or is the number of pallets, or it does not name contents as lines do.
func (r *reader) sums(i int) bool {
	boxes := r.amount(i, vocabulary.Boxes)
	label, _ := r.label(i)
	all := boxes.Value == r.count
	switch {
	case !boxes.OK:
		return false
	case r.unnumbered(i):
		return all || boxes.Value == r.since || !strings.ContainsFunc(label.Value, latin)
	case r.describes(i) || (!all || r.lines <= 1) && (boxes.Value != r.since || r.recent <= 1):
		return false
	case !r.unnamed || all && !r.numbered(i):
		return true
	}
	return all && r.countsPallets(label.Value) && !r.hasPalletAfter(i)
}

// unnumbered reports whether a row has boxes and a label without a digit, although the
// lines above, at least two, have labels with digits.
func (r *reader) unnumbered(i int) bool {
	label, merged := r.label(i)
	boxes := r.amount(i, vocabulary.Boxes)
	return label.Value != "" && !merged && !r.numbered(i) && !(ditto(label.Value) && r.since != boxes.Value) &&
		r.several && !r.worded && boxes.OK
}

// hasPalletAfter reports whether a row after this one has a pallet number and boxes.
func (r *reader) hasPalletAfter(i int) bool {
	for n := i + 1; n < len(r.t.Rows); n++ {
		if label, _ := r.label(n); label.Value != "" && r.amount(n, vocabulary.Boxes).OK {
			return true
		}
	}
	return false
}

// palletCount parses a number of pallets: "20", "20 pallets".
func palletCount(text string) (int, bool) {
	n, ok := numbers.Split(text)
	count, valid := numbers.Value(n.Digits, numbers.Point)
	const pallets = vocabulary.Pallet | vocabulary.Pallets
	return int(
			count,
		), ok && valid && count == float64(int(count)) &&
			(n.Unit == "" || vocabulary.IsA(n.Unit, pallets, pallets))
}

// countsPallets reports whether a text is the number of pallets above.
func (r *reader) countsPallets(text string) bool {
	count, ok := palletCount(text)
	keys := map[string]bool{}
	for _, l := range slices.Concat(r.before, r.Lines.Lines) {
		keys[strings.ToUpper(l.Pallet.Value)] = true
	}
	return ok && count == len(keys)
}

// repeatsBoxes reports whether the boxes of a row are those of a pallet, the last.
func (r *reader) repeatsBoxes(row int, pallet string) bool {
	sum := 0.0
	for i := len(r.Lines.Lines) - 1; i >= 0 && r.Lines.Lines[i].Pallet.Value == pallet; i-- {
		sum += r.Lines.Lines[i].Boxes.Value
	}
	return cmp.Compare(r.amount(row, vocabulary.Boxes).Value, sum) == 0
}

func latin(r rune) bool { return unicode.Is(unicode.Latin, r) }
