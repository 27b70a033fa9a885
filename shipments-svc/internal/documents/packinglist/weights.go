package packinglist

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// lightestBox is the minimum weight of a box in grams. A weight of a line that
// would make its boxes lighter is the weight of one box.
const lightestBox = 200

// weights chooses the columns of the weights of boxes and of lines.
func (r *reader) weights(s *sheet) {
	s.box, s.whole = s.firstOf(boxWeightField, boxGrossField), s.firstOf(netField, weightField, grossField)
	if s.box == boxGrossField && s.whole == netField {
		s.box = noField
	}
	if s.box == boxWeightField && s.whole != netField {
		s.whole = noField
	}
	if s.box == noField && s.whole != noField && perBox(s) {
		r.remark(WeightKindAssumed, s.headingPlace(s.whole), "column %s was used as the weight of one box: its numbers are too small for whole lines", s.heading(s.whole))
		s.box, s.whole = s.whole, noField
	}
	if s.box != noField && s.whole != noField {
		quietReader().unit(s, s.whole) // used only for lines without a box weight
	}
	used := s.firstOf(s.box, s.whole)
	if used == noField {
		return
	}
	if used == grossField || used == boxGrossField {
		r.remark(GrossWeightUsed, s.headingPlace(used), "there is no net weight; the gross weights of column %s were used", s.heading(used))
	}
	r.unit(s, used)
	r.weightNotes(s, used)
}

// weightNotes remarks on texts outside of the table, and on words of its heading, that
// say otherwise of the weights of a column: "All weights are gross weights".
func (r *reader) weightNotes(s *sheet, used field) {
	concepts, _ := conceptsOf(s.heading(used))
	if used == weightField && concepts&(palletWord|perWord) == palletWord {
		r.remark(WeightKindAssumed, s.headingPlace(used), "column %s was used as the net weight; it may include the pallet", s.heading(used))
	}
	for i, row := range s.Rows {
		if cells := filled(row); len(cells) == 1 && (i < s.header.from || i >= s.header.to) {
			text := row.Cells[cells[0]].Text
			concepts, _ := conceptsOf(text)
			if unit := weightUnit(row); unit > 0 && unit != s.columns[used].unit {
				r.remark(UnitsMixed, s.at(i, cells[0]), "%s: the weights of column %s were read as %s", text, s.heading(used), unitName(s.columns[used].unit))
			}
			if concepts&grossWord != 0 && concepts&(weightWord|unitWord) != 0 && used != grossField && used != boxGrossField && !strings.ContainsFunc(text, isDigit) && !totals(fold(text)) && len(wordsOf(text)) > 2 {
				r.remark(GrossWeightUsed, s.at(i, cells[0]), "%s: the weights of column %s were read as net weights", text, s.heading(used))
			}
		}
	}
}

// weightUnit returns the unit that a row with one text gives to weights, or 0.
func weightUnit(row tables.Row) float64 {
	if cells := filled(row); len(cells) == 1 && isSentence(row.Cells[cells[0]].Text) {
		if concepts, _ := conceptsOf(row.Cells[cells[0]].Text); concepts&weightWord != 0 {
			return unitIn(row.Cells[cells[0]].Text)
		}
	}
	return 0
}

// isSentence reports whether a text is neither a label nor a total.
func isSentence(text string) bool {
	const words = 3
	_, label := factKindOf(text)
	return !label && !strings.ContainsAny(text, ":=") && !totals(fold(text)) && len(wordsOf(text)) >= words
}

// firstOf returns the first field that has a column.
func (s *sheet) firstOf(fields ...field) field {
	for _, f := range fields {
		if s.header.has(f) {
			return f
		}
	}
	return noField
}

// headingPlace returns the place of a field's heading.
func (s *sheet) headingPlace(f field) Place { return s.at(s.header.from, s.header.column[f]) }

// perBox reports whether the weights of lines are so small that they must be those
// of single boxes.
func perBox(s *sheet) bool {
	var each, single []float64
	for i := s.header.to; i < len(s.Rows); i++ {
		if label, _ := s.label(i); label.text == "" {
			continue
		}
		boxes, w := quietAmount(s, i, boxesField), quietAmount(s, i, s.whole)
		if boxes.ok && w.ok && boxes.value >= 1 && w.value > 0 {
			each, single = append(each, w.value/boxes.value), append(single, w.value)
		}
	}
	if each == nil {
		return false
	}
	slices.Sort(each)
	slices.Sort(single)
	return each[len(each)/2] < lightestBox && single[len(single)/2] >= lightestBox
}

// quietAmount reads an amount without remarks.
func quietAmount(s *sheet, row int, f field) amount {
	return quietReader().amount(s, row, f)
}

// quietReader returns a reader that discards remarks.
func quietReader() *reader { return &reader{quiet: true} }

// unit sets the unit of a column without one: that of the letterhead, of a note below,
// or else kilograms.
func (r *reader) unit(s *sheet, f field) {
	c := &s.columns[f]
	for i := 0; c.unit == 0 && i < s.header.from; i++ {
		for _, cell := range s.Rows[i].Cells {
			if concepts, _ := conceptsOf(cell.Text); concepts&weightWord != 0 && c.unit == 0 {
				c.unit = unitIn(cell.Text)
			}
		}
	}
	for i := s.header.to; c.unit == 0 && i < len(s.Rows); i++ {
		c.unit = weightUnit(s.Rows[i])
	}
	if severalUnits(s.heading(f)) {
		r.remark(UnitAssumed, s.headingPlace(f), "column %s has several units; its weights were read as %s", s.heading(f), unitName(c.unit))
	}
	switch c.unit {
	case 0:
		c.unit = 1000
		r.remark(UnitAssumed, s.headingPlace(f), "column %s has no unit; kilograms were assumed", s.heading(f))
	case 1000:
	default:
		r.remark(UnitConverted, s.headingPlace(f), "the weights of column %s were converted to kilograms", s.heading(f))
	}
}

// rounded returns a box weight in whole grams, or 0 outside the domain's limits.
func rounded(weight float64) shipments.Grams {
	if weight < 0.5 || weight > float64(shipments.MaxBoxWeight) {
		return 0
	}
	return shipments.Grams(weight + 0.5)
}

// Limits of plausible box weights in grams: from a tray of herbs to the 25 kg that
// one person should lift (ISO 11228-1), with a margin.
const (
	leastBox = 100
	mostBox  = 30_000
)

// checkPlausible remarks on implausible box weights, and on lines whose boxes × box
// weight differ from the net weight, once for a sheet.
func (r *reader) checkPlausible(s *sheet, lines []line) {
	var implausible, differ []line
	of := map[string]int{} // lines of a pallet; one may have the weight of all
	for _, l := range lines {
		of[l.pallet.text]++
	}
	for _, l := range lines {
		if w := l.weight(); l.boxes.ok && w > 0 && (w < leastBox || w > mostBox) {
			implausible = append(implausible, l)
		}
		if l.boxes.ok && l.box.ok && l.whole.ok && s.whole == netField && !near(l.boxes.value*l.box.value, l.whole.value) && of[l.pallet.text] == 1 {
			differ = append(differ, l)
		}
	}
	if implausible != nil {
		odd := implausible[0]
		from := odd.box
		if !from.ok {
			from = odd.whole
		}
		r.remark(WeightImplausible, from.place, "%s has a box weight of %s kg, from %s%d under %q", counted(len(implausible), "line with an implausible box weight:", "lines with implausible box weights: the first"),
			kilograms(odd.weight()), tables.ColumnName(from.place.Column), from.place.Row, s.headingAt(from.place))
	}
	if differ != nil {
		other := differ[0]
		r.remark(WeightsDiffer, other.whole.place, "%s: %s boxes of %s kg differ from the %s kg of %s%d under %q", counted(len(differ), "line is inconsistent", "lines are inconsistent, the first"),
			kilograms(1000*other.boxes.value), kilograms(other.box.value), kilograms(other.whole.value), tables.ColumnName(other.whole.place.Column), other.whole.place.Row, s.headingAt(other.whole.place))
	}
}

// headingAt returns the heading of the column of a place.
func (s *sheet) headingAt(at Place) string {
	if col := at.Column - 1; col >= 0 && col < len(s.header.headings) {
		return s.header.headings[col]
	}
	return ""
}

func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

func kilograms(grams float64) string { return strconv.FormatFloat(math.Round(grams)/1000, 'f', -1, 64) }
