package reconcile

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// WeighByTotal gives the lines of a list without any weight the net weight of the list divided by its boxes.
func WeighByTotal(all []*Settled, d list.Declared) {
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

// Check remarks on weights that are assumed, implausible or inconsistent, once for tables with the same mapping.
func (s *Settled) Check() {
	if len(s.Lines) == 0 {
		return
	}
	m := s.Read.Mapping
	if s.used != vocabulary.None {
		s.checkUnit(m.Column(s.used))
	}
	s.remark()
	s.Trace = s.Trace.With(s.evidence()...)
	if m.Source == list.FromTemplate && s.Score < 0 {
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

// verdict is what the numbers of a list say about its reading.
type verdict struct {
	agree   int      // totals that agree, and products of most lines
	whole   bool     // the total of boxes or weights agrees: no line is missing
	against []string // what contradicts it: most lines, and totals that differ by more than an error of the list
	errors  []string // totals that differ by less
	off     float64  // the largest share of a total by which these do
	trace   list.Trace
}

// Judge compares a reading with what its list declares. It returns the error, with reasons, of one not to be used.
func Judge(all []*Settled, read *list.Reading, at tables.Place) error {
	var v verdict
	lines, words, unread := 0.0, 0.0, 0.0
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
	boxes := v.compareTotals(*read)
	read.Trace = read.Trace.With(v.trace...)
	for _, r := range read.Remarks {
		if r.Code == "row_unread" || r.Code == "line_without_pallet" {
			unread++
		}
		v.whole = v.whole && r.Rule != "weight_implausible" // of a line whose boxes may be wrong
	}
	if unread > few && unread > most*lines && v.agree == 0 {
		v.against = append(v.against, "many rows with amounts were not read")
	}
	reasons, doubts := slices.Concat(v.against, v.errors), texts(read.Remarks, remarks.Doubts)
	e := Error{Code: Contradicted, Place: at}
	switch {
	case words == lines:
		e.Code, reasons = NoPallets, []string{"no line below the header row has a pallet number"}
	case boxes == 0:
		e.Code, doubts = NoBoxes, texts(read.Remarks, remarks.OfValue)
		reasons = []string{"no line has a number of boxes; a packing list has them in a column for each pallet"}
	case len(v.against) <= v.agree && v.explained(reasons, doubts) && v.tolerable(reasons):
		return nil
	}
	const first = 3 // doubts
	detail := strings.Join(slices.Concat(reasons, doubts[:min(first, len(doubts))]), "; ")
	e.Detail, _ = remarks.Shortened(detail, 4*remarks.MaxText)
	return &e
}

// explained reports whether the contradictions are errors of the list: nothing was doubtful, or no line is missing.
func (v *verdict) explained(reasons, doubts []string) bool {
	return reasons == nil || doubts == nil || v.whole && v.against == nil
}

// tolerable reports whether the contradictions are few or small, or others agree.
func (v *verdict) tolerable(reasons []string) bool {
	return len(reasons) < 2 || v.agree > 0 || v.off <= listError
}

// texts returns the texts of remarks of some rules.
func texts(all []list.Remark, of func(string) bool) (texts []string) {
	for _, r := range all {
		if of(r.Rule) && !slices.Contains(texts, r.Text) {
			texts = append(texts, r.Text)
		}
	}
	return texts
}

// compareTotals compares the declared totals with those of the pallets, and returns the boxes of these.
func (v *verdict) compareTotals(read list.Reading) float64 {
	boxes, net, weight, weighed := 0.0, 0.0, 0.0, true // of boxes, and of lines
	for _, p := range read.Pallets {
		of := float64(p.Boxes) * float64(p.BoxWeight)
		boxes, net, weighed = boxes+float64(p.Boxes), net+of, weighed && of > 0
		weight += float64(p.NetWeight)
	}
	n, declared := float64(len(read.Pallets)), read.Declared
	v.compare("pallets", float64(declared.Pallets), n, 1)
	v.compare("boxes", float64(declared.Boxes), boxes, boxes/n)
	if weighed {
		if near(weight, float64(declared.NetWeight)) {
			net = weight
		}
		v.compare("kg", float64(declared.NetWeight)/1000, net/1000, net/1000/n)
	}
	return boxes
}

// compare compares what a list declares, unless it is 0, with its lines. An error of the list
// is at most that of one pallet, or a few percent.
func (v *verdict) compare(what string, declared, listed, ofPallet float64) {
	text := fmt.Sprintf("the list declares %.10g %s, and its lines have %.10g", declared, what, listed)
	agrees := len(v.against) + len(v.errors)
	switch {
	case declared == 0:
		return
	case declared == listed || what == "kg" && near(declared, listed):
		v.agree, v.whole = v.agree+1, v.whole || what != "pallets"
	case math.Abs(declared-listed) <= max(ofPallet, listError*declared):
		v.errors, v.off = append(v.errors, text), max(v.off, math.Abs(declared-listed)/declared)
	default:
		v.against = append(v.against, text)
	}
	v.trace = v.trace.With(list.Step{
		Stage: list.ReconcileStage, Rule: "total/" + what, Kept: agrees == len(v.against)+len(v.errors), Note: text,
	})
}

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
