package packinglist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// merge merges the lines with the same pallet number on a sheet into pallets. A
// line that repeats another, or would overfill the pallet, begins a separate
// pallet, so that duplicate_pallets reports it.
func (r *reader) merge() error {
	var groups [][]line
	index := map[string]int{}
	fullest := r.fullest()
	for n, l := range r.lines {
		key := l.key()
		i, exists := index[key]
		follows := n > 0 && r.lines[n-1].key() == key
		switch {
		case !exists || !l.own:
		case !samePallet(l, groups[i], follows, fullest) || tables.Scientific(l.pallet.text):
			r.remark(PalletRepeated, l.place, "pallet %s is listed again and was kept as a separate pallet", l.pallet.text)
			exists = false
		case !follows && fullest == 0: // there is no pallet to compare its boxes with
			r.remark(PalletRepeated, l.place, "pallet %s is listed again and was read as another line of the pallet", l.pallet.text)
		}
		if !exists {
			i = len(groups)
			index[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], l)
		if len(groups) > shipments.MaxPallets {
			return &Unreadable{Code: TooManyPallets, Detail: fmt.Sprintf("the list has more than %d pallets", shipments.MaxPallets), Place: l.place}
		}
	}
	r.checkFullest(groups)
	for _, lines := range groups {
		r.list.Pallets = append(r.list.Pallets, r.pallet(lines))
	}
	return nil
}

// checkFullest remarks on a line without a pallet number that is added to a pallet as
// full as those with one line: it may be a total, or of no pallet.
func (r *reader) checkFullest(groups [][]line) {
	full := 0.0
	for _, lines := range groups {
		if len(lines) == 1 {
			full = max(full, boxesOf(lines))
		}
	}
	for _, lines := range groups {
		before, last := boxesOf(lines[:len(lines)-1]), lines[len(lines)-1]
		if !last.own && !last.merged && full > 0 && before >= full && last.boxes.ok {
			r.remark(LineIncomplete, last.place, "the line has no pallet number and was added to pallet %s, which has as many boxes as others without it", last.pallet.text)
		}
	}
}

// key is equal for the lines of a pallet.
func (l line) key() string {
	return l.sheet + "\x00" + strings.ToUpper(strings.Join(strings.Fields(l.pallet.text), ""))
}

// fullest returns the largest number of boxes of a pallet whose lines are
// consecutive, or 0.
func (r *reader) fullest() (most float64) {
	boxes, back := map[string]float64{}, map[string]bool{}
	for n, l := range r.lines {
		key := l.key()
		if _, seen := boxes[key]; seen && r.lines[n-1].key() != key {
			back[key] = true
		}
		boxes[key] += l.boxes.value
	}
	for key, n := range boxes {
		if !back[key] {
			most = max(most, n)
		}
	}
	return most
}

// samePallet reports whether a line is another line of a pallet. A line that does
// not follow the others must differ from them in its contents, and may not make
// the pallet fuller than the fullest.
func samePallet(l line, of []line, follows bool, fullest float64) bool {
	boxes := l.boxes.value
	for _, other := range of {
		if l.text == other.text {
			return false
		}
		same := l.produce.text == other.produce.text && l.calibre.text == other.calibre.text &&
			l.lot.text == other.lot.text && l.orchard.text == other.orchard.text
		if !follows && same {
			return false
		}
		boxes += other.boxes.value
	}
	return follows || fullest == 0 || boxes <= fullest
}

// pallet makes a pallet of its lines.
func (r *reader) pallet(lines []line) shipments.Pallet {
	first := lines[0]
	p := shipments.Pallet{Number: r.bounded(first.pallet, shipments.MaxPalletNumber, "label"), Source: shipments.Source{Sheet: first.pallet.place.Sheet, Row: first.pallet.place.Row}}
	p.ProduceName, p.Places.ProduceName = r.joined(lines, func(l line) cell { return l.produce }, shipments.MaxProduceName, "produce")
	p.Calibre, p.Places.Calibre = r.joined(lines, func(l line) cell { return l.calibre }, shipments.MaxCalibre, "calibre")
	for _, l := range lines {
		if first.calibre.text != "" && first.weight() > 0 && l.calibre.text == "" && !l.box.present && !l.whole.present {
			r.remark(LineIncomplete, l.place, "the line of pallet %s has neither a calibre nor a weight, unlike the first: %s", p.Number, l.produce.text)
		}
		c := shipments.Content{
			ProduceName: r.bounded(l.produce, shipments.MaxProduceName, "produce"), Calibre: r.bounded(l.calibre, shipments.MaxCalibre, "calibre"),
			BoxWeight: rounded(l.weight()), Place: placeOf(l.place),
		}
		c.Lot, c.Orchard = r.bounded(l.lot, shipments.MaxLot, "lot"), r.bounded(l.orchard, shipments.MaxLot, "orchard")
		if l.boxes.ok {
			c.Boxes = int(l.boxes.value)
		}
		if p.Boxes += c.Boxes; p.Places.Boxes.Row == 0 && l.boxes.ok {
			p.Places.Boxes = placeOf(l.boxes.place)
		}
		p.Contents = append(p.Contents, c)
	}
	if p.Boxes > shipments.MaxBoxes {
		r.remark(OutOfRange, Place{Sheet: p.Places.Boxes.Sheet, Row: p.Places.Boxes.Row}, "pallet %s has %d boxes in all, more than %d", p.Number, p.Boxes, shipments.MaxBoxes)
		p.Boxes, p.Places.Boxes = 0, shipments.Place{}
	}
	if p.Boxes == 0 && !slices.ContainsFunc(lines, func(l line) bool { return l.boxes.present }) {
		r.remark(LineWithoutBoxes, first.place, "pallet %s has no number of boxes", p.Number)
	}
	r.weigh(&p, lines)
	for _, at := range []*shipments.Place{&p.Places.ProduceName, &p.Places.Calibre, &p.Places.Boxes, &p.Places.BoxWeight} {
		if at.Sheet == p.Source.Sheet && at.Row == p.Source.Row {
			*at = shipments.Place{}
		}
	}
	if len(p.Contents) == 1 && p.Contents[0].Lot == "" && p.Contents[0].Orchard == "" {
		p.Contents = nil
	}
	return p
}

// weight returns the box weight of a line in grams, or 0.
func (l line) weight() float64 {
	switch {
	case l.box.ok:
		return l.box.value
	case l.whole.ok && l.boxes.ok:
		return l.whole.value / l.boxes.value
	}
	return 0
}

// weigh sets the box weight of a pallet: the average by boxes, or the weight of the
// whole pallet, given in its first line, divided by its boxes.
func (r *reader) weigh(p *shipments.Pallet, lines []line) {
	var sum, weighed, whole float64
	each := true
	for _, l := range lines {
		a := l.box
		if !a.ok {
			a = l.whole
			each = each && l.whole.ok
		}
		if a.ok && p.Places.BoxWeight.Row == 0 {
			p.Places.BoxWeight = placeOf(a.place)
		}
		if l.whole.ok {
			whole += l.whole.value
		}
		if l.boxes.ok {
			sum, weighed = sum+l.weight()*l.boxes.value, weighed+l.boxes.value
		}
	}
	weight := 0.0
	switch {
	case each && weighed > 0:
		weight = sum / weighed
	case whole > 0 && p.Boxes > 0:
		weight = whole / float64(p.Boxes)
	case len(lines) == 1 && lines[0].box.ok:
		weight = lines[0].box.value
	}
	if p.BoxWeight = rounded(weight); p.BoxWeight == 0 {
		if weight > 0 {
			r.remark(OutOfRange, Place{Sheet: p.Places.BoxWeight.Sheet, Row: p.Places.BoxWeight.Row}, "the boxes of pallet %s would weigh %.1f kg each", p.Number, weight/1000)
		}
		p.Places.BoxWeight = shipments.Place{}
	}
	for i, l := range lines {
		if !each && !l.box.ok {
			p.Contents[i].BoxWeight = p.BoxWeight
		}
	}
}

// joined returns the distinct texts of a field of the lines, and where the first is.
func (r *reader) joined(lines []line, of func(line) cell, limit int, what string) (string, shipments.Place) {
	var all []string
	first := cell{}
	for _, l := range lines {
		c := of(l)
		if c.text == "" || slices.Contains(all, c.text) {
			continue
		}
		if all == nil {
			first = c
		}
		all = append(all, c.text)
	}
	text := strings.Join(all, " + ")
	if len(all) > 1 && len([]rune(text)) > limit {
		return Mixed, placeOf(first.place)
	}
	return r.bounded(cell{text, first.place}, limit, what), placeOf(first.place)
}
