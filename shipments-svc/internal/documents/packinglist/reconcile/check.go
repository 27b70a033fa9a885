package reconcile

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Produce gives lines one produce, before their variety, if their tables have none.
func (s *Settled) Produce(one lines.Text) {
	given := false
	has := s.Read[0].Mapping.Has(vocabulary.Produce)
	for i := range s.Lines {
		switch l := s.Lines[i].Line; {
		case l.Produce.Value == "":
			l.Produce = one
			given = true
		case !has && !strings.Contains(vocabulary.Fold(l.Produce.Value), vocabulary.Fold(one.Value)):
			l.Produce = lines.Text{Value: one.Value + " " + l.Produce.Value, Place: one.Place}
			given = true
		}
	}
	if m := s.Read[0].Mapping; given && !m.Has(vocabulary.Produce) {
		side := "above"
		if t := s.Read[0].Table; one.Place.Sheet == t.Name && one.Place.Row > t.At(t.From, -1).Row {
			side = "below"
		}
		s.Remarks.Add(
			remarks.ProduceFromLetterhead+"/fact",
			one.Place,
			"the produce %q %s the list was used for each line",
			one.Value,
			side,
		)
	}
}

// WeighByTotal gives the lines of a list without any weight the net weight of the list
// divided by its boxes.
func WeighByTotal(all []*Settled, d shipments.Declared) {
	boxes := 0.0
	for _, s := range all {
		for _, l := range s.Lines {
			if boxes += l.Boxes.Value; l.weight() > 0 {
				return
			}
		}
	}
	each := float64(d.NetWeight) / max(boxes, 1)
	if each < float64(reference.LightestBox) || each > float64(reference.UsualBox) ||
		d.Boxes > 0 && float64(d.Boxes) != boxes {
		return
	}
	for _, s := range all {
		t := s.Read[0].Table
		s.Remarks.Add(
			remarks.WeightFromLetterhead+"/total",
			t.At(t.From, -1),
			"there is no weight of boxes; the net weight of the list, %s kg, was divided by its %.0f boxes",
			kilograms(float64(d.NetWeight)),
			boxes,
		)
		s.each(func(l *Line) { l.Box = lines.Amount{Value: each, Present: true, OK: true, Place: l.Place} })
	}
}

// Listed reports whether other tables list each of the pallets.
func (s *Settled) Listed(all []*Settled) bool {
	listed := map[string]bool{}
	for _, other := range all {
		if other != s {
			for _, l := range other.Lines {
				listed[l.Pallet] = true
			}
		}
	}
	return !slices.ContainsFunc(s.Lines, func(l Line) bool { return !listed[l.Pallet] })
}

// Check remarks on weights that are assumed, implausible or inconsistent, once for tables
// with the same mapping.
func (s *Settled) Check() {
	if len(s.Lines) == 0 {
		return
	}
	if used := s.used(); used != vocabulary.None {
		s.checkUnit(used)
	}
	s.checkWeights()
	s.checkTemplate()
}

// used returns the field of the weights that are used.
func (s *Settled) used() vocabulary.Field {
	if s.at.box != vocabulary.None {
		return s.at.box
	}
	return s.at.whole
}

// checkUnit remarks on the unit and the kind of the weights of a column, and on texts
// outside of the table that say otherwise: "All weights are gross weights".
func (s *Settled) checkUnit(used vocabulary.Field) {
	m, at, heading, r := s.Read[0].Mapping, s.headingPlace(used), s.heading(used), &s.Remarks
	c := m.Column(used)
	gross := used == vocabulary.GrossWeight || used == vocabulary.BoxGross
	if gross {
		r.Add(remarks.GrossWeightUsed, at, "there is no net weight; the gross weights of column %s were used", heading)
	}
	if used == vocabulary.AnyWeight && c.Meaning.Concepts&(vocabulary.Pallet|vocabulary.Per) == vocabulary.Pallet {
		r.Add(
			remarks.WeightKindAssumed+"/pallet",
			at,
			"column %s was used as the net weight; it may include the pallet",
			heading,
		)
	}
	if severalUnits(heading) {
		r.Add(
			remarks.UnitAssumed+"/several",
			at,
			"column %s has several units; its weights were read as %s",
			heading,
			mapping.UnitName(c.Unit),
		)
	}
	switch {
	case c.Unit == 0:
		r.Add(remarks.UnitAssumed, at, "column %s has no unit; kilograms were assumed", heading)
	case c.Unit != 1000:
		r.Add(remarks.UnitConverted, at, "the weights of column %s were converted to kilograms", heading)
	}
	for _, read := range s.Read {
		t := read.Table
		for i, row := range t.Rows {
			cells := layout.Filled(row)
			if len(cells) != 1 || i >= t.From && i < t.To {
				continue
			}
			text := row.Cells[cells[0]].Text
			of, _ := vocabulary.Of(text)
			if unit := layout.WeightUnit(row); unit > 0 && c.Unit > 0 && unit != c.Unit {
				r.Add(
					remarks.UnitsMixed+"/note",
					t.At(i, cells[0]),
					"%s: the weights of column %s were read as %s",
					text,
					heading,
					mapping.UnitName(c.Unit),
				)
			}
			if of&vocabulary.Gross != 0 && of&(vocabulary.Weight|vocabulary.Unit) != 0 && !gross && !strings.ContainsAny(text,
				"0123456789") &&
				!vocabulary.IsTotal(vocabulary.Fold(text)) &&
				len(vocabulary.Words(text)) > 2 {
				r.Add(
					remarks.GrossWeightUsed+"/note",
					t.At(i, cells[0]),
					"%s: the weights of column %s were read as net weights",
					text,
					heading,
				)
			}
		}
	}
}

// severalUnits reports whether a heading has units that differ: "Weight (lb/kg)".
func severalUnits(heading string) bool {
	first := 0.0
	for _, word := range vocabulary.Words(heading) {
		if g := layout.Unit(word); g != 0 && word != "t" {
			if first != 0 && g != first {
				return true
			}
			first = g
		}
	}
	return false
}

// few is a number of lines that may be inconsistent in any list.
const few = 2

// checkWeights remarks on implausible box weights, on lines whose boxes × box weight
// differ from the net weight, and on net weights above the gross weights.
func (s *Settled) checkWeights() {
	var odd, differ []Line
	of := map[string]int{} // lines of a pallet; one may have the weight of all
	for _, l := range s.Lines {
		of[s.key(l)]++
	}
	swapped := false
	for _, l := range s.Lines {
		w := l.weight()
		if l.Boxes.OK && w > 0 && (w < float64(reference.LightestBox) || w > float64(reference.UsualBox)) {
			odd = append(odd, l)
		}
		if l.Boxes.OK && l.Box.OK && l.Whole.OK && s.at.whole == vocabulary.NetWeight && of[s.key(l)] == 1 &&
			!near(l.Boxes.Value*l.Box.Value, l.Whole.Value) {
			differ = append(differ, l)
		}
		if s.at.whole == vocabulary.NetWeight && l.Whole.OK && l.Gross > 0 && l.Gross < l.Whole.Value && !swapped {
			swapped = true
			s.Remarks.Add(
				remarks.WeightsDiffer+"/gross",
				l.Whole.Place,
				"the net weight of %s kg is above the gross weight of %s kg",
				kilograms(l.Whole.Value),
				kilograms(l.Gross),
			)
		}
	}
	if odd != nil {
		from := odd[0].Box
		if !from.OK {
			from = odd[0].Whole
		}
		s.Remarks.Add(remarks.WeightImplausible, from.Place, "%s has a box weight of %s kg, from %s%d under %q",
			counted(len(odd), "line with an implausible box weight:", "lines with implausible box weights: the first"),
			kilograms(odd[0].weight()), tables.ColumnName(max(1, from.Place.Column)), from.Place.Row, s.headingAt(from.Place))
	}
	s.inconsistent = len(differ)*2 > len(s.Lines) && len(differ) > few
	if differ != nil {
		o := differ[0]
		s.Remarks.Add(
			remarks.WeightsDiffer,
			o.Whole.Place,
			"%s: %s boxes of %s kg differ from the %s kg of %s%d under %q",
			counted(
				len(differ),
				"line is inconsistent",
				"lines are inconsistent, the first",
			),
			kilograms(1000*o.Boxes.Value),
			kilograms(o.Box.Value),
			kilograms(
				o.Whole.Value,
			),
			tables.ColumnName(max(1, o.Whole.Place.Column)),
			o.Whole.Place.Row,
			s.headingAt(o.Whole.Place),
		)
	}
}

// checkTemplate remarks on a template with which the numbers do not agree.
func (s *Settled) checkTemplate() {
	if m := s.Read[0].Mapping; m.Source == shipments.FromTemplate && s.evidence() < 0 {
		t := s.Read[0].Table
		s.Remarks.Add(
			remarks.TemplateContradicted,
			t.At(t.From, -1),
			"the template %q does not agree with the numbers of the list",
			m.Template,
		)
	}
}

// headingAt returns the heading of the column of a place.
func (s *Settled) headingAt(at tables.Place) string {
	if s.Read[0].Mapping.Columns == nil {
		return ""
	}
	return s.Read[0].Table.Heading(at.Column - 1)
}

func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

func kilograms(grams float64) string { return strconv.FormatFloat(math.Round(grams)/1000, 'f', -1, 64) }
