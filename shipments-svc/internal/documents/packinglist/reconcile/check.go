package reconcile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

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
		s.Remarks.Add("weight_from_head/total", s.place(), kilograms(float64(d.NetWeight)), boxes)
		for i, l := range s.Lines {
			s.Lines[i].Box = lines.Amount{Value: each, Present: true, OK: true, Place: l.Place}
		}
	}
}

// place is that of the headings.
func (s *Settled) place() tables.Place { return s.Read[0].Table.At(s.Read[0].Table.From, -1) }

// Check remarks on weights that are assumed, implausible or inconsistent, once for tables
// with the same mapping.
func (s *Settled) Check() {
	if len(s.Lines) == 0 {
		return
	}
	m := s.Read[0].Mapping
	if s.used != vocabulary.None {
		s.checkUnit(m.Column(s.used))
	}
	s.checkWeights()
	if m.Source == shipments.FromTemplate && s.Score < 0 {
		s.Remarks.Add("template_contradicted", s.place(), m.Template)
	}
}

// checkUnit remarks on the unit and the kind of the weights that are used, and on notes
// that say otherwise: "All weights are gross weights".
func (s *Settled) checkUnit(c *mapping.Column) {
	r := &s.Remarks
	heading, at := s.heading(s.used)
	gross := s.used == vocabulary.GrossWeight || s.used == vocabulary.BoxGross
	if gross {
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
	for _, read := range s.Read {
		for i, row := range read.Table.Rows {
			cells := layout.Filled(row)
			if len(cells) != 1 {
				continue
			}
			text, at := row.Cells[cells[0]].Text, read.Table.At(i, -1)
			of, _ := vocabulary.Of(text)
			if unit := layout.WeightUnit(row); unit > 0 && c.Unit > 0 && unit != c.Unit {
				r.Add("units_mixed/note", at, text, heading, mapping.UnitName(c.Unit))
			}
			if of&vocabulary.Gross != 0 && of&(vocabulary.Weight|vocabulary.Unit) != 0 && of&vocabulary.Total == 0 && !gross &&
				!strings.ContainsAny(text, "0123456789") && len(strings.Fields(text)) > 2 {
				r.Add("gross_weight_used/note", at, text, heading)
			}
		}
	}
}

// checkWeights remarks on the first of the implausible box weights, of the lines whose
// boxes × box weight differ from the net weight, and of the net weights above the gross.
func (s *Settled) checkWeights() {
	const few = 2 // lines that may be inconsistent in any list
	odd, differ, swapped := 0, 0, 0
	of := map[string]int{} // lines of a pallet; one may have the weight of all
	for _, l := range s.Lines {
		of[s.key(l)]++
	}
	add := func(n *int, rule string, at tables.Place, args ...any) {
		if *n++; *n == 1 {
			heading := s.Read[0].Table.Heading(at.Column - 1)
			s.Remarks.Add(rule, at, append(args, tables.ColumnName(max(1, at.Column)), at.Row, heading)...)
		}
	}
	for _, l := range s.Lines {
		from := l.Box
		if !from.OK {
			from = l.Whole
		}
		w, whole := l.weight(), l.Whole.Value
		if l.Boxes.OK && w > 0 && (w < float64(reference.LightestBox) || w > float64(reference.UsualBox)) {
			add(&odd, "weight_implausible", from.Place, kilograms(w))
		}
		if !l.Whole.OK || s.Read[0].Mapping.At(vocabulary.NetWeight) != l.Whole.Place.Column-1 {
			continue
		}
		if l.Boxes.OK && l.Box.OK && of[s.key(l)] == 1 && !near(l.Boxes.Value*l.Box.Value, whole) {
			add(&differ, "weights_differ", l.Whole.Place, l.Boxes.Value, kilograms(l.Box.Value), kilograms(whole))
		}
		if l.Gross.Value > 0 && l.Gross.Value < math.Round(whole) {
			add(&swapped, "weights_differ/gross", l.Whole.Place, kilograms(whole), kilograms(l.Gross.Value))
		}
	}
	s.inconsistent = differ*2 > len(s.Lines) && differ > few
}

func kilograms(grams float64) string { return strconv.FormatFloat(math.Round(grams)/1000, 'f', -1, 64) }

// Verdict is what the numbers of a list say about its reading.
type Verdict struct {
	agree   int      // declared totals that agree
	differ  []string // how others differ
	doubts  []string // rows and columns that may be read wrong
	values  []string // values that are missing or invalid
	noBoxes bool
	named   bool // the labels are words
}

// longestName is the maximum length of a pallet number without a digit: A, B, C.
const longestName = 2

// Judge compares a reading with what its list declares.
func Judge(all []*Settled, read shipments.Reading) (v Verdict) {
	boxes, net, weighed, numbered, named, impossible := 0.0, 0.0, true, false, false, 0
	for _, p := range read.Pallets {
		weight := float64(p.Boxes) * float64(p.BoxWeight)
		if weight > float64(reference.HeaviestPallet) {
			v.doubts = append(v.doubts, fmt.Sprintf("pallet %s would weigh %s kg", p.Number, kilograms(weight)))
		}
		if weight > 2*float64(reference.HeaviestPallet) {
			impossible++
		}
		numbered = numbered || strings.ContainsFunc(p.Number, unicode.IsDigit)
		named = named || len(p.Number) > longestName
		boxes, net = boxes+float64(p.Boxes), net+weight
		weighed = weighed && weight > 0
	}
	for _, s := range all {
		if s.inconsistent {
			v.differ = append(v.differ, "boxes × box weight differ from the net weight on most lines")
		}
		for _, l := range s.Lines {
			if text, cut := remarks.Shortened(l.Pallet, shipments.MaxPalletNumber); cut {
				v.doubts = append(v.doubts, fmt.Sprintf("the text %q is no pallet number", text))
				impossible++
			}
		}
	}
	if impossible > 0 && 2*impossible >= len(read.Pallets) {
		v.differ = append(v.differ, "half of the pallets or more have an impossible weight or number")
	}
	v.noBoxes, v.named = boxes == 0, named && !numbered
	if !numbered {
		v.doubts = append(v.doubts, "no pallet number has a digit")
	}
	v.compare("pallets", float64(read.Declared.Pallets), float64(len(read.Pallets)))
	v.compare("boxes", float64(read.Declared.Boxes), boxes)
	if weighed {
		v.compare("kg", float64(read.Declared.NetWeight)/1000, net/1000)
	}
	for _, r := range read.Remarks {
		if remarks.Doubts(r.Rule) && !slices.Contains(v.doubts, r.Text) {
			v.doubts = append(v.doubts, r.Text)
		}
		if remarks.OfValue(r.Rule) && !slices.Contains(v.values, r.Text) {
			v.values = append(v.values, r.Text)
		}
	}
	return v
}

// compare compares what a list declares, unless it is 0, with its lines.
func (v *Verdict) compare(what string, declared, listed float64) {
	switch {
	case declared == 0:
	case declared == listed || what == "kg" && near(declared, listed):
		v.agree++
	default:
		text := fmt.Sprintf("the list declares %.10g %s, and its lines have %.10g", declared, what, listed)
		v.differ = append(v.differ, text)
	}
}

// Verified reports whether the declared totals agree with the lines.
func (v Verdict) Verified() bool { return v.agree > 0 && v.differ == nil && !v.noBoxes }

// Better reports whether a reading is better than one of another division of the list,
// which is likelier by its headings: the totals of the list must say so.
func (v Verdict) Better(than Verdict, err error) bool {
	return v.Verified() && (err != nil || !than.Verified())
}

// Refusal returns the error of a reading that is not to be used, with its reasons and the
// first doubts, or nil.
func (v Verdict) Refusal(at tables.Place) error {
	e := Error{Place: at}
	var reasons, doubts []string
	switch {
	case v.named:
		e.Code, reasons, doubts = NoPallets, []string{"no line below the header row has a pallet number"}, v.doubts
	case v.noBoxes:
		e.Code, doubts = NoBoxes, v.values
		reasons = []string{"no line has a number of boxes; a packing list has them in a column for each pallet"}
	case v.differ != nil && (v.doubts != nil || len(v.differ) > 1 && v.agree == 0):
		e.Code, reasons, doubts = Contradicted, v.differ, v.doubts
	default:
		return nil
	}
	const most = 3 // doubts
	detail := strings.Join(slices.Concat(reasons, doubts[:min(most, len(doubts))]), "; ")
	e.Detail, _ = remarks.Shortened(detail, 4*remarks.MaxText)
	return &e
}
