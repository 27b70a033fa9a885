package reconcile

import (
	"math"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Produce gives lines one produce, before their variety, if their tables have none.
func (s *Settled) Produce(one lines.Text) {
	given, has := false, s.Read[0].Mapping.Has(vocabulary.Produce)
	for i := range s.Lines {
		switch l := s.Lines[i].Line; {
		case l.Produce.Value == "":
			l.Produce, given = one, true
		case !has && !strings.Contains(vocabulary.Fold(l.Produce.Value), vocabulary.Fold(one.Value)):
			l.Produce, given = lines.Text{Value: one.Value + " " + l.Produce.Value, Place: one.Place}, true
		}
	}
	if given && !has {
		s.Remarks.Add("produce_from_head/fact", one.Place, one.Value)
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
		s.Remarks.Add("weight_from_head/total", t.At(t.From, -1), kilograms(float64(d.NetWeight)), boxes)
		for i, l := range s.Lines {
			s.Lines[i].Box = lines.Amount{Value: each, Present: true, OK: true, Place: l.Place}
		}
	}
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
	if m := s.Read[0].Mapping; m.Source == shipments.FromTemplate && s.Score < 0 {
		t := s.Read[0].Table
		s.Remarks.Add("template_contradicted", t.At(t.From, -1), m.Template)
	}
}

// checkUnit remarks on the unit and the kind of the weights of a column, and on texts
// outside of the table that say otherwise: "All weights are gross weights".
func (s *Settled) checkUnit(used vocabulary.Field) {
	r, c := &s.Remarks, s.Read[0].Mapping.Column(used)
	heading, at := s.heading(used)
	gross := used == vocabulary.GrossWeight || used == vocabulary.BoxGross
	if gross {
		r.Add("gross_weight_used", at, heading)
	}
	if used == vocabulary.AnyWeight && c.Meaning.Concepts&(vocabulary.Pallet|vocabulary.Per) == vocabulary.Pallet {
		r.Add("weight_kind_assumed/pallet", at, heading)
	}
	units := map[float64]bool{}
	for _, word := range vocabulary.Words(heading) {
		if g := layout.Unit(word); g != 0 && word != "t" {
			units[g] = true
		}
	}
	if len(units) > 1 {
		r.Add("unit_assumed/several", at, heading, mapping.UnitName(c.Unit))
	}
	switch {
	case c.Unit == 0:
		r.Add("unit_assumed", at, heading)
	case c.Unit != 1000:
		r.Add("unit_converted", at, heading)
	}
	for _, read := range s.Read {
		t := read.Table
		for i, row := range t.Rows {
			cells := layout.Filled(row)
			if len(cells) != 1 || i >= t.From && i < t.To {
				continue
			}
			text, at := row.Cells[cells[0]].Text, t.At(i, cells[0])
			of, _ := vocabulary.Of(text)
			if unit := layout.WeightUnit(row); unit > 0 && c.Unit > 0 && unit != c.Unit {
				r.Add("units_mixed/note", at, text, heading, mapping.UnitName(c.Unit))
			}
			if of&vocabulary.Gross != 0 && of&(vocabulary.Weight|vocabulary.Unit) != 0 && !gross &&
				!strings.ContainsAny(text, "0123456789") && !vocabulary.IsTotal(vocabulary.Fold(text)) &&
				len(vocabulary.Words(text)) > 2 {
				r.Add("gross_weight_used/note", at, text, heading)
			}
		}
	}
}

// few is a number of lines that may be inconsistent in any list.
const few = 2

// checkWeights remarks on implausible box weights, on lines whose boxes × box weight
// differ from the net weight, and on net weights above the gross weights.
func (s *Settled) checkWeights() {
	var odd, differ, swapped []Line
	of := map[string]int{} // lines of a pallet; one may have the weight of all
	for _, l := range s.Lines {
		of[s.key(l)]++
	}
	net := s.whole == vocabulary.NetWeight
	for _, l := range s.Lines {
		w := l.weight()
		if l.Boxes.OK && w > 0 && (w < float64(reference.LightestBox) || w > float64(reference.UsualBox)) {
			odd = append(odd, l)
		}
		if l.Boxes.OK && l.Box.OK && l.Whole.OK && net && of[s.key(l)] == 1 &&
			!near(l.Boxes.Value*l.Box.Value, l.Whole.Value) {
			differ = append(differ, l)
		}
		if net && l.Whole.OK && l.Gross > 0 && l.Gross < math.Round(l.Whole.Value) {
			swapped = append(swapped, l)
		}
	}
	if swapped != nil {
		l := swapped[0]
		s.Remarks.Add("weights_differ/gross", l.Whole.Place, kilograms(l.Whole.Value), kilograms(l.Gross))
	}
	if odd != nil {
		from := odd[0].Box
		if !from.OK {
			from = odd[0].Whole
		}
		what := counted(len(odd), "line with an implausible box weight:", "lines with implausible box weights: the first")
		s.Remarks.Add("weight_implausible", from.Place, what, kilograms(odd[0].weight()),
			tables.ColumnName(max(1, from.Place.Column)), from.Place.Row, s.headingAt(from.Place))
	}
	if s.inconsistent = len(differ)*2 > len(s.Lines) && len(differ) > few; differ != nil {
		o, at := differ[0], differ[0].Whole.Place
		what := counted(len(differ), "line is inconsistent", "lines are inconsistent, the first")
		s.Remarks.Add("weights_differ", at, what, kilograms(1000*o.Boxes.Value), kilograms(o.Box.Value),
			kilograms(o.Whole.Value), tables.ColumnName(max(1, at.Column)), at.Row, s.headingAt(at))
	}
}

// headingAt returns the heading of the column of a place.
func (s *Settled) headingAt(at tables.Place) string { return s.Read[0].Table.Heading(at.Column - 1) }

func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

func kilograms(grams float64) string { return strconv.FormatFloat(math.Round(grams)/1000, 'f', -1, 64) }
