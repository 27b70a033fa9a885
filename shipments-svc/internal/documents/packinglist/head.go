package packinglist

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// below returns the index of the first row below the list: those that follow
// have at most two texts.
func (s *sheet) below() int {
	for i := len(s.Rows); i > s.header.to; i-- {
		if len(filled(s.Rows[i-1])) > 2 {
			return i
		}
	}
	return s.header.to
}

// side says whether a place is above or below the list.
func (s *sheet) side(at Place) string {
	if at.Sheet == s.Name && at.Row > s.Rows[s.header.from].Number {
		return "below"
	}
	return "above"
}

// head reads what stands above or below a list and holds for each of its lines: one
// produce, one variety, one weight of a box.
func (r *reader) head(s *sheet) {
	var one []shipments.Fact
	for _, f := range r.list.Facts {
		if f.Kind == shipments.ProduceFact && !strings.ContainsAny(f.Text, ",;/&+") && !botanicalText.MatchString(f.Text) {
			one = append(one, f)
		}
	}
	if len(one) == 1 && s.now.produce.text == "" {
		s.now.produce = cell{one[0].Text, Place{Sheet: one[0].Sheet, Row: one[0].Row}}
	}
	for i := range s.Rows {
		cells := filled(s.Rows[i])
		if i >= s.header.from && i < s.below() {
			continue
		}
		if len(cells) > 0 {
			s.heads(i, cells)
		}
		for n, col := range cells {
			name, value, found := strings.Cut(s.Rows[i].Cells[col].Text, ":")
			at := s.at(i, col)
			if strings.TrimSpace(value) == "" && n+1 < len(cells) {
				value, found, at = s.Rows[i].Cells[cells[n+1]].Text, true, s.at(i, cells[n+1])
			}
			if f := fieldOf(name); found && (f == boxWeightField || f == packField) && !s.each.ok {
				s.each = packed(value, unitIn(name))
				s.each.place = at
			}
		}
	}
	if !s.header.has(produceField) && s.now.produce.text != "" {
		r.remark(ProduceFromHead, s.now.produce.place, "the produce %q stands %s the list; it was taken for each line", s.now.produce.text, s.side(s.now.produce.place))
	}
	if s.box == noField && s.whole == noField && s.each.ok {
		r.remark(WeightFromHead, s.each.place, "the weight of a box stands %s the list; it was taken for each line", s.side(s.each.place))
	}
}

// packText is the weight in texts such as "CTN 4.5KG", "12 x 125 g".
var packText = regexp.MustCompile(`(?i)(?:(\d{1,3})\s*[x×*]\s*)?(\d{1,4}(?:[.,]\d{1,3})?)\s*([a-z]+)\b`)

// packed returns the weight that a text gives of a box. in is the unit of one
// that names none, 0 for none.
func packed(text string, in float64) amount {
	if n, ok := numbers.Split(text); ok && n.Unit == "" && in > 0 {
		v, ok := numbers.Value(n.Digits, numbers.Point)
		return amount{value: v * in, said: true, ok: ok}
	}
	for _, m := range packText.FindAllStringSubmatch(text, -1) {
		unit := numbers.Grams[strings.ToLower(m[3])]
		v, err := strconv.ParseFloat(strings.Replace(m[2], ",", ".", 1), 64)
		if unit == 0 || err != nil {
			continue
		}
		if times, err := strconv.Atoi(m[1]); err == nil {
			v *= float64(times)
		}
		return amount{value: v * unit, said: true, ok: v > 0}
	}
	return amount{}
}

// boxed returns what a box of a line weighs where no column of weights says
// so: by the line's kind of box, or by what stands above the list.
func (r *reader) boxed(s *sheet, i int) amount {
	if c, _ := s.text(i, packField); c.text != "" {
		if a := packed(c.text, 0); a.ok {
			if !s.remarked {
				r.remark(WeightFromPack, c.place, "there is no column of weights; that of a box was taken from its kind, such as %q", c.text)
			}
			s.remarked = true
			a.place = c.place
			return a
		}
	}
	return s.each
}

// declares returns what single facts declare.
func (r *reader) declares() (d shipments.Declared) {
	within := func(v, limit float64) bool { return v >= 1 && v <= limit }
	for _, f := range r.list.Facts {
		v, numeric := r.whole(f.Text)
		switch f.Kind {
		case shipments.ContainerFact:
			if d.ContainerNumber == "" {
				d.ContainerNumber, _ = shortened(f.Text, shipments.MaxContainerNumber)
			}
		case shipments.PalletsFact:
			if d.Pallets == 0 && numeric && within(v, shipments.MaxPallets) {
				d.Pallets = int(v)
			}
		case shipments.BoxesFact:
			if d.Boxes == 0 && numeric && within(v, shipments.MaxDeclaredBoxes) {
				d.Boxes = int(v)
			}
		case shipments.NetWeightFact:
			if v *= 1000; d.NetWeight == 0 && numeric && within(v, float64(shipments.MaxDeclaredWeight)) {
				d.NetWeight = shipments.Grams(v + 0.5)
			}
		default:
		}
	}
	return d
}

// whole returns a number that says how much there is in all, in kilograms if it
// is a weight. Where it can be read in two ways, it is written as the list is.
func (r *reader) whole(text string) (float64, bool) {
	n, ok := numbers.Split(text)
	values := numbers.Readings(text)
	if !ok || len(values) == 0 {
		return 0, false
	}
	if len(values) > 1 && r.style != numbers.Unclear {
		if v, _ := numbers.Value(n.Digits, r.style); values[1] == v*cmp.Or(numbers.Grams[n.Unit], 1000)/1000 {
			return values[1], true
		}
	}
	return values[0], true
}
