package lines

import (
	"cmp"
	"math"
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
	if label == "" && !r.unlabelled(i) {
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
		if n, ok := palletCount(r.text(i, f).Value); ok && t.Pallets == 0 {
			t.Pallets = n
		}
	}
	t.Declared = facts.Either(t.Declared, facts.Counts(r.t.Table, i, r.m.Style))
	if t.Group = t.Boxes > 0 && float64(t.Boxes) == r.since; !again {
		r.since = 0
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

// unlabelled reports whether a row is a row of totals without a known label: it has no
// label, an unknown word or the number of pallets, otherwise amounts only, and the
// boxes of all lines above. Unlike all labels above, a word without a number is that
// of a total, too, if the row has amounts only or the boxes since the last total.
func (r *reader) unlabelled(i int) bool {
	boxes := r.amount(i, vocabulary.Boxes)
	if label, _ := r.label(i); r.unnumbered(i) &&
		(boxes.Value == r.count || boxes.Value == r.since || !strings.ContainsFunc(label.Value, latin)) {
		return true
	}
	if r.sums(i, boxes) {
		return true
	}
	if !boxes.OK || len(r.Lines.Lines)+len(r.before) < 2 || r.describes(i) || r.count != boxes.Value {
		return false
	}
	label, _ := r.label(i)
	return !r.numbered(i) || r.countsPallets(label.Value) && !r.hasPalletAfter(i)
}

// sums reports whether the numbers of a row are the sums of all lines or of those since
// the last total, at least two, whatever its label is. A line names its contents.
func (r *reader) sums(i int, boxes Amount) bool {
	if !boxes.OK || r.unnamed || r.describes(i) || boxes.Value != r.since && boxes.Value != r.count {
		return false
	}
	n, net, all := 0, 0.0, 0.0
	for k := len(r.Lines.Lines) - 1; k >= 0 && all < boxes.Value; k-- {
		all, net, n = all+r.Lines.Lines[k].Boxes.Value, net+r.Lines.Lines[k].Net.Value, n+1
	}
	whole := r.amount(i, r.m.First(vocabulary.NetWeight, vocabulary.AnyWeight, vocabulary.GrossWeight))
	return n > 1 && (!whole.OK || math.Abs(whole.Value-net) <= 0.01*net)
}

// unnumbered reports whether a row has boxes and a label without a digit, although the
// lines above, at least two, have labels with digits.
func (r *reader) unnumbered(i int) bool {
	label, merged := r.label(i)
	boxes := r.amount(i, vocabulary.Boxes)
	if label.Value == "" || merged || r.numbered(i) || ditto(label.Value) && r.since != boxes.Value {
		return false
	}
	for _, l := range r.Lines.Lines[min(r.labels.lines, len(r.Lines.Lines)):] {
		r.labels.add(l.Pallet.Value)
	}
	return r.labels.several && !r.labels.words && boxes.OK
}

// labelKinds is what is known of the labels of the first lines.
type labelKinds struct {
	lines   int    // the number of those lines
	first   string // the first one
	several bool   // there are at least two
	words   bool   // one has no digit
}

func (k *labelKinds) add(label string) {
	if k.lines == 0 {
		k.first = label
	}
	k.lines++
	k.several = k.several || label != k.first
	k.words = k.words || !strings.ContainsFunc(label, unicode.IsDigit)
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
