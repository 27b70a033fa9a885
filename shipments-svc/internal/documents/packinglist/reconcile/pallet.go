package reconcile

import (
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
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
		if first.Calibre.Value != "" && first.weight() > 0 && l.Calibre.Value == "" && !l.Box.Present && !l.Whole.Present &&
			!l.Merged {
			m.Add(
				remarks.LineIncomplete,
				l.Place,
				"the line of pallet %s has neither a calibre nor a weight, unlike the first: %s",
				p.Number,
				l.Produce.Value,
			)
		}
		c := shipments.Content{
			ProduceName: m.bounded(l.Produce.Value, l.Produce.Place, shipments.MaxProduceName, "produce"),
			Calibre:     m.bounded(l.Calibre.Value, l.Calibre.Place, shipments.MaxCalibre, "calibre"),
			BoxWeight:   rounded(l.weight()), Place: remarks.Place(l.Place), Particulars: m.particulars(l),
		}
		if l.Boxes.OK && within(l.Boxes.Value) {
			c.Boxes = int(l.Boxes.Value)
			boxes += l.Boxes.Value
			if p.Places.Boxes.Row == 0 {
				p.Places.Boxes = remarks.Place(l.Boxes.Place)
			}
		}
		p.Contents = append(p.Contents, c)
	}
	if p.Boxes = int(boxes); p.Boxes > shipments.MaxBoxes {
		at := tables.Place{Sheet: p.Places.Boxes.Sheet, Row: p.Places.Boxes.Row}
		m.Add(
			remarks.OutOfRange+"/pallet",
			at,
			"pallet %s has %d boxes in all, more than %d",
			p.Number,
			p.Boxes,
			shipments.MaxBoxes,
		)
		p.Boxes, p.Places.Boxes = 0, shipments.Place{}
	}
	if p.Boxes == 0 && !slices.ContainsFunc(all, func(l Line) bool { return l.Boxes.Present }) {
		m.Add(remarks.LineWithoutBoxes, first.Place, "pallet %s has no number of boxes", p.Number)
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

// particulars returns what a line says beside the five fields of its pallet.
func (m *merger) particulars(l Line) (p shipments.Particulars) {
	for f, into := range map[vocabulary.Field]*string{
		vocabulary.GTIN: &p.GTIN, vocabulary.Lot: &p.Lot, vocabulary.Orchard: &p.Orchard, vocabulary.PUC: &p.PUC,
		vocabulary.PHC: &p.PHC,
		vocabulary.GGN: &p.GGN, vocabulary.Grower: &p.Grower, vocabulary.Recorder: &p.Recorder,
		vocabulary.Container: &p.Container,
		vocabulary.Seal:      &p.Seal, vocabulary.Harvested: &p.HarvestedOn, vocabulary.Packed: &p.PackedOn,
	} {
		c := l.Text(f)
		*into = m.bounded(c.Value, c.Place, shipments.MaxLot, f.Name())
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
		o := c.Particulars
		p.NetWeight, p.GrossWeight = p.NetWeight+o.NetWeight, p.GrossWeight+o.GrossWeight
		for a, b := range map[*string]string{
			&p.SSCC: o.SSCC, &p.GTIN: o.GTIN, &p.Lot: o.Lot, &p.Orchard: o.Orchard, &p.PUC: o.PUC, &p.PHC: o.PHC, &p.GGN: o.GGN,
			&p.Grower: o.Grower, &p.HarvestedOn: o.HarvestedOn, &p.PackedOn: o.PackedOn, &p.Recorder: o.Recorder,
			&p.Container: o.Container, &p.Seal: o.Seal,
		} {
			if *a != b {
				*a = ""
			}
		}
	}
	return p
}

// weigh sets the box weight of a pallet: the average by boxes, or the weight of the
// whole pallet, given in its first line, divided by its boxes.
func (m *merger) weigh(p *shipments.Pallet, all []Line) {
	var sum, weighed, whole float64
	each := true
	for _, l := range all {
		a := l.Box
		if !a.OK {
			a = l.Whole
			each = each && l.Whole.OK
		}
		if a.OK && p.Places.BoxWeight.Row == 0 {
			p.Places.BoxWeight = remarks.Place(a.Place)
		}
		if l.Whole.OK {
			whole += l.Whole.Value
		}
		if l.Boxes.OK {
			sum, weighed = sum+l.weight()*l.Boxes.Value, weighed+l.Boxes.Value
		}
	}
	weight := 0.0
	switch {
	case each && weighed > 0:
		weight = sum / weighed
	case whole > 0 && p.Boxes > 0:
		weight = whole / float64(p.Boxes)
	case len(all) == 1 && all[0].Box.OK:
		weight = all[0].Box.Value
	}
	if p.BoxWeight = rounded(weight); p.BoxWeight == 0 {
		if weight > 0 {
			at := tables.Place{Sheet: p.Places.BoxWeight.Sheet, Row: p.Places.BoxWeight.Row}
			m.Add(remarks.OutOfRange+"/box-weight", at, "the boxes of pallet %s would weigh %.1f kg each", p.Number, weight/1000)
		}
		p.Places.BoxWeight = shipments.Place{}
	}
	for i, l := range all {
		if !each && !l.Box.OK {
			p.Contents[i].BoxWeight = p.BoxWeight
		}
	}
}

// rounded returns a box weight in whole grams, or 0 outside the domain's limits.
func rounded(weight float64) shipments.Grams {
	if weight < 0.5 || weight > float64(shipments.MaxBoxWeight) {
		return 0
	}
	return shipments.Grams(weight + 0.5)
}
