package packinglist

import (
	"math"
	"slices"
	"strconv"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// lightestBox is what a box weighs at least, in grams: a weight that would
// come to less for each box of its line is that of one box.
const lightestBox = 200

// weights decides which columns say what boxes and what whole lines weigh.
func (r *reader) weights(s *sheet) {
	s.box, s.whole = s.either(boxWeightField, boxGrossField), s.either(netField, weightField, grossField)
	if s.box == boxGrossField && s.whole == netField {
		s.box = noField
	}
	if s.box == boxWeightField && s.whole != netField {
		s.whole = noField
	}
	if s.box == noField && s.whole != noField && eachBox(s) {
		r.remark(WeightKindAssumed, s.headed(s.whole), "the column %s is taken for the weight of one box: its numbers are too small for whole lines", s.heading(s.whole))
		s.box, s.whole = s.whole, noField
	}
	if s.box != noField && s.whole != noField {
		silent().unit(s, s.whole) // it is only for lines that do not say what a box weighs
	}
	used := s.either(s.box, s.whole)
	if used == noField {
		return
	}
	if used == grossField || used == boxGrossField {
		r.remark(GrossWeightUsed, s.headed(used), "there is no net weight; the gross weights of the column %s were taken", s.heading(used))
	}
	r.unit(s, used)
}

// either returns the first field that the list has a column of.
func (s *sheet) either(fields ...field) field {
	for _, f := range fields {
		if s.header.has(f) {
			return f
		}
	}
	return noField
}

// headed returns the place of a field's heading.
func (s *sheet) headed(f field) Place { return s.at(s.header.from, s.header.column[f]) }

// eachBox reports whether the weights of whole lines are so small that they
// must be those of single boxes.
func eachBox(s *sheet) bool {
	var each, single []float64
	for i := s.header.to; i < len(s.Rows); i++ {
		if label, _ := s.label(i); label.text == "" {
			continue
		}
		boxes, w := quietly(s, i, boxesField), quietly(s, i, s.whole)
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

// quietly reads an amount without remarks.
func quietly(s *sheet, row int, f field) amount {
	return silent().amount(s, row, f)
}

// silent returns a reader whose remarks nobody sees.
func silent() *reader { return &reader{quiet: true} }

// unit settles the unit of a column that says none: that of the letterhead, or
// else kilograms.
func (r *reader) unit(s *sheet, f field) {
	c := &s.columns[f]
	for i := 0; c.unit == 0 && i < s.header.from; i++ {
		for _, cell := range s.Rows[i].Cells {
			if concepts, _ := conceptsOf(cell.Text); concepts&weightWord != 0 && c.unit == 0 {
				c.unit = unitIn(cell.Text)
			}
		}
	}
	switch c.unit {
	case 0:
		c.unit = 1000
		r.remark(UnitAssumed, s.headed(f), "no unit is given for the column %s; kilograms were assumed", s.heading(f))
	case 1000:
	default:
		r.remark(UnitConverted, s.headed(f), "the weights of the column %s were converted to kilograms", s.heading(f))
	}
}

// rounded returns a weight of a box as the domain has it; 0 where it cannot be
// one.
func rounded(weight float64) shipments.Grams {
	if weight < 0.5 || weight > float64(shipments.MaxBoxWeight) {
		return 0
	}
	return shipments.Grams(weight + 0.5)
}

// What a box of fresh produce weighs, in grams: from a tray of herbs to what
// one person may lift (ISO 11228-1 gives 25 kg), with a margin.
const (
	leastBox = 100
	mostBox  = 30_000
)

// plausible remarks on weights that boxes of produce do not have, and on lines
// whose boxes and weights contradict each other, once for a sheet.
func (r *reader) plausible(s *sheet, lines []line) {
	implausible, differ := 0, 0
	var odd, other line
	of := map[string]int{} // lines of a pallet, of which one may have the weight of them all
	for _, l := range lines {
		of[l.pallet.text]++
	}
	for _, l := range lines {
		if w := l.weight(); l.boxes.ok && w > 0 && (w < leastBox || w > mostBox) {
			if implausible++; implausible == 1 {
				odd = l
			}
		}
		if l.boxes.ok && l.box.ok && l.whole.ok && s.whole == netField && !near(l.boxes.value*l.box.value, l.whole.value) && of[l.pallet.text] == 1 {
			if differ++; differ == 1 {
				other = l
			}
		}
	}
	if implausible > 0 {
		from := odd.box
		if !from.ok {
			from = odd.whole
		}
		r.remark(WeightImplausible, from.place, "%s would weigh %s kg by %s%d, under %q", counted(implausible, "line has boxes that", "lines have boxes, of which the first"),
			kilograms(odd.weight()), letters(from.place.Column-1), from.place.Row, s.above(from.place))
	}
	if differ > 0 {
		r.remark(WeightsDiffer, other.whole.place, "%s: %s boxes of %s kg are not the %s kg of %s%d, under %q", counted(differ, "line contradicts itself", "lines contradict themselves, of which the first"),
			kilograms(1000*other.boxes.value), kilograms(other.box.value), kilograms(other.whole.value), letters(other.whole.place.Column-1), other.whole.place.Row, s.above(other.whole.place))
	}
}

// above returns the heading above a place.
func (s *sheet) above(at Place) string {
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
