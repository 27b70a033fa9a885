package packinglist

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// column is the number format of a column.
type column struct {
	style numbers.Style
	unit  float64 // in grams, from the heading or the cells; 0: not given
	units int     // index of the column of the units of its cells; 0: none
}

// usual is the usual range of a weight in kilograms. It decides between 1.234 and
// 1234 where the document has no unambiguous number.
var usual = map[field][2]float64{
	boxWeightField: {0.1, 50}, boxGrossField: {0.1, 50},
	netField: {30, 2_000}, grossField: {30, 2_000}, weightField: {30, 2_000},
}

// columns detects the number format of each column of a sheet. A column without
// unambiguous numbers has the format of the others.
func (r *reader) columns(s *sheet) {
	s.unitColumns()
	texts := map[field][]string{}
	var all styles
	for f := range fieldsThereAre {
		if _, weight := usual[f]; !s.header.has(f) || !weight && f != boxesField && f != palletsField {
			continue
		}
		col := s.header.column[f]
		s.columns[f].unit = unitIn(s.heading(f))
		for _, row := range s.Rows[s.header.to:] {
			if col >= len(row.Cells) || row.Cells[col].Text == "" {
				continue
			}
			if s.columns[f].unit == 0 {
				s.columns[f].unit = cmp.Or(unitIn(row.Cells[col].Text), unitIn(s.unitOf(row, f)))
			}
			if row.Cells[col].Number == "" {
				texts[f] = append(texts[f], row.Cells[col].Text)
			}
		}
		all.add(texts[f], counting(f))
	}
	common, _, _ := all.most()
	if r.style == numbers.Unclear {
		r.style = common
	}
	for f := range fieldsThereAre {
		if texts[f] == nil || counting(f) {
			continue
		}
		col, place := &s.columns[f], s.at(s.header.from, s.header.column[f])
		var these styles
		these.add(texts[f], false)
		own, mixed, open := these.most()
		switch col.style = own; {
		case own == numbers.Unclear && open && common != numbers.Unclear:
			col.style = common
		case own == numbers.Unclear && open:
			col.style = likelier(texts[f], usual[f])
			r.remark(NumberAmbiguous, place, "%s in column %s is ambiguous and was read as %s", unclearIn(texts[f]), s.heading(f), readAs(unclearIn(texts[f]), col.style))
		case mixed:
			r.remark(NumberAmbiguous, place, "column %s has both decimal points and decimal commas", s.heading(f))
		}
	}
}

// unitColumns finds columns of units, of which one is a weight: KG, BAG. They apply to
// the next quantity on the left that is not headed as boxes or with a unit, or else to
// any weight.
func (s *sheet) unitColumns() {
	for col := 1; col < len(s.header.headings); col++ {
		weights, others := 0, 0
		for _, row := range s.Rows[s.header.to:] {
			if col >= len(row.Cells) || row.Cells[col].Text == "" || others > 0 || len(filled(row)) < 3 {
				continue
			}
			if _, weight := numbers.Grams[strings.ToLower(strings.Trim(row.Cells[col].Text, " ."))]; weight && len(row.Cells[col].Text) > 1 {
				weights++
			} else if strings.ContainsFunc(row.Cells[col].Text, isDigit) {
				others++
			}
		}
		if weights == 0 || others > 0 {
			continue
		}
		nearest := noField
		for f := range fieldsThereAre {
			if s.header.column[f] == col {
				s.header.column[f] = -1
			}
			at, left := s.header.column[f], s.header.column[nearest]
			if _, weight := usual[f]; at < 0 || at > col || at < left || !weight && f != boxesField || unitIn(s.heading(f)) > 0 {
				continue
			}
			if concepts, _ := conceptsOf(s.heading(f)); f != boxesField || concepts&boxWord == 0 {
				nearest = f
			}
		}
		if nearest == noField {
			nearest = s.firstOf(boxWeightField, netField, weightField, grossField)
		}
		s.columns[nearest].units = col
	}
}

// unitOf returns the unit of a field in a row from the column of its units, if it is of
// weight.
func (s *sheet) unitOf(row tables.Row, f field) string {
	if col := s.columns[f].units; col > 0 && col < len(row.Cells) {
		unit := strings.ToLower(strings.Trim(row.Cells[col].Text, " ."))
		if _, weight := numbers.Grams[unit]; weight {
			return unit
		}
	}
	return ""
}

func (s *sheet) heading(f field) string { return s.header.headings[s.header.column[f]] }

// likelier returns the style in which more of the texts are in the usual range.
func likelier(texts []string, between [2]float64) numbers.Style {
	var points, commas int
	for _, text := range texts {
		n, _ := numbers.Split(text)
		if v, ok := numbers.Value(n.Digits, numbers.Point); ok && v >= between[0] && v <= between[1] {
			points++
		}
		if v, ok := numbers.Value(n.Digits, numbers.Comma); ok && v >= between[0] && v <= between[1] {
			commas++
		}
	}
	if commas > points {
		return numbers.Comma
	}
	return numbers.Point
}

// unclearIn returns the first text whose style is unclear.
func unclearIn(texts []string) string {
	return texts[slices.IndexFunc(texts, func(text string) bool {
		n, ok := numbers.Split(text)
		return ok && numbers.StyleOf(n.Digits) == numbers.Unclear
	})]
}

func readAs(text string, s numbers.Style) string {
	n, _ := numbers.Split(text)
	v, _ := numbers.Value(n.Digits, s)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// counting reports whether the numbers of a field are counts, without decimals.
func counting(f field) bool { return f == boxesField || f == palletsField || f == palletField }

// amount is the number in a cell. Weights are in grams.
type amount struct {
	value   float64
	place   Place
	present bool // the cell is not empty
	ok      bool // it is a valid number
}

// rounding is how far the format of a number may round it.
const rounding = 0.5

// amount reads the number of a field in a row. A number in a merged cell counts
// in its first row only.
func (r *reader) amount(s *sheet, row int, f field) amount {
	col := s.header.column[f]
	if col < 0 || col >= len(s.Rows[row].Cells) {
		return amount{}
	}
	c, a := s.Rows[row].Cells[col], amount{place: s.at(row, col)}
	if c.Merged && f != boxWeightField && f != boxGrossField || c.Text == "" || strings.Trim(c.Text, "-–—.") == "" {
		return a
	}
	a.present = true
	unit := ""
	if c.Number != "" {
		var err error
		a.value, err = strconv.ParseFloat(c.Number, 64)
		a.ok = err == nil
		n, plain := numbers.Split(c.Text)
		if plain {
			unit = fold(n.Unit)
		} else if strings.ContainsAny(c.Text, "%:") || isDate(c.Text) {
			a.ok = false // of another kind, by its format
		}
		if shown, ok := numbers.Value(n.Digits, numbers.Point); a.ok && (!plain || !ok || math.Abs(shown-a.value) > rounding) {
			r.remark(NumberAmbiguous, a.place, "the cell shows %q, and its number %s was read", c.Text, c.Number)
		}
	} else if n, ok := numbers.Split(c.Text); ok {
		in := s.columns[f].style
		if counting(f) {
			in = numbers.Thousands(n.Digits)
		}
		a.value, a.ok = numbers.Value(n.Digits, in)
		unit = n.Unit
	}
	unit = cmp.Or(unit, s.unitOf(s.Rows[row], f))
	if counting(f) {
		of := boxWord
		if f != boxesField {
			of = palletWord | palletsWord
		}
		if concepts, unknown := conceptsOf(unit); unit != "" && (concepts&of == 0 || concepts&^(of|trayWord) != 0 || unknown != nil) {
			a.ok = false
		}
		return a
	}
	in, ok := numbers.Grams[unit]
	switch {
	case ok && in != s.columns[f].unit:
		r.remark(UnitsMixed, a.place, "%s has another unit than the rest of column %s, %s", c.Text, s.heading(f), unit)
	case !ok:
		a.ok = a.ok && (unit == "" || c.Number != "")
		in = s.columns[f].unit
	}
	if in == 0 {
		in = 1000
	}
	a.value *= in
	a.ok = a.ok && a.value >= 0 && a.value <= float64(shipments.MaxDeclaredWeight)
	return a
}

// text returns the text of a field in a row.
func (s *sheet) text(row int, f field) (c cell, merged bool) {
	col := s.header.column[f]
	if col < 0 || col >= len(s.Rows[row].Cells) {
		return cell{}, false
	}
	found := s.Rows[row].Cells[col]
	return cell{found.Text, s.at(row, col)}, found.Merged
}

// filled returns the indexes of the cells of a row with a text of their own.
func filled(row tables.Row) (all []int) {
	for i, c := range row.Cells {
		if c.Text != "" && !c.Merged {
			all = append(all, i)
		}
	}
	return all
}
