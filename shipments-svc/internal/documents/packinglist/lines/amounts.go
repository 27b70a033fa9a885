package lines

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// rounding is how far the format of a number may round it.
const rounding = 0.5

// amount reads the number of a field in a row. A number in a merged cell counts
// in its first row only.
func (r *reader) amount(i int, f vocabulary.Field) (a Amount) {
	c, col := r.cell(i, f)
	box := f == vocabulary.BoxWeight || f == vocabulary.BoxGross
	if f == vocabulary.None || col < 0 || c.Merged && !box || c.Text == "" || strings.Trim(c.Text, "-–—.") == "" {
		return a
	}
	a = Amount{Text: c.Text, Place: r.t.At(i, col), Present: true}
	counting, unit := f == vocabulary.Boxes, ""
	if c.Number != "" {
		unit = r.stored(&a, c.Number)
	} else if n, ok := numbers.Split(c.Text); ok {
		in := r.m.Column(f).Style
		if counting {
			in = numbers.Thousands(n.Digits)
		}
		a.Value, a.OK = numbers.Value(n.Digits, in)
		unit = n.Unit
	}
	unit = cmp.Or(unit, r.m.UnitOf(r.t.Rows[i], f))
	if counting {
		a.OK = a.OK && (unit == "" || vocabulary.IsA(unit, vocabulary.Box, vocabulary.Tray|vocabulary.Quantity))
		return a
	}
	column := r.m.Column(f)
	in, known := numbers.Grams[unit]
	switch {
	case known && in != column.Unit:
		r.Remarks.Add("units_mixed", a.Place, c.Text, column.Text, unit)
	case !known:
		a.OK = a.OK && (unit == "" || c.Number != "")
		in = column.Unit
	}
	a.Value *= cmp.Or(in, 1000)
	a.OK = a.OK && math.Abs(a.Value) <= float64(shipments.MaxDeclaredWeight)
	return a
}

// stored reads the stored number of a cell, and returns the unit that the cell shows.
func (r *reader) stored(a *Amount, number string) (unit string) {
	var err error
	a.Value, err = strconv.ParseFloat(number, 64)
	a.OK = err == nil
	n, plain := numbers.Split(a.Text)
	if plain {
		unit = vocabulary.Fold(n.Unit)
	} else if strings.ContainsAny(a.Text, "%:") || IsDate(a.Text) {
		a.OK = false // of another kind, by its format
	}
	if shown, ok := numbers.Value(n.Digits, numbers.Point); a.OK && (!plain || !ok || math.Abs(shown-a.Value) > rounding) {
		r.Remarks.Add("number_ambiguous/format", a.Place, a.Text, number)
	}
	return unit
}

// validate remarks on invalid numbers of a line and discards them.
func (r *reader) validate(i int, l *Line) {
	short := func(text string) string { text, _ = remarks.Shortened(text, shipments.MaxCalibre); return text }
	switch b := &l.Boxes; {
	case !b.Present:
	case !b.OK:
		text := strings.TrimSpace(short(b.Text) + " " + r.m.UnitOf(r.t.Rows[i], vocabulary.Boxes))
		r.Remarks.Add("not_a_number/boxes", b.Place, text)
	case math.Abs(b.Value) > shipments.MaxBoxes || b.Value != math.Trunc(b.Value) || b.Value == 0:
		text := short(b.Text)
		if c, _ := r.cell(i, vocabulary.Boxes); c.Number != "" {
			text = c.Number // its format may round it
		}
		r.Remarks.Add("out_of_range/boxes", b.Place, text, shipments.MaxBoxes)
		b.OK = false
	}
	for _, w := range []*Amount{&l.Box, &l.Net} {
		if w.OK && w.Value < 0 && !(l.Boxes.OK && l.Boxes.Value < 0) {
			w.OK = false
		}
		if w.Present && !w.OK {
			r.Remarks.Add("not_a_number/weight", w.Place, short(w.Text))
		}
	}
	if n := len(l.Pallet.Value); l.Own && r.m.Has(vocabulary.SSCC) && n >= 16 && n < 18 &&
		strings.Trim(l.Pallet.Value, "0123456789") == "" {
		r.Remarks.Add("not_a_number/sscc", l.Pallet.Place, l.Pallet.Value, n)
	}
	label, _ := r.cell(i, vocabulary.PalletNumber)
	if c := l.Pallet; l.Own && IsDate(c.Value) && (strings.ContainsFunc(c.Value, unicode.IsLetter) || label.Number != "") {
		r.Remarks.Add("date_in_pallet", c.Place, c.Value)
	}
	if c := l.Calibre; IsDate(c.Value) {
		r.Remarks.Add("date_in_calibre", c.Place, c.Value)
	}
}

// packText matches the weight in "CTN 4.5KG", "12 x 125 g".
var packText = regexp.MustCompile(`(?i)(?:(\d{1,3})\s*[x×*]\s*)?(\d{1,4}(?:[.,]\d{1,3})?)\s*([a-z]+)\b`)

// PackWeight parses the weight of a box. in is the unit of a number without one,
// or 0.
func PackWeight(text string, in float64) Amount {
	if n, ok := numbers.Split(text); ok && n.Unit == "" && in > 0 {
		v, ok := numbers.Value(n.Digits, numbers.Point)
		return Amount{Value: v * in, Present: true, OK: ok}
	}
	for _, m := range packText.FindAllStringSubmatch(text, -1) {
		unit := numbers.Grams[strings.ToLower(m[3])]
		v, err := strconv.ParseFloat(strings.Replace(m[2], ",", ".", 1), 64)
		if unit == 0 || err != nil {
			continue
		}
		if times, err := strconv.Atoi(m[1]); err == nil {
			v *= float64(times)
		}
		return Amount{Value: v * unit, Present: true, OK: v > 0}
	}
	return Amount{}
}

// packOf returns the box weight of a line of a list without a column of weights: from its
// kind of box, or else that of the list.
func (r *reader) packOf(i int) Amount {
	for _, f := range []vocabulary.Field{vocabulary.Pack, vocabulary.Produce, vocabulary.Variety} {
		c := r.text(i, f)
		if given, ok := r.t.Given(i, f); ok && c.Value == "" {
			c = Text{given.Whole, given.Place}
		}
		if a := PackWeight(c.Value, 0); a.OK {
			if !r.remarked {
				r.Remarks.Add("weight_from_pack/"+string(f), c.Place, c.Value)
			}
			r.remarked, a.Place = true, c.Place
			return a
		}
	}
	return r.pack
}

// letterhead reads the box weight above or below a list that applies to each of its lines:
// "Box weight: 4 kg", "4 KG CARTONS".
func (r *reader) letterhead() {
	r.pack = Amount{}
	below := r.end()
	for i, row := range r.t.Rows {
		cells := layout.Filled(row)
		for n, col := range cells {
			if i >= r.t.From && i < below || r.pack.OK {
				break
			}
			name, value, found := strings.Cut(row.Cells[col].Text, ":")
			if strings.TrimSpace(value) == "" && n+1 < len(cells) {
				value, found = row.Cells[cells[n+1]].Text, true
			}
			if f := vocabulary.MeaningOf(name).Field; found && (f == vocabulary.BoxWeight || f == vocabulary.Pack) {
				r.pack = PackWeight(value, layout.Unit(name))
				r.pack.Place = r.t.At(i, col)
			}
			if !r.pack.OK {
				r.packIn(row.Cells[col].Text, r.t.At(i, col))
			}
		}
	}
	if col := r.m.At(vocabulary.Boxes); col >= 0 {
		r.packIn(r.t.Heading(col), r.t.At(r.t.From, col))
	}
	if c, ok := r.t.Given(r.t.To, vocabulary.Produce); ok && !r.m.Has(vocabulary.Produce) {
		r.Remarks.Add("produce_from_head", c.Place, c.Text)
	}
	if r.m.First(mapping.Weights...) == vocabulary.None && r.pack.OK {
		r.Remarks.Add("weight_from_head", r.pack.Place)
	}
}

// packIn reads the weight of each box from a text that has one and names boxes or their
// produce, but no total.
func (r *reader) packIn(text string, at tables.Place) {
	of, _ := vocabulary.Of(text)
	about := of&(vocabulary.Box|vocabulary.Per) != 0 || reference.CommodityOf(text) != nil
	if a := PackWeight(text, 0); about && a.OK &&
		of&(vocabulary.Total|vocabulary.Gross|vocabulary.Pallet|vocabulary.Pallets) == 0 &&
		a.Value >= float64(reference.LightestBox) && a.Value <= float64(reference.UsualBox) {
		r.pack, r.pack.Place = a, at
	}
}
