package reconcile

import (
	"fmt"
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

// Verdict is what the numbers of a list say about its reading.
type Verdict struct {
	agree   int      // totals that agree, and products of most lines
	against []string // what contradicts it: most lines, and totals that differ by more than an error of the list
	errors  []string // totals that differ by less
	doubts  []string // rows and columns that may be read wrong
	values  []string // values that are missing or invalid
	none    string   // the code of a list without pallet numbers or boxes
}

// Judge compares a reading with what its list declares.
func Judge(all []*Settled, read shipments.Reading) (v Verdict) {
	boxes, net, weight, weighed := 0.0, 0.0, 0.0, true // of boxes, and of lines
	for _, p := range read.Pallets {
		of := float64(p.Boxes) * float64(p.BoxWeight)
		boxes, net, weighed = boxes+float64(p.Boxes), net+of, weighed && of > 0
		weight += float64(p.NetWeight)
	}
	lines, words := 0.0, 0.0
	for _, s := range all {
		for _, k := range kinds {
			of := s.found[k.name]
			if k.reason != "" && of.ratio() > most && (of.has > few || of.has == of.of) {
				v.against = append(v.against, k.reason)
			}
		}
		if of := s.found["exact"]; of.of > few && of.ratio() > most {
			v.agree++
		}
		lines, words = lines+s.found["wordy"].of, words+s.found["wordy"].has
	}
	if words == lines {
		v.none, v.against = NoPallets, []string{"no line below the header row has a pallet number"}
	} else if boxes == 0 {
		v.none = NoBoxes
	}
	n := float64(len(read.Pallets))
	v.compare("pallets", float64(read.Declared.Pallets), n, 1)
	v.compare("boxes", float64(read.Declared.Boxes), boxes, boxes/n)
	if weighed {
		if near(weight, float64(read.Declared.NetWeight)) {
			net = weight
		}
		v.compare("kg", float64(read.Declared.NetWeight)/1000, net/1000, net/1000/n)
	}
	unread := 0.0
	for _, r := range read.Remarks {
		if r.Code == "row_unread" || r.Code == "line_without_pallet" {
			unread++
		}
		if remarks.Doubts(r.Rule) && !slices.Contains(v.doubts, r.Text) {
			v.doubts = append(v.doubts, r.Text)
		}
		if remarks.OfValue(r.Rule) && !slices.Contains(v.values, r.Text) {
			v.values = append(v.values, r.Text)
		}
	}
	if unread > few && unread > most*lines && v.agree == 0 {
		v.against = append(v.against, "many rows with amounts were not read")
	}
	return v
}

// compare compares what a list declares, unless it is 0, with its lines. An error of the list
// is at most that of one pallet, or a few percent.
func (v *Verdict) compare(what string, declared, listed, ofPallet float64) {
	text := fmt.Sprintf("the list declares %.10g %s, and its lines have %.10g", declared, what, listed)
	switch {
	case declared == 0:
	case declared == listed || what == "kg" && near(declared, listed):
		v.agree++
	case math.Abs(declared-listed) <= max(ofPallet, listError*declared):
		v.errors = append(v.errors, text)
	default:
		v.against = append(v.against, text)
	}
}

// Refusal returns the error of a reading that is not to be used, with its reasons and the
// first doubts, or nil.
func (v Verdict) Refusal(at tables.Place) error {
	reasons, doubts := slices.Concat(v.against, v.errors), v.doubts
	e := Error{Code: v.none, Place: at}
	switch {
	case v.none == NoPallets:
		reasons = v.against
	case v.none == NoBoxes:
		reasons = []string{"no line has a number of boxes; a packing list has them in a column for each pallet"}
		doubts = v.values
	case len(v.against) > v.agree, reasons != nil && doubts != nil, len(reasons) > 1 && v.agree == 0:
		e.Code = Contradicted
	default:
		return nil
	}
	const first = 3 // doubts
	detail := strings.Join(slices.Concat(reasons, doubts[:min(first, len(doubts))]), "; ")
	e.Detail, _ = remarks.Shortened(detail, 4*remarks.MaxText)
	return &e
}
