package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// merger merges the lines of a document into pallets.
type merger struct {
	remarks.List
	groups  [][]Line
	index   map[string]int
	fullest float64 // boxes of a pallet whose lines are consecutive
}

// Pallets returns the pallets of a document. A line that repeats another, and with which its pallet
// is fuller than the fullest, begins a separate pallet, so that a check reports it.
func Pallets(all []*Settled) ([]list.Pallet, []list.Remark, error) {
	m := merger{List: remarks.List{Stage: "reconcile"}, index: map[string]int{}, fullest: fullest(all)}
	for _, s := range all {
		for _, g := range s.groups() {
			for n, l := range g {
				if m.add(l, n > 0); len(m.groups) > list.MaxPallets {
					return nil, nil, tooMany(l)
				}
			}
		}
	}
	var pallets []list.Pallet
	for _, group := range m.groups {
		pallets = append(pallets, m.pallet(group))
	}
	return pallets, m.All, nil
}

func tooMany(l Line) error {
	detail := fmt.Sprintf("the list has more than %d pallets", list.MaxPallets)
	return &Error{Code: TooManyPallets, Detail: detail, Place: l.Place}
}

// add adds a line to its pallet, or begins a pallet. It may follow others of the pallet. A line that
// does not follow the others must differ from them in its contents, and may not make the pallet
// fuller than the fullest; nor may one that repeats another.
func (m *merger) add(l Line, follows bool) {
	key := l.key()
	i, exists := m.index[key]
	if exists && l.Own && !l.Continued {
		alike := slices.ContainsFunc(m.groups[i], func(o Line) bool {
			return (l.Row == o.Row || !follows) && l.contents() == o.contents()
		})
		over := boxesOf(m.groups[i])+l.Boxes.Value > m.fullest
		again, overfull := alike && (over || !follows), over && !follows && m.fullest > 0
		switch {
		case again || overfull || tables.Scientific(l.Pallet):
			m.Add("pallet_repeated", l.Place, l.Pallet)
			exists = false
		case alike || !follows && m.fullest == 0: // there is no pallet to compare its boxes with
			m.Add("pallet_repeated/merged", l.Place, l.Pallet)
		}
	}
	if !exists {
		i = len(m.groups)
		m.index[key] = i
		m.groups = append(m.groups, nil)
	}
	m.groups[i] = append(m.groups[i], l)
}

// fullest returns the largest number of boxes of a pallet whose lines are consecutive, or 0.
func fullest(all []*Settled) (most float64) {
	boxes, back := map[string]float64{}, map[string]bool{}
	for _, s := range all {
		for _, g := range s.groups() {
			byRow := func(a, b Line) int { return strings.Compare(a.Row, b.Row) }
			g = slices.SortedStableFunc(slices.Values(g), byRow)
			g = slices.CompactFunc(g, func(a, b Line) bool { return a.Row == b.Row })
			key := g[0].key()
			_, back[key] = boxes[key]
			boxes[key] += boxesOf(g)
		}
	}
	for key, n := range boxes {
		if !back[key] {
			most = max(most, n)
		}
	}
	return most
}

// bounded returns a text, shortened to the length of its field.
func (m *merger) bounded(text lines.Text, limit int, what string) string {
	short, cut := remarks.Shortened(text.Value, limit)
	if cut {
		m.Add("text_shortened", text.Place, what, limit)
	}
	return short
}

// Mixed is the produce or calibre of a pallet with more of them than its field can hold.
const Mixed = "mixed"

// joined returns the distinct texts of a field of lines, and where the first is.
func joined(all []Line, of func(Line) lines.Text, limit int) (text string, at tables.Place) {
	var distinct []string
	for _, l := range all {
		own, _ := remarks.Shortened(of(l).Value, limit)
		if own == "" || slices.Contains(distinct, own) {
			continue
		}
		if distinct = append(distinct, own); len(distinct) == 1 {
			at = of(l).Place
		}
	}
	if text = strings.Join(distinct, " + "); len([]rune(text)) > limit {
		text = Mixed
	}
	return text, at
}

// pallet makes a pallet of its lines.
func (m *merger) pallet(all []Line) list.Pallet {
	first, source := all[0], all[0].Line.Pallet.Place
	p := list.Pallet{
		Number: m.bounded(lines.Text{Value: first.Pallet, Place: source}, list.MaxPalletNumber, "label"),
		Source: source,
	}
	var boxes tables.Place
	for _, l := range all {
		c := m.content(l)
		if p.Boxes == 0 && c.Boxes > 0 {
			boxes = l.Boxes.Place
		}
		p.Boxes += c.Boxes
		p.Contents = append(p.Contents, c)
		lacks := c.Calibre == "" && !l.Line.Box.Present && !l.Net.Present
		if complete := first.Calibre.Value != "" && first.weight() > 0; complete && lacks && !l.Merged {
			m.Add("line_incomplete", l.Place, p.Number, c.ProduceName)
		}
	}
	var produce, calibre tables.Place
	p.ProduceName, produce = joined(all, func(l Line) lines.Text { return l.Produce }, list.MaxProduceName)
	p.Calibre, calibre = joined(all, func(l Line) lines.Text { return l.Calibre }, list.MaxCalibre)
	if p.Boxes > list.MaxBoxes {
		m.Add("out_of_range/pallet", boxes, p.Number, p.Boxes, list.MaxBoxes)
		p.Boxes, boxes = 0, tables.Place{}
	}
	if !slices.ContainsFunc(all, func(l Line) bool { return l.Boxes.Present }) {
		m.Add("line_without_boxes", first.Place, p.Number)
	}
	weight, at := weigh(all)
	if p.BoxWeight = inGrams(weight); p.BoxWeight == 0 {
		if weight > 0 {
			m.Add("out_of_range/box-weight", at, p.Number, weight/1000)
		}
		at = tables.Place{}
	}
	elsewhere := func(at tables.Place) list.Place {
		if at.Sheet == p.Source.Sheet && at.Row == p.Source.Row {
			return list.Place{}
		}
		return at
	}
	p.Places = list.Places{
		ProduceName: elsewhere(produce), Calibre: elsewhere(calibre), Boxes: elsewhere(boxes), BoxWeight: elsewhere(at),
	}
	p.Particulars = common(p.Contents)
	if c := p.Contents[0]; len(p.Contents) == 1 && c.Lot+c.Orchard+c.PUC+c.Grower == "" {
		p.Contents = nil
	}
	return p
}

// content returns what a line is.
func (m *merger) content(l Line) list.Content {
	c := list.Content{
		ProduceName: m.bounded(l.Produce, list.MaxProduceName, "produce"),
		Calibre:     m.bounded(l.Calibre, list.MaxCalibre, "calibre"),
		BoxWeight:   inGrams(l.weight()), Place: l.Place,
	}
	if l.Boxes.OK && l.Boxes.Value <= list.MaxBoxes {
		c.Boxes = int(l.Boxes.Value)
	}
	into := particulars(&c.Particulars)
	for i, text := range l.Also {
		*into[i] = m.bounded(text, list.MaxLot, lines.Also[i].Name())
	}
	c.HarvestedOn, c.PackedOn = date(c.HarvestedOn), date(c.PackedOn)
	c.SSCC = list.SSCC(l.SSCC.Value)
	if l.Whole.OK && l.Whole.Value > 0 {
		c.NetWeight = list.Grams(l.Whole.Value + 0.5)
	}
	if l.Gross.Value > 0 && l.Gross.Value <= float64(list.MaxDeclaredWeight) {
		c.GrossWeight = list.Grams(l.Gross.Value + 0.5)
	}
	return c
}

// particulars returns the texts of particulars in the order of lines.Also, and the SSCC.
func particulars(p *list.Particulars) []*string {
	return []*string{
		&p.GTIN, &p.Lot, &p.Orchard, &p.PUC, &p.PHC, &p.GGN, &p.Grower, &p.HarvestedOn, &p.PackedOn, &p.Recorder,
		&p.Container, &p.Seal, &p.SSCC,
	}
}

// common returns the particulars that all contents of a pallet have in common, and the sums of their weights.
func common(all []list.Content) list.Particulars {
	p := all[0].Particulars
	for _, c := range all[1:] {
		p.NetWeight, p.GrossWeight = p.NetWeight+c.NetWeight, p.GrossWeight+c.GrossWeight
		own, other := particulars(&p), particulars(&c.Particulars)
		for i := range own {
			if *own[i] != *other[i] {
				*own[i] = ""
			}
		}
	}
	return p
}

// weigh returns the average weight of a box of a pallet, 0 if a line has none, and where the first weight is.
func weigh(all []Line) (weight float64, at tables.Place) {
	sum, boxes := 0.0, 0.0
	for _, l := range all {
		a := l.Box
		if !a.OK {
			a = l.Whole
		}
		if !a.OK {
			return 0, at
		}
		if at.Row == 0 {
			at = a.Place
		}
		if l.Boxes.OK {
			sum, boxes = sum+l.weight()*l.Boxes.Value, boxes+l.Boxes.Value
		}
	}
	if boxes == 0 {
		return all[0].weight(), at
	}
	return sum / boxes, at
}

// inGrams returns a box weight in whole grams, or 0 outside the domain's limits.
func inGrams(weight float64) list.Grams {
	if weight < 0.5 || weight > float64(list.MaxBoxWeight) {
		return 0
	}
	return list.Grams(weight + 0.5)
}

// date returns a date as in ISO 8601, or as written where it is ambiguous.
func date(text string) string {
	parts := strings.FieldsFunc(mapping.Day(text), func(r rune) bool { return strings.ContainsRune("/-. ,", r) })
	layouts := []string{"2006 01 02", "20060102", "2 Jan 2006", "2 Jan 06", "Jan 2 2006"}
	if len(parts) == 3 && parts[0] > "12" { // the day
		layouts = append(layouts, "02 01 2006")
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, strings.Join(parts, " ")); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return text
}
