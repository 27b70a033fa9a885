package reconcile

import (
	"math"
	"strconv"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

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
		s.Remarks.Add("weight_from_head/total", s.place(), kilograms(float64(d.NetWeight)), boxes)
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
	m := s.Read.Mapping
	if s.used != vocabulary.None {
		s.checkUnit(m.Column(s.used))
	}
	s.remark()
	if m.Source == shipments.FromTemplate && s.Score < 0 {
		s.Remarks.Add("template_contradicted", s.place(), m.Template)
	}
}

// checkUnit remarks on the unit and the kind of the weights that are used.
func (s *Settled) checkUnit(c *mapping.Column) {
	r := &s.Remarks
	heading, at := s.heading(s.used)
	if s.gross() {
		r.Add("gross_weight_used", at, heading)
	}
	if s.used == vocabulary.AnyWeight && c.Meaning.Concepts&(vocabulary.Pallet|vocabulary.Per) == vocabulary.Pallet {
		r.Add("weight_kind_assumed/pallet", at, heading)
	}
	units := map[float64]bool{0: true}
	for _, word := range vocabulary.Words(heading) {
		units[layout.Unit(word)] = true
	}
	switch {
	case len(units) > 2:
		r.Add("unit_assumed/several", at, heading, mapping.UnitName(c.Unit))
	case c.Unit == 0:
		r.Add("unit_assumed", at, heading)
	case c.Unit != 1000:
		r.Add("unit_converted", at, heading)
	}
}

func kilograms(grams float64) string { return strconv.FormatFloat(math.Round(grams)/1000, 'f', -1, 64) }
