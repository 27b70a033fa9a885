package reconcile

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

//go:embed evidence.txt
var evidenceText string

// kind is a row of evidence.txt.
type kind struct {
	name, rule, reason, what string
	worth                    float64
}

var kinds = func() (all []kind) {
	for c := range vocabulary.Rows(evidenceText) {
		worth, err := strconv.ParseFloat(c[1], 64)
		if err != nil {
			panic(err)
		}
		if !slices.Contains(gathered, c[0]) || c[2] != "" && !remarks.IsRule(c[2]) {
			panic(fmt.Sprintf("evidence.txt: %s or %q is unknown", c[0], c[2]))
		}
		all = append(all, kind{c[0], c[2], c[3], c[4], worth})
	}
	return all
}()

// gathered are the names of the evidence that gather gathers.
var gathered = strings.Fields("exact differ unrelated uniform odd-box unusual-box odd-pallet odd-gross above-gross " +
	"gross-only invalid repeated wordy summed total-boxes total-weight")

// The thresholds of evidence.
const (
	most      = 0.5 // of the lines
	few       = 2   // lines that may be inconsistent in any list
	bins      = 4   // on a pallet; each has the weight of many boxes
	exactly   = 0.003
	rounded   = 0.02 // a difference of weights, as by rounding
	listError = 0.1  // a difference that a list has by its own
	lightNet  = 0.7  // of the gross weight
	longName  = 2    // letters of a pallet number without a digit: A, B, C
	stepOfBox = 50   // grams between box weights that differ
)

// share is how many of some things have a property, and the first line.
type share struct {
	has, of float64
	first   *Line
}

func (n share) ratio() float64 { return n.has / max(1, n.of) }

// add counts a line or a pallet with or without a kind of evidence.
func (s *Settled) add(kind string, has bool, l *Line) {
	n := s.found[kind]
	if n.of++; has {
		if n.has++; n.has == 1 {
			n.first = l
		}
	}
	s.found[kind] = n
}

// gather gathers the evidence of the lines, and their score.
func (s *Settled) gather() {
	s.found = map[string]share{}
	net, usual, pallets := 0.0, map[int]float64{}, map[string]float64{}
	for _, g := range s.groups() {
		key := g[0].key()
		before, seen := pallets[key]
		pallets[key] = before
		for i := range g {
			l := &g[i]
			net, pallets[key] = net+l.net(), pallets[key]+l.net()
			s.gatherLine(l, len(g) == 1 && !seen)
			if w := l.weight(); w > 0 {
				step := int(w/stepOfBox + 0.5)
				usual[step]++
				of := s.found["uniform"]
				s.found["uniform"] = share{has: max(of.has, usual[step]), of: of.of + 1}
			}
		}
		s.add("repeated", seen, &g[0])
		if len(g) > 2 && g[0].Boxes.OK {
			s.add("summed", g[0].Boxes.Value == boxesOf(g[1:]), &g[0])
		}
	}
	for _, w := range pallets {
		least, heaviest := float64(reference.LightestPallet), float64(reference.HeaviestPallet)
		s.add("odd-pallet", w > heaviest || w > 0 && w < least, nil)
	}
	if s.found["summed"].of == 1 { // of one pallet it is an accident
		delete(s.found, "summed")
	}
	s.add("gross-only", s.gross(), nil)
	declared := Declared([]*Settled{s})
	s.found["total-boxes"] = equality(float64(declared.Boxes), boxesOf(s.Lines))
	s.found["total-weight"] = equality(float64(declared.NetWeight), net)
	s.Score = 0
	for _, k := range kinds {
		s.Score += k.worth * s.found[k.name].ratio()
	}
}

// gatherLine gathers the evidence of a line, which may be all of its pallet.
func (s *Settled) gatherLine(l *Line, alone bool) {
	s.add("invalid", !l.Boxes.OK, l)
	ofLines := s.Read.Mapping.Has(vocabulary.NetWeight)
	if l.Boxes.OK && l.Box.OK && l.Whole.OK && l.Whole.Value > 0 {
		difference := math.Abs(l.Boxes.Value*l.Box.Value-l.Whole.Value) / l.Whole.Value
		s.add("exact", difference <= exactly, l)
		s.add("differ", alone && ofLines && difference > rounded, l)
		s.add("unrelated", alone && ofLines && difference > listError, l)
	}
	if l.Gross.Value > 0 && !s.gross() {
		s.add("odd-gross", l.net() > l.Gross.Value || l.net() < lightNet*l.Gross.Value, l)
		s.add("above-gross", ofLines && l.Gross.Value < math.Round(l.Whole.Value), l)
	}
	if w := l.weight(); w > 0 {
		bin := l.Boxes.OK && l.Boxes.Value <= bins && w > float64(reference.UsualBox)
		least, heaviest := float64(reference.LightestBox), float64(reference.HeaviestBox)
		s.add("odd-box", !bin && (w < 2*least || w > heaviest), l)
		s.add("unusual-box", l.Boxes.OK && !bin && (w < least || w > float64(reference.UsualBox)), l)
	}
	digit := strings.ContainsFunc(l.Pallet, unicode.IsDigit)
	s.add("wordy", !digit && len(l.Pallet) > longName || len([]rune(l.Pallet)) > list.MaxPalletNumber, l)
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

// evidence returns the steps of the evidence: how many of the lines, or of the pallets, have it.
func (s *Settled) evidence() (all list.Trace) {
	for _, k := range kinds {
		if of := s.found[k.name]; of.of > 0 && of.has != 0 {
			all = all.With(list.Step{
				Stage: list.ReconcileStage, Where: s.place(), Rule: k.name, After: k.worth * of.ratio(), Kept: of.ratio() > most,
				Note: fmt.Sprintf("%.0f of %.0f %s", max(0, of.has), of.of, k.what),
			})
		}
	}
	return all
}

// remark remarks on the first lines that contradict the reading.
func (s *Settled) remark() {
	for _, k := range kinds {
		l := s.found[k.name].first
		if k.rule == "" || l == nil {
			continue
		}
		at := l.Whole.Place
		if !l.Whole.OK {
			at = l.Box.Place
		}
		s.Remarks.Add(k.rule, at, l.Boxes.Value, kilograms(l.Box.Value), kilograms(l.Whole.Value),
			kilograms(l.Gross.Value), kilograms(l.weight()), tables.ColumnName(max(1, at.Column)), at.Row,
			s.Read.Tables[0].Heading(at.Column-1))
	}
}
