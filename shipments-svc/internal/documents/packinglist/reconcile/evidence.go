package reconcile

import (
	"math"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// kind is a kind of evidence that the numbers of lines give for or against a reading.
type kind int

const (
	exact kind = iota // boxes × box weight = weight of the line
	unequal
	unrelated
	uniform // box weights
	oddBox  // an implausible weight
	unusualBox
	oddPallet
	overloaded
	oddGross   // a net weight that is not somewhat below the gross weight
	aboveGross // a net weight
	grossOnly  // gross weights are used in place of net weights
	invalid    // numbers of boxes
	repeated   // pallet numbers
	summed     // the first lines of mixed pallets
	wordy      // pallet numbers
	totalBoxes
	totalWeight
	kinds
)

// evidence is what each kind says if it holds for all lines: what it counts in the score of a
// reading, in units of the score of a heading; the rule of the remark on the first line; and
// why a reading is contradicted if it holds for most.
var evidence = [kinds]struct {
	worth        float64
	rule, reason string
}{
	exact:       {worth: 1.5},
	unequal:     {rule: "weights_differ"}, // as weights of boxes are nominal, and those of lines are not
	unrelated:   {reason: "boxes × box weight differ from the net weight on most lines"},
	uniform:     {worth: 0.5},
	oddBox:      {worth: -1, reason: "most boxes would have an impossible weight"},
	unusualBox:  {rule: "weight_implausible"},
	oddPallet:   {worth: -0.5},
	overloaded:  {reason: "most pallets would have an impossible weight"},
	oddGross:    {worth: -1},
	aboveGross:  {rule: "weights_differ/gross", reason: "most net weights are above the gross weights"},
	grossOnly:   {worth: -0.5},
	invalid:     {worth: -1.5},
	repeated:    {worth: -0.5},
	summed:      {reason: "the first lines of mixed pallets have the boxes of the others together"},
	wordy:       {reason: "most pallet numbers are texts"},
	totalBoxes:  {worth: 1},
	totalWeight: {worth: 1},
}

// The thresholds of evidence.
const (
	most      = 0.5 // of the lines
	few       = 2   // lines that may be inconsistent in any list
	bins      = 4   // on a pallet; each has the weight of many boxes
	exactly   = 0.003
	rounded   = 0.02 // a difference of weights, as by rounding
	listError = 0.1  // a difference that a list has by its own
	lightNet  = 0.7  // of the gross weight
	overload  = 2    // times the heaviest pallet
	fullLoad  = 0.3  // of the heaviest pallet
	longName  = 2    // letters of a pallet number without a digit: A, B, C
	stepOfBox = 50   // grams between box weights that differ
)

// share is how many of some things have a property, and the first.
type share struct {
	has, of float64
	first   Line
}

func (n *share) add(has bool, l Line) {
	if n.of++; has {
		if n.has++; n.has == 1 {
			n.first = l
		}
	}
}

func (n *share) ratio() float64 { return n.has / max(1, n.of) }

// gather gathers the evidence of the lines, and their score.
func (s *Settled) gather() {
	s.found = [kinds]share{}
	add := func(k kind, has bool, l Line) { s.found[k].add(has, l) }
	net, usual, pallets := 0.0, map[int]float64{}, map[string]float64{}
	gross := s.gross()
	ofLines := s.Read.Mapping.Has(vocabulary.NetWeight)
	for _, g := range s.groups() {
		key := g[0].key()
		before, seen := pallets[key]
		weight := before
		if len(g) > 2 && g[0].Boxes.OK {
			add(summed, g[0].Boxes.Value == boxesOf(g[1:]), g[0])
		}
		for _, l := range g {
			weight += l.net()
			add(invalid, l.Boxes.Present && !l.Boxes.OK, l)
			if l.Boxes.OK && l.Box.OK && l.Whole.OK && l.Whole.Value > 0 {
				difference := math.Abs(l.Boxes.Value*l.Box.Value-l.Whole.Value) / l.Whole.Value
				add(exact, difference <= exactly, l)
				alone := ofLines && len(g) == 1 && !seen
				add(unequal, alone && difference > rounded, l)
				add(unrelated, alone && difference > listError, l)
			}
			if l.Gross.Value > 0 && !gross {
				add(oddGross, l.net() > l.Gross.Value || l.net() < lightNet*l.Gross.Value, l)
				add(aboveGross, ofLines && l.Gross.Value < math.Round(l.Whole.Value), l)
			}
			if w := l.weight(); w > 0 {
				bin := l.Boxes.OK && l.Boxes.Value <= bins && w > float64(reference.UsualBox)
				least, heaviest := float64(reference.LightestBox), float64(reference.HeaviestBox)
				add(oddBox, !bin && (w < 2*least || w > heaviest), l)
				add(unusualBox, l.Boxes.OK && !bin && (w < least || w > float64(reference.UsualBox)), l)
				usual[int(w/stepOfBox+0.5)]++
				s.found[uniform].has = max(s.found[uniform].has, usual[int(w/stepOfBox+0.5)])
				s.found[uniform].of++
			}
			digit := strings.ContainsFunc(l.Pallet, unicode.IsDigit)
			add(wordy, !digit && len(l.Pallet) > longName || len([]rune(l.Pallet)) > shipments.MaxPalletNumber, l)
		}
		net, pallets[key] = net+weight-before, weight
		add(repeated, seen, g[0])
	}
	for _, w := range pallets {
		add(oddPallet, w > float64(reference.HeaviestPallet) || w > 0 && w < float64(reference.LightestPallet), Line{})
		add(overloaded, w > overload*float64(reference.HeaviestPallet), Line{})
	}
	add(grossOnly, gross, Line{})
	declared := Declared([]*Settled{s})
	s.found[totalBoxes] = equality(float64(declared.Boxes), boxesOf(s.Lines))
	s.found[totalWeight] = equality(float64(declared.NetWeight), net)
	s.Score = 0
	for k, of := range s.found {
		s.Score += evidence[k].worth * of.ratio()
	}
}

// gross reports whether the weights are gross weights.
func (s *Settled) gross() bool {
	return s.used == vocabulary.GrossWeight || s.used == vocabulary.BoxGross
}

// near reports whether two weights differ as by rounding.
func near(a, b float64) bool { return max(a, b)-min(a, b) <= rounded*max(a, b) }

// equality is whether a sum is the total: wholly, not at all, or neither without a total.
func equality(total, sum float64) share {
	switch {
	case total == 0 || sum == 0:
		return share{}
	case math.Abs(total-sum) <= exactly*total:
		return share{has: 1, of: 1}
	default:
		return share{has: -1, of: 1}
	}
}

// remark remarks on the first lines that contradict the reading.
func (s *Settled) remark() {
	for k, e := range evidence {
		if e.rule == "" || s.found[k].has == 0 {
			continue
		}
		l := s.found[k].first
		at := l.Whole.Place
		args := []any{l.Boxes.Value, kilograms(l.Box.Value), kilograms(l.Whole.Value)}
		switch kind(k) {
		case unusualBox:
			if args = []any{kilograms(l.weight())}; l.Box.OK {
				at = l.Box.Place
			}
		case aboveGross:
			args = []any{kilograms(l.Whole.Value), kilograms(l.Gross.Value)}
		default:
		}
		heading := s.Read.Tables[0].Heading(at.Column - 1)
		s.Remarks.Add(e.rule, at, append(args, tables.ColumnName(max(1, at.Column)), at.Row, heading)...)
	}
}
