package lines

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// ditto reports whether a text means "as above": a sign or a word.
func ditto(text string) bool {
	const longest = 20 // bytes
	return text != "" && len(text) <= longest && !strings.ContainsAny(text, "0123456789%") &&
		vocabulary.Ditto.MatchString(vocabulary.Fold(text))
}

// cell returns the cell of a field in a row.
func (r *reader) cell(i int, f vocabulary.Field) (c tables.Cell, col int) {
	if col = r.Mapping.At(f); col >= 0 && col < len(r.t.Rows[i].Cells) {
		c = r.t.Rows[i].Cells[col]
	}
	return c, col
}

// text returns the text of a field in a row.
func (r *reader) text(i int, f vocabulary.Field) Text {
	c, col := r.cell(i, f)
	if c.Text == "" {
		return Text{}
	}
	if c.Date != "" && (f == vocabulary.Harvested || f == vocabulary.Packed) {
		c.Text = c.Date
	}
	return Text{Value: c.Text, Place: r.t.At(i, col)}
}

// label returns the SSCC of a row, or else its pallet number.
func (r *reader) label(i int) (c Text, merged bool) {
	for _, f := range []vocabulary.Field{vocabulary.SSCC, vocabulary.PalletNumber} {
		if c = r.text(i, f); c.Value != "" {
			found, _ := r.cell(i, f)
			merged = found.Merged
			break
		}
	}
	c.Value = strings.TrimSpace(strings.TrimPrefix(c.Value, "(00)")) // the identifier that says that it is an SSCC
	if strings.ContainsAny(c.Value, " ([-") {
		c.Value = strings.TrimSpace(vocabulary.Continued.ReplaceAllString(c.Value, ""))
	}
	if to := r.text(i, vocabulary.PalletTo); c.Value != "" && to.Value != "" && to.Value != c.Value {
		c.Value += " to " + to.Value
	}
	return c, merged
}

// textOr returns the text of a field in a row, or else that of a caption above.
func (r *reader) textOr(i int, f vocabulary.Field) Text {
	const quotes = "\"'〃”″“„’,"
	c := r.text(i, f)
	switch {
	case c.Value == "" && r.Mapping.Sparse(f) && r.above[f].Value != "":
		return r.above[f]
	case c.Value == "" || vocabulary.Fold(c.Value) == "" && !strings.ContainsAny(c.Value, quotes):
		return r.t.Given(i, f)
	case ditto(c.Value):
		return r.above[f]
	}
	r.above[f] = c
	return c
}

// produce returns the name of a row's produce with its variety, unless one contains the other.
func (r *reader) produce(i int) Text {
	p, v := r.textOr(i, vocabulary.Produce), r.textOr(i, vocabulary.Variety)
	produce, variety := vocabulary.Fold(p.Value), vocabulary.Fold(v.Value)
	switch {
	case strings.Contains(variety, produce):
		return v
	case strings.Contains(produce, variety):
		return p
	}
	return Text{Value: p.Value + " " + v.Value, Place: p.Place}
}

// denies reports whether the cell of a column denies that the pallet was shipped: Loaded: N; Cancelled: X.
func (r *reader) denies(col int, text string) bool {
	if col >= len(r.Mapping.Columns) {
		return false
	}
	of := r.Mapping.Columns[col].Meaning.Concepts & (vocabulary.Rejected | vocabulary.Shipped)
	if f, used := r.Mapping.Used(col); of == 0 || used && !slices.Contains(Also[:], f) {
		return false
	}
	value := vocabulary.Fold(text)
	no := vocabulary.Denial.MatchString(value)
	if of&vocabulary.Rejected != 0 {
		return !no && (value == "1" || !strings.ContainsFunc(value, unicode.IsDigit))
	}
	return no
}

// shipped remarks on a cell of a line that may mean that the pallet was not shipped.
func (r *reader) shipped(i, col int) {
	text := r.t.Rows[i].Cells[col].Text
	switch {
	case r.denies(col, text):
		r.Remarks.Add("not_shipped/column", r.t.At(i, col), r.t.Headings[col].Text, text)
	case !r.harmless[text]:
		r.harmless[text] = !NotShipped(&r.Remarks, text, r.t.At(i, col))
	}
}

// NotShipped remarks on a text that may mean that pallets were not shipped.
func NotShipped(r *remarks.List, text string, at tables.Place) bool {
	found := vocabulary.NotShipped.MatchString(vocabulary.Fold(text))
	if found {
		r.Add("not_shipped", at, text)
	}
	return found
}

// amount reads the number of a field in a row. A number in a merged cell counts in its first row only.
func (r *reader) amount(i int, f vocabulary.Field) (a Amount) {
	c, col := r.cell(i, f)
	box := f == vocabulary.BoxWeight || f == vocabulary.BoxGross
	if col < 0 || c.Merged && !box || strings.Trim(c.Text, "-–—.") == "" {
		return a
	}
	a = Amount{Text: c.Text, Place: r.t.At(i, col), Present: true}
	column := r.Mapping.Column(f)
	n, plain := numbers.Split(c.Text)
	style := column.Style
	if f == vocabulary.Boxes {
		style = numbers.Thousands(n.Digits)
	}
	a.Value, a.OK = numbers.Value(n.Digits, style)
	a.OK = a.OK && plain
	if c.Number != "" {
		r.stored(&a, c.Number)
	}
	if f == vocabulary.Boxes {
		a.OK = a.OK && (n.Unit == "" || vocabulary.IsA(n.Unit, vocabulary.Box|vocabulary.Bag,
			vocabulary.Tray|vocabulary.Punnet|vocabulary.Quantity))
		return a
	}
	unit := cmp.Or(n.Unit, r.Mapping.UnitBeside(r.t.Rows[i], col))
	in, known := numbers.Grams[unit]
	if !known {
		in, a.OK = column.Unit, a.OK && (unit == "" || c.Number != "")
	} else if in != column.Unit {
		r.Remarks.Add("units_mixed", a.Place, c.Text, column.Text, unit)
	}
	a.Value *= cmp.Or(in, 1000)
	a.OK = a.OK && math.Abs(a.Value) <= float64(list.MaxDeclaredWeight)
	return a
}

// stored replaces the number that a cell shows by the stored one, of which the format may show another kind.
func (r *reader) stored(a *Amount, number string) {
	const rounding = 0.5 // by the format
	v, err := strconv.ParseFloat(number, 64)
	differs := !a.OK || math.Abs(a.Value-v) > rounding
	a.Value, a.OK = v, err == nil && !strings.ContainsAny(a.Text, "%:") && !mapping.IsDate(a.Text)
	if a.OK && differs {
		r.Remarks.Add("number_ambiguous/format", a.Place, a.Text, number)
	}
}

// validate remarks on invalid values of a line and discards numbers.
func (r *reader) validate(i int, l *Line) {
	short := func(text string) string { text, _ = remarks.Shortened(text, list.MaxCalibre); return text }
	if b := &l.Boxes; b.Present && !b.OK {
		r.Remarks.Add("not_a_number/boxes", b.Place, short(b.Text))
	} else if b.OK && (b.Value < 1 || b.Value > list.MaxBoxes || b.Value != math.Trunc(b.Value)) {
		c, _ := r.cell(i, vocabulary.Boxes) // the format of its number may round it
		r.Remarks.Add("out_of_range/boxes", b.Place, cmp.Or(c.Number, short(b.Text)), list.MaxBoxes)
		b.OK = false
	}
	for _, w := range []*Amount{&l.Box, &l.Net} {
		if w.OK = w.OK && w.Value >= 0; w.Present && !w.OK {
			r.Remarks.Add("not_a_number/weight", w.Place, short(w.Text))
		}
	}
	isDate := func(f vocabulary.Field) bool { c, _ := r.cell(i, f); return c.Date != "" }
	named := mapping.IsDate(l.Pallet.Value) && strings.ContainsFunc(l.Pallet.Value, unicode.IsLetter)
	if p := l.Pallet; l.Own && (named || isDate(vocabulary.PalletNumber)) {
		r.Remarks.Add("date_in_pallet", p.Place, p.Value)
	}
	if mapping.IsDate(l.Calibre.Value) || isDate(vocabulary.Calibre) {
		r.Remarks.Add("date_in_calibre", l.Calibre.Place, l.Calibre.Value)
	}
}

// packText matches the weight in "CTN 4.5KG", "12 x 125 g".
var packText = regexp.MustCompile(`(?i)(?:(\d{1,3})\s*[x×*]\s*)?(\d{1,4}(?:[.,]\d{1,3})?)\s*([a-z]+)\b`)

// packWeight parses the weight of a box.
func packWeight(text string, at tables.Place) Amount {
	for _, m := range packText.FindAllStringSubmatch(text, -1) {
		v, _ := strconv.ParseFloat(strings.Replace(m[2], ",", ".", 1), 64)
		if times, err := strconv.Atoi(m[1]); err == nil {
			v *= float64(times)
		}
		if v *= numbers.Grams[strings.ToLower(m[3])]; v > 0 {
			return Amount{Value: v, Place: at, Present: true, OK: true}
		}
	}
	return Amount{}
}

// packOf returns the box weight of a line without a column of weights: from its kind of box, or that of the list.
func (r *reader) packOf(i int) Amount {
	c := r.textOr(i, vocabulary.Pack)
	a := packWeight(c.Value, c.Place)
	if !a.OK {
		return r.pack
	}
	if !r.remarked {
		r.Remarks.Add("weight_from_pack", c.Place, c.Value)
	}
	r.remarked = true
	return a
}

// letterhead reads the box weight above or below a list, or in the heading of its boxes: "4 KG CARTONS".
func (r *reader) letterhead() {
	r.pack = packIn(r.t.Heading(r.Mapping.At(vocabulary.Boxes)), r.t.At(r.t.From, -1))
	below := r.t.Below()
	for i, row := range r.t.Rows {
		if !r.pack.OK && (i < r.t.From || i >= below) {
			r.pack = packIn(layout.Sample(row), r.t.At(i, -1))
		}
	}
	if c := r.t.Given(r.t.To, vocabulary.Produce); c.Value != "" && !r.Mapping.Has(vocabulary.Produce) {
		r.Remarks.Add("produce_from_head", c.Place, c.Value)
	}
	if !r.Mapping.Weighs() && r.pack.OK {
		r.Remarks.Add("weight_from_head", r.pack.Place)
	}
}

// packIn returns the weight of each box from a text that has one and names boxes or their produce, but no total.
func packIn(text string, at tables.Place) Amount {
	a := packWeight(text, at)
	if a.Value < float64(reference.LightestBox) || a.Value > float64(reference.UsualBox) {
		return Amount{}
	}
	of, _ := vocabulary.Of(text)
	a.OK = of&(vocabulary.Total|vocabulary.Gross|vocabulary.Pallet|vocabulary.Pallets) == 0 &&
		(of&(vocabulary.Box|vocabulary.Per) != 0 || reference.CommodityOf(text) != "")
	return a
}
