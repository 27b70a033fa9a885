package reconcile

import (
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// pallet makes a pallet of its lines.
func (m *merger) pallet(all []Line) shipments.Pallet {
	first := all[0]
	p := shipments.Pallet{
		Number: m.bounded(first.Pallet, first.Line.Pallet.Place, shipments.MaxPalletNumber, "label"),
		Source: shipments.Source{Sheet: first.Line.Pallet.Place.Sheet, Row: first.Line.Pallet.Place.Row},
	}
	produce := func(l Line) (string, tables.Place) { return l.Produce.Value, l.Produce.Place }
	calibre := func(l Line) (string, tables.Place) { return l.Calibre.Value, l.Calibre.Place }
	p.ProduceName, p.Places.ProduceName = m.joined(all, produce, shipments.MaxProduceName, "produce")
	p.Calibre, p.Places.Calibre = m.joined(all, calibre, shipments.MaxCalibre, "calibre")
	boxes := 0.0
	for _, l := range all {
		if first.Calibre.Value != "" && first.weight() > 0 && l.Calibre.Value == "" && !l.Line.Box.Present &&
			!l.Net.Present && !l.Merged {
			m.Add("line_incomplete", l.Place, p.Number, l.Produce.Value)
		}
		c := shipments.Content{
			ProduceName: m.bounded(l.Produce.Value, l.Produce.Place, shipments.MaxProduceName, "produce"),
			Calibre:     m.bounded(l.Calibre.Value, l.Calibre.Place, shipments.MaxCalibre, "calibre"),
			BoxWeight:   rounded(l.weight()), Place: remarks.Place(l.Place), Particulars: m.particulars(l),
		}
		if n := l.Boxes.Value; l.Boxes.OK && n >= 1 && n <= shipments.MaxBoxes && n == float64(int(n)) {
			c.Boxes = int(n)
			boxes += n
			if p.Places.Boxes.Row == 0 {
				p.Places.Boxes = remarks.Place(l.Boxes.Place)
			}
		}
		p.Contents = append(p.Contents, c)
	}
	if p.Boxes = int(boxes); p.Boxes > shipments.MaxBoxes {
		at := tables.Place{Sheet: p.Places.Boxes.Sheet, Row: p.Places.Boxes.Row}
		m.Add("out_of_range/pallet", at, p.Number, p.Boxes, shipments.MaxBoxes)
		p.Boxes, p.Places.Boxes = 0, shipments.Place{}
	}
	if p.Boxes == 0 && !slices.ContainsFunc(all, func(l Line) bool { return l.Boxes.Present }) {
		m.Add("line_without_boxes", first.Place, p.Number)
	}
	m.weigh(&p, all)
	p.Particulars = common(p.Contents)
	for _, at := range []*shipments.Place{&p.Places.ProduceName, &p.Places.Calibre, &p.Places.Boxes, &p.Places.BoxWeight} {
		if at.Sheet == p.Source.Sheet && at.Row == p.Source.Row {
			*at = shipments.Place{}
		}
	}
	if c := p.Contents[0]; len(p.Contents) == 1 && c.Lot+c.Orchard+c.PUC+c.Grower == "" {
		p.Contents = nil
	}
	return p
}

// texts returns the texts of particulars in the order of lines.Also.
func texts(p *shipments.Particulars) []*string {
	return []*string{
		&p.GTIN, &p.Lot, &p.Orchard, &p.PUC, &p.PHC, &p.GGN, &p.Grower, &p.HarvestedOn, &p.PackedOn, &p.Recorder,
		&p.Container, &p.Seal, &p.SSCC,
	}
}

// particulars returns what a line says beside the five fields of its pallet.
func (m *merger) particulars(l Line) (p shipments.Particulars) {
	into := texts(&p)
	for i, c := range l.Also {
		*into[i] = m.bounded(c.Value, c.Place, shipments.MaxLot, lines.Also[i].Name())
	}
	p.HarvestedOn, p.PackedOn = date(p.HarvestedOn), date(p.PackedOn)
	p.SSCC, _ = shipments.SSCC(l.SSCC.Value)
	if l.Whole.OK && l.Whole.Value > 0 {
		p.NetWeight = shipments.Grams(l.Whole.Value + 0.5)
	}
	if l.Gross > 0 && l.Gross <= float64(shipments.MaxDeclaredWeight) {
		p.GrossWeight = shipments.Grams(l.Gross + 0.5)
	}
	return p
}

// common returns the particulars that all contents of a pallet have in common, and the
// sums of their weights.
func common(all []shipments.Content) shipments.Particulars {
	p := all[0].Particulars
	for _, c := range all[1:] {
		p.NetWeight, p.GrossWeight = p.NetWeight+c.NetWeight, p.GrossWeight+c.GrossWeight
		own, other := texts(&p), texts(&c.Particulars)
		for i := range own {
			if *own[i] != *other[i] {
				*own[i] = ""
			}
		}
	}
	return p
}

// weigh sets the box weight of a pallet, the average by boxes.
func (m *merger) weigh(p *shipments.Pallet, all []Line) {
	sum, boxes, weight := 0.0, 0.0, 0.0
	complete := true
	for _, l := range all {
		a := l.Box
		if !a.OK {
			a = l.Whole
		}
		complete = complete && a.OK
		if a.OK && p.Places.BoxWeight.Row == 0 {
			p.Places.BoxWeight = remarks.Place(a.Place)
		}
		if l.Boxes.OK {
			sum, boxes = sum+l.weight()*l.Boxes.Value, boxes+l.Boxes.Value
		}
	}
	switch {
	case boxes > 0 && (complete || all[0].Whole.OK):
		weight = sum / boxes
	case len(all) == 1 && all[0].Box.OK:
		weight = all[0].Box.Value
	}
	if p.BoxWeight = rounded(weight); p.BoxWeight == 0 {
		if weight > 0 {
			at := tables.Place{Sheet: p.Places.BoxWeight.Sheet, Row: p.Places.BoxWeight.Row}
			m.Add("out_of_range/box-weight", at, p.Number, weight/1000)
		}
		p.Places.BoxWeight = shipments.Place{}
	}
}

// rounded returns a box weight in whole grams, or 0 outside the domain's limits.
func rounded(weight float64) shipments.Grams {
	if weight < 0.5 || weight > float64(shipments.MaxBoxWeight) {
		return 0
	}
	return shipments.Grams(weight + 0.5)
}
