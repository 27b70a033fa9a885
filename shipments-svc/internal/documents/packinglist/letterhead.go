package packinglist

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// below returns the index of the first row below the list. The rows below have at
// most two texts.
func (s *sheet) below() int {
	for i := len(s.Rows); i > s.header.to; i-- {
		if len(filled(s.Rows[i-1])) > 2 {
			return i
		}
	}
	return s.header.to
}

// side returns whether a place is above or below the list.
func (s *sheet) side(at Place) string {
	if at.Sheet == s.Name && at.Row > s.Rows[s.header.from].Number {
		return "below"
	}
	return "above"
}

// readLetterhead reads the values above or below a list that apply to each of its
// lines: one produce, one variety, one weight of a box.
func (r *reader) readLetterhead(s *sheet) {
	var one []shipments.Fact
	for _, f := range r.list.Facts {
		if f.Kind == shipments.ProduceFact && !strings.ContainsAny(f.Text, ",;/&+") && reference.Species(f.Text) == nil {
			one = append(one, f)
		}
	}
	if len(one) == 1 && s.section.produce.text == "" {
		s.section.produce = cell{one[0].Text, Place{Sheet: one[0].Sheet, Row: one[0].Row}}
	}
	below := s.below()
	for i := range s.Rows {
		cells := filled(s.Rows[i])
		if i >= s.header.from && i < below {
			continue
		}
		if len(cells) > 0 {
			s.sectionRow(i, cells)
		}
		for n, col := range cells {
			name, value, found := strings.Cut(s.Rows[i].Cells[col].Text, ":")
			at := s.at(i, col)
			if strings.TrimSpace(value) == "" && n+1 < len(cells) {
				value, found, at = s.Rows[i].Cells[cells[n+1]].Text, true, s.at(i, cells[n+1])
			}
			if f := fieldOf(name); found && (f == boxWeightField || f == packField) && !s.boxWeight.ok {
				s.boxWeight = packWeight(value, unitIn(name))
				s.boxWeight.place = at
			}
		}
	}
	if !s.header.has(produceField) && s.section.produce.text != "" {
		r.remark(ProduceFromLetterhead, s.section.produce.place, "the produce %q %s the list was used for each line", s.section.produce.text, s.side(s.section.produce.place))
	}
	if s.box == noField && s.whole == noField && s.boxWeight.ok {
		r.remark(WeightFromLetterhead, s.boxWeight.place, "the box weight %s the list was used for each line", s.side(s.boxWeight.place))
	}
}

// packText matches the weight in "CTN 4.5KG", "12 x 125 g".
var packText = regexp.MustCompile(`(?i)(?:(\d{1,3})\s*[x×*]\s*)?(\d{1,4}(?:[.,]\d{1,3})?)\s*([a-z]+)\b`)

// packWeight parses the weight of a box. in is the unit of a number without one,
// or 0.
func packWeight(text string, in float64) amount {
	if n, ok := numbers.Split(text); ok && n.Unit == "" && in > 0 {
		v, ok := numbers.Value(n.Digits, numbers.Point)
		return amount{value: v * in, present: true, ok: ok}
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
		return amount{value: v * unit, present: true, ok: v > 0}
	}
	return amount{}
}

// boxWeightOf returns the box weight of a line of a list without a column of
// weights: from its kind of box, or else from the letterhead.
func (r *reader) boxWeightOf(s *sheet, i int) amount {
	if c, _ := s.text(i, packField); c.text != "" {
		if a := packWeight(c.text, 0); a.ok {
			if !s.remarked {
				r.remark(WeightFromPack, c.place, "there is no column of weights; box weights were taken from the kind of box, such as %q", c.text)
			}
			s.remarked = true
			a.place = c.place
			return a
		}
	}
	return s.boxWeight
}

// declaredFacts returns the totals that facts declare.
func (r *reader) declaredFacts() (d shipments.Declared) {
	within := func(v, limit float64) bool { return v >= 1 && v <= limit }
	for _, f := range r.list.Facts {
		v, numeric := r.totalOf(f.Text)
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

// totalOf parses a total; a weight is in kilograms. An ambiguous number is read in
// the style of the list.
func (r *reader) totalOf(text string) (float64, bool) {
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
