package lines

import (
	"math"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/facts"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
)

// row is a row below the header.
type row struct {
	Line
	i         int
	cells     []int // that are filled
	label     Text  // its own pallet number
	described bool  // it has a produce, a variety or a calibre
}

// row classifies a row and reads it.
func (r *reader) row(i int) {
	cells := layout.Filled(r.t.Rows[i])
	if len(layout.Worded(r.t.Rows[i])) == 0 { // a rule of dashes is nothing either
		return
	}
	r.apart = r.apart || i > r.t.To && r.t.Rows[i].Number-r.t.Rows[i-1].Number > 1
	at, reason := r.t.At(i, -1), ""
	switch {
	case r.t.Captions[i]:
		r.apart = r.apart && !r.t.Gives(vocabulary.PalletNumber)
		reason = "it is a section row"
	case r.t.Repeats[i]:
		r.Remarks.Add("header_repeated", at)
		reason = "the header row is repeated"
	default:
		reason = r.content(r.parse(i, cells))
	}
	if skipped := &r.Skipped[len(r.Skipped)-1]; reason != "" && len(*skipped) < list.MaxSkippedRows {
		*skipped = skipped.With(list.Step{Stage: list.LinesStage, Where: at, Rule: "row", Note: reason})
	}
}

// parse reads the label and the amounts of a row.
func (r *reader) parse(i int, cells []int) row {
	box, whole := r.Mapping.WeightFields()
	w := row{i: i, cells: cells, Line: Line{
		Place: r.t.At(i, -1), Printed: r.t.Printed,
		Boxes: r.amount(i, vocabulary.Boxes),
		Box:   r.amount(i, box),
		Net:   r.amount(i, whole),
		Gross: r.amount(i, vocabulary.GrossWeight),
	}}
	for _, f := range []vocabulary.Field{vocabulary.Produce, vocabulary.Variety, vocabulary.Calibre} {
		w.described = w.described || r.text(i, f).Value != ""
	}
	w.label, w.Merged = r.label(i)
	above := r.last()
	if above != nil { // which ditto marks repeat
		for now, last := range map[*Amount]Amount{
			&w.Boxes: above.Boxes, &w.Box: above.Box, &w.Net: above.Net, &w.Gross: above.Gross,
		} {
			if ditto(now.Text) {
				*now = last
			}
		}
	}
	switch given := r.t.Given(i, vocabulary.PalletNumber); {
	case given.Value != "" && w.label.Value == "":
		w.Pallet, w.Own = given, above == nil || above.Pallet.Value != given.Value
	case w.label.Value != "" && !ditto(w.label.Value) && !w.Merged:
		w.Pallet, w.Own = w.label, true
		w.Continued = vocabulary.Continued.MatchString(r.text(i, vocabulary.PalletNumber).Value)
	case above != nil && (w.label.Value != "" || !r.apart):
		w.Pallet = above.Pallet
	}
	return w
}

// content reads a row as a total, a line or a note. It returns why it is no line.
func (r *reader) content(w row) string {
	switch {
	case r.total(w):
		return "it is a total row"
	case r.unlabelled(w):
		r.Remarks.Add("row_unread/label", w.Place, layout.Sample(r.t.Rows[w.i]))
		return "its label has no number, unlike those above"
	case !r.isLine(w):
		r.apart = true
		r.unread(w)
		NotShipped(&r.Remarks, layout.Sample(r.t.Rows[w.i]), w.Place)
		r.Facts.Row(r.t.Table, w.i)
		return "it is not a line of a pallet"
	case r.totalled && !r.unnamed && !w.described:
		r.Remarks.Add("table_skipped/summary", w.Place, layout.Sample(r.t.Rows[w.i]))
		return "it is part of a summary"
	case w.Pallet.Value == "":
		r.Remarks.Add("line_without_pallet", w.Place)
		return "neither it nor a row directly above has a pallet number"
	}
	r.complete(&w)
	r.Lines = append(r.Lines, w.Line)
	r.all.lines, r.recent.lines = r.all.lines+1, r.recent.lines+1
	if w.Boxes.OK {
		r.all.boxes, r.recent.boxes = r.all.boxes+w.Boxes.Value, r.recent.boxes+w.Boxes.Value
	}
	r.unnamed = r.unnamed || !w.described
	r.several = r.several || w.Pallet.Value != r.Lines[r.from].Pallet.Value
	r.worded = r.worded || !numbered(w.Pallet)
	r.apart = r.apart && !w.Own
	for _, col := range w.cells {
		r.shipped(w.i, col)
	}
	return ""
}

// isLine reports whether a row has a pallet number or an amount, as lines have.
func (r *reader) isLine(w row) bool {
	amounts := w.Boxes.OK || w.Box.OK || w.Net.OK || r.Mapping.Cartons && len(w.cells) > 1
	if w.Own && w.label.Value != "" { // a number of its own, rather than one of a caption
		amounts = amounts || w.Boxes.Present || w.Box.Present || w.Net.Present || len(w.cells) > 2
	}
	return amounts && !r.strange(w)
}

// complete reads the texts of a line.
func (r *reader) complete(w *row) {
	i, l := w.i, &w.Line
	if !r.Mapping.Weighs() {
		if l.Box = r.packOf(i); l.Box.OK {
			l.Net = Amount{} // a gross weight
		}
	}
	l.Produce, l.Calibre = r.produce(i), r.textOr(i, vocabulary.Calibre)
	for n, f := range Also {
		if l.Also[n] = r.textOr(i, f); f == vocabulary.Container && l.Also[n].Value == "" && !l.Own && r.last() != nil {
			l.Also[n] = r.last().Also[n] // a pallet is in one container
		}
	}
	if l.SSCC = r.textOr(i, vocabulary.SSCC); l.SSCC.Value == "" && mapping.SSCC(l.Pallet.Value) != "" {
		l.SSCC = l.Pallet
	}
	r.validate(i, l)
	var all strings.Builder
	for _, c := range r.t.Rows[i].Cells {
		all.WriteString(strings.ToLower(c.Text))
		all.WriteByte(0)
	}
	l.Row = all.String()
}

// unread remarks on a row that is not a line. It is a doubt if the row has amounts.
func (r *reader) unread(w row) {
	rule, amounts := "row_skipped", 0
	for _, c := range w.cells {
		if layout.IsQuantity(r.t.Rows[w.i].Cells[c].Text) {
			amounts++
		}
	}
	if amounts > 1 && len(w.cells) > 2 || r.t.Loose[w.i] {
		rule = "row_unread"
	}
	r.Remarks.Add(rule, w.Place, layout.Sample(r.t.Rows[w.i]))
}

// survey finds the forms of the labels of rows with boxes in all tables.
func (r *reader) survey() {
	for _, t := range r.Tables {
		r.t = t
		for i := t.To; i < len(t.Rows); i++ {
			if label, _ := r.label(i); label.Value != "" && r.counted(i) && !layout.IsTotal(t.Rows[i]) {
				r.forms[vocabulary.Form(label.Value)]++
			}
		}
	}
}

// counted reports whether a row has a number of boxes, or is a box.
func (r *reader) counted(i int) bool {
	if boxes, col := r.cell(i, vocabulary.Boxes); col >= 0 {
		return layout.IsQuantity(boxes.Text)
	}
	carton, _ := r.cell(i, vocabulary.Carton)
	return r.Mapping.Cartons && carton.Text != ""
}

// strange reports whether a row is unlike those of pallets: it has no possible boxes, and a label of another form.
func (r *reader) strange(w row) bool {
	same := r.forms[vocabulary.Form(w.label.Value)]
	if r.counted(w.i) {
		same--
	}
	counted := r.counted(w.i) && math.Abs(w.Boxes.Value) <= list.MaxBoxes
	return !counted && w.label.Value != "" && len(r.forms) > 0 && same <= 0
}

// unlabelled reports whether a row has boxes and a label without a digit, unlike the several labels above.
func (r *reader) unlabelled(w row) bool {
	worded := w.label.Value != "" && !w.Merged && !numbered(w.label)
	unlikeAbove := r.several && !r.worded
	sum := w.Boxes.Value == r.recent.boxes || w.Boxes.Value == r.all.boxes
	return worded && unlikeAbove && w.Boxes.OK && (sum || !ditto(w.label.Value))
}

func numbered(label Text) bool { return strings.ContainsFunc(label.Value, unicode.IsDigit) }

// total reads a row of totals. It returns false for other rows.
func (r *reader) total(w row) bool {
	label := r.totalLabel(w)
	if label == "" && !r.sums(w) {
		return false
	}
	t := Total{Grand: vocabulary.GrandText.MatchString(label), Part: vocabulary.PartText.MatchString(label)}
	if w.Boxes.OK && w.Boxes.Value >= 0 && w.Boxes.Value <= list.MaxDeclaredBoxes {
		t.Boxes = int(w.Boxes.Value)
	}
	if w.Net.OK && w.Net.Value >= 0 && r.Mapping.Has(vocabulary.NetWeight) {
		t.NetWeight = list.Grams(w.Net.Value + 0.5)
	}
	t.Declared = facts.Either(t.Declared, facts.Counts(r.t.Table, w.i))
	of, _ := vocabulary.Of(label)
	weight := of&(vocabulary.Net|vocabulary.Gross|vocabulary.Weight) != 0
	n, last := float64(t.Pallets), r.ofLast()
	switch { // what a number in the texts of the row counts
	case n > 0 && (n == r.all.boxes || n == r.recent.boxes || n == last.boxes):
		t.Pallets, t.Boxes = 0, t.Pallets
	case t.Pallets > 0 && t.Pallets == t.Boxes || weight && !w.Net.OK: // "Total pallets | 20", "Total net kg | 1056"
		t.Boxes = 0
	}
	boxes := float64(t.Boxes)
	t.Group = boxes > 0 && boxes == r.recent.boxes
	if boxes == last.boxes && last.lines > 1 && !t.Group {
		t.Part, r.partial = true, true
	}
	r.recent = run{}
	r.Totals = append(r.Totals, t)
	r.totalled = r.totalled || t.Grand || !t.Part && boxes > 0 && boxes == r.all.boxes
	return true
}

// ofLast returns the lines of the last pallet.
func (r *reader) ofLast() (last run) {
	for i := len(r.Lines) - 1; i >= r.from && r.Lines[i].Pallet.Value == r.last().Pallet.Value; i-- {
		last.lines, last.boxes = last.lines+1, last.boxes+r.Lines[i].Boxes.Value
	}
	return last
}

// totalLabel returns the label of a row of totals, folded, or "". Beside a calibre or the number of a pallet it may
// have no other words, unless the row is the label and its value, or has the boxes of the lines above.
func (r *reader) totalLabel(w row) string {
	const first, longest = 3, 60 // texts, and bytes of a label
	own, calibre := vocabulary.Fold(w.label.Value), vocabulary.Fold(r.text(w.i, vocabulary.Calibre).Value)
	sums := w.Boxes.OK && w.Boxes.Value == r.recent.boxes
	labelled := own != "" && !vocabulary.IsTotal(own) && len(w.cells) > 2 // another cell may name a variety
	of, _ := vocabulary.Of(calibre)
	pallets := of&(vocabulary.Pallet|vocabulary.Pallets) != 0 // "33 pallets"
	if calibre != "" && !pallets && !vocabulary.IsTotal(calibre) && (own == "" || labelled) {
		return ""
	}
	for _, col := range w.cells[:min(len(w.cells), first)] {
		text := r.t.Rows[w.i].Cells[col].Text
		if len(text) >= longest || !strings.ContainsFunc(text, unicode.IsLetter) {
			continue
		}
		if text = vocabulary.Fold(text); vocabulary.OnlyTotal(text) || (!labelled || sums) && vocabulary.IsTotal(text) {
			return text
		}
	}
	return ""
}

// sums reports whether a row without a known label is one of totals: its boxes are those of at least two lines, all or
// the last ones, and unlike these it names no contents or has no label with a number.
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
