// Package reconcile makes pallets of lines. It tries the ways in which the amounts of a list can be read, and takes the
// one with which its numbers agree best: what the amounts are amounts of, which lines are one pallet, and which of
// several mappings is right. What the numbers say for and against a reading is the table of evidence; its verdict
// decides whether the reading is used.
package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/facts"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Error is the error of a list that cannot be read.
type Error = tables.Unreadable

// The codes of errors.
const (
	TooManyPallets = "too_many_pallets"
	PalletRange    = "pallet_range" // a row is several pallets, and the quantity of each is not known
	NoPallets      = "no_pallets"   // no line has the number of a pallet
	NoBoxes        = "no_boxes"     // no line has a number of boxes
	Contradicted   = "contradicted" // the totals differ, and a part of the list is not understood
)

// Settled is the lines of tables with one mapping, with their amounts understood.
type Settled struct {
	Read    *lines.List
	Lines   []Line
	Score   float64 // how well the numbers agree
	Remarks remarks.List
	Trace   list.Trace

	used  vocabulary.Field // that the weights were read from
	found map[string]share // the evidence, by its kind
}

// Line is a line with its amounts understood.
type Line struct {
	*lines.Line
	Boxes  lines.Amount
	Box    lines.Amount // the net weight of one box
	Whole  lines.Amount // the net weight of all boxes of the line
	Pallet string
	Gross  lines.Amount
}

// Settle understands the amounts of lines.
func Settle(read *lines.List) (*Settled, error) {
	box, whole := read.Mapping.WeightFields()
	s := &Settled{Read: read, Remarks: remarks.List{Stage: "reconcile"}, used: cmp.Or(box, whole)}
	s.Lines = make([]Line, len(read.Lines))
	for i := range read.Lines {
		l := &read.Lines[i]
		s.Lines[i] = Line{Line: l, Boxes: l.Boxes, Box: l.Box, Whole: l.Net, Gross: l.Gross, Pallet: l.Pallet.Value}
	}
	if !read.Mapping.Weighs() && slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Box.OK }) {
		s.used = vocabulary.None // the weights of kinds of boxes
	}
	if read.Mapping.Cartons && len(s.Lines) > 0 {
		s.countCartons()
	}
	return s.leveled().spread()
}

// countCartons counts the rows of each pallet and content as boxes, in a list with a row for each box.
func (s *Settled) countCartons() {
	s.Remarks.Add("cartons_counted", s.Lines[0].Place, len(s.Lines))
	index := map[string]int{}
	var all []Line
	for _, l := range s.Lines {
		c := l.key() + "\x00" + l.contents()
		if l.Box.OK { // the weight of this box, and so of the line
			l.Whole, l.Box = l.Box, lines.Amount{}
		}
		i, ok := index[c]
		if !ok {
			i = len(all)
			index[c] = i
			l.Boxes = lines.Amount{Place: l.Place, Present: true, OK: true}
			all = append(all, l)
		} else {
			all[i].Whole.Value += l.Whole.Value
			all[i].Whole.OK = all[i].Whole.OK && l.Whole.Value > 0
			all[i].Gross.Value += l.Gross.Value
		}
		all[i].Boxes.Value++
	}
	s.Lines = all
}

// groups returns the consecutive lines of each pallet.
func (s *Settled) groups() (all [][]Line) {
	from := 0
	for i := range s.Lines {
		if i+1 == len(s.Lines) || s.Lines[i+1].key() != s.Lines[i].key() {
			all = append(all, s.Lines[from:i+1])
			from = i + 1
		}
	}
	return all
}

// key is equal for the lines of a pallet. Pallet numbers are unique within their container, and within their sheet.
func (l Line) key() string {
	sheet := l.Place.Sheet
	if l.Printed {
		sheet = ""
	}
	return sheet + "\x00" + container(l) + "\x00" + strings.ToUpper(strings.Join(strings.Fields(l.Pallet), ""))
}

var separators = strings.NewReplacer(" ", "", "-", "")

// container returns the container of a line for comparison, or "".
func container(l Line) string { return strings.ToUpper(separators.Replace(l.Container())) }

// weight returns the box weight of a line in grams, or 0.
func (l Line) weight() float64 {
	switch {
	case l.Box.OK:
		return l.Box.Value
	case l.Whole.OK && l.Boxes.OK && l.Boxes.Value != 0:
		return l.Whole.Value / l.Boxes.Value
	}
	return 0
}

// net returns the net weight of a line.
func (l Line) net() float64 {
	if l.Whole.OK {
		return l.Whole.Value
	}
	return l.Box.Value * l.Boxes.Value
}

// boxesOf returns the boxes of lines.
func boxesOf(all []Line) (sum float64) {
	for _, l := range all {
		if l.Boxes.OK {
			sum += l.Boxes.Value
		}
	}
	return sum
}

// contents is equal for lines with the same contents.
func (l Line) contents() string {
	all := []string{l.Produce.Value, l.Calibre.Value}
	for _, text := range l.Also {
		all = append(all, text.Value)
	}
	return strings.Join(all, "\x00")
}

// Declared returns the totals that rows of totals declare: the last, and what others add to it, or
// else the sums of groups, as those of several sheets are.
func Declared(settled []*Settled) list.Declared {
	var all, groups list.Declared
	for _, s := range settled {
		for _, t := range s.Read.Totals {
			switch {
			case t.Part && !t.Grand:
			case t.Group:
				groups.Pallets, groups.Boxes = groups.Pallets+t.Pallets, groups.Boxes+t.Boxes
				groups.NetWeight += t.NetWeight
			default:
				all = facts.Either(t.Declared, all)
			}
		}
	}
	if all.Boxes == 0 {
		all = facts.Either(all, groups)
	}
	all.Boxes = min(all.Boxes, list.MaxDeclaredBoxes)
	all.Pallets, all.NetWeight = min(all.Pallets, list.MaxPallets), min(all.NetWeight, list.MaxDeclaredWeight)
	return all
}

// place is that of the headings.
func (s *Settled) place() tables.Place { return s.Read.Tables[0].At(s.Read.Tables[0].From, -1) }

// heading returns the heading of a field, and its place.
func (s *Settled) heading(f vocabulary.Field) (string, tables.Place) {
	t, m := s.Read.Tables[0], s.Read.Mapping
	return strings.TrimSpace(m.Column(f).Text), t.At(t.From, m.At(f))
}
