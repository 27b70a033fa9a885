// Package reconcile makes pallets of lines: it decides by arithmetic what the amounts of
// the lines are amounts of, which lines are one pallet, and which of several mappings
// agrees best with the numbers of the list.
package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Error is the error of a list that cannot be read.
type Error = tables.Unreadable

// The codes of errors.
const (
	TooManyPallets = "too_many_pallets"
	PalletRange    = "pallet_range" // a row is several pallets, and the quantity of each is not known
)

// Settled is the lines of tables with one mapping, with their amounts understood.
type Settled struct {
	Read     []lines.Lines
	Lines    []Line
	Totals   []lines.Total
	Evidence float64
	Ranges   bool // its rows are ranges of pallets
	Remarks  remarks.List
	at       amounts // the headings of its amounts

	inconsistent bool // boxes × box weight differ from the net weight on most lines
}

// Line is a line with its amounts understood.
type Line struct {
	*lines.Line
	table  int
	Boxes  lines.Amount
	Box    lines.Amount // the net weight of one box
	Whole  lines.Amount // the net weight of all boxes of the line
	Pallet string
	Gross  float64
}

// Settle understands the amounts of lines.
func Settle(read []lines.Lines) (*Settled, error) {
	s := &Settled{Read: read, Remarks: remarks.List{Stage: "reconcile"}}
	for i := range read {
		s.Totals = append(s.Totals, read[i].Totals...)
		s.Lines = slices.Grow(s.Lines, len(read[i].Lines))
		for n := range read[i].Lines {
			l := &read[i].Lines[n]
			s.Lines = append(
				s.Lines,
				Line{Line: l, table: i, Boxes: l.Boxes, Box: l.Box, Whole: l.Net, Pallet: l.Pallet.Value, Gross: l.Gross.Value},
			)
		}
	}
	if i := slices.IndexFunc(s.Totals, func(t lines.Total) bool {
		return t.Boxes > 0 &&
			float64(t.Boxes) == boxesOf(s.Lines)
	}); i >= 0 {
		whole := s.Totals[i]
		s.Totals = slices.DeleteFunc(
			s.Totals,
			func(t lines.Total) bool { return t.Boxes > 0 },
		) // parts of it, or it on each page
		s.Totals = append([]lines.Total{whole}, s.Totals...)
	}
	s.dropPalletTotals()
	s.countCartons()
	s.levels()
	s.dropRecapitulation()
	if err := s.spread(); err != nil {
		return nil, err
	}
	s.Evidence = s.evidence()
	return s, nil
}

// dropPalletTotals drops the first line of each pallet with several, if it has the boxes of
// the others together, unless the total counts both.
func (s *Settled) dropPalletTotals() {
	totals := map[*lines.Line]bool{}
	for _, g := range s.groups() {
		if len(g) > 2 && g[0].Boxes.OK {
			if g[0].Boxes.Value != boxesOf(g[1:]) {
				return
			}
			totals[g[0].Line] = true
		}
	}
	if total := float64(s.declared().Boxes); total == 0 || total != boxesOf(s.Lines) {
		s.Lines = slices.DeleteFunc(s.Lines, func(l Line) bool { return totals[l.Line] })
	}
}

// group is consecutive lines of one pallet.
func (s *Settled) groups() (all [][]Line) {
	for i, l := range s.Lines {
		if i > 0 && s.key(l) == s.key(s.Lines[i-1]) {
			all[len(all)-1] = append(all[len(all)-1], l)
		} else {
			all = append(all, []Line{l})
		}
	}
	return all
}

// key is equal for the lines of a pallet. Pallet numbers are unique within their
// container, and within their sheet.
func (s *Settled) key(l Line) string {
	t := s.Read[l.table].Table
	sheet := t.Name
	if t.Printed {
		sheet = ""
	}
	return sheet + "\x00" + container(l) + "\x00" + strings.ToUpper(strings.Join(strings.Fields(l.Pallet), ""))
}

// container returns the container of a line for comparison, or "".
func container(l Line) string { return strings.ToUpper(strings.Map(alphanumeric, l.Container())) }

func alphanumeric(r rune) rune {
	if r == ' ' || r == '-' {
		return -1
	}
	return r
}

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

// boxesOf returns the boxes of lines.
func boxesOf(all []Line) (sum float64) {
	for _, l := range all {
		if l.Boxes.OK {
			sum += l.Boxes.Value
		}
	}
	return sum
}

// countCartons counts the rows of each pallet and content as boxes, in a list with a row
// for each box.
func (s *Settled) countCartons() {
	if len(s.Read) == 0 || s.Read[0].Table.Kind != shipments.CartonsLayout || len(s.Lines) == 0 {
		return
	}
	type content struct{ pallet, produce, calibre, lot string }
	index := map[content]int{}
	var all []Line
	for _, l := range s.Lines {
		c := content{s.key(l), l.Produce.Value, l.Calibre.Value, l.Lot()}
		i, ok := index[c]
		if !ok {
			i = len(all)
			index[c] = i
			l.Boxes = lines.Amount{Place: l.Place, Present: true, OK: true}
			if l.Box.OK { // the weight of this box, and so of the line
				l.Whole, l.Box = l.Box, lines.Amount{}
			}
			all = append(all, l)
		} else {
			w := cmp.Or(l.Box.Value, l.Whole.Value)
			all[i].Whole.Value += w
			all[i].Whole.OK = all[i].Whole.OK && w > 0
			all[i].Gross += l.Gross
		}
		all[i].Boxes.Value++
	}
	s.Remarks.Add(
		remarks.CartonsCounted,
		s.Lines[0].Place,
		"each of the %d rows is a box; the boxes of each pallet were counted",
		len(s.Lines),
	)
	s.Lines = all
}

// dropRecapitulation drops the last lines if they have no pallet numbers of their own,
// and as many boxes as all lines before, of several pallets.
func (s *Settled) dropRecapitulation() {
	for n := len(s.Lines) - 1; n > 1 && !s.Lines[n].Own; n-- {
		boxes := boxesOf(s.Lines[n:])
		if s.key(s.Lines[n-1]) != s.key(s.Lines[0]) && boxes > 0 && boxes == boxesOf(s.Lines[:n]) {
			s.Remarks.Add(
				remarks.TableSkipped+"/recapitulation",
				s.Lines[n].Place,
				"the last %d lines are part of a summary and were not used",
				len(s.Lines)-n,
			)
			s.Lines = s.Lines[:n]
			return
		}
	}
}

// declared returns the declared totals of the tables: the grand total, or else the sum
// of the other totals.
func (s *Settled) declared() shipments.Declared { return Declared(s.Totals) }

// Declared returns the totals that rows of totals declare: the grand total, or else the
// sum of the others.
func Declared(totals []lines.Total) shipments.Declared {
	var all lines.Total
	for _, t := range totals {
		switch {
		case t.Grand:
			all = t
		case t.Part || all.Grand:
		case t.Group, t.Boxes == all.Boxes && t.NetWeight == all.NetWeight, t.Boxes < all.Boxes:
			all.Pallets, all.Boxes, all.NetWeight = all.Pallets+t.Pallets, all.Boxes+t.Boxes, all.NetWeight+t.NetWeight
		default:
			all = t
		}
	}
	all.Pallets, all.Boxes = atMost(all.Pallets, shipments.MaxPallets), atMost(all.Boxes, shipments.MaxDeclaredBoxes)
	all.NetWeight = atMost(all.NetWeight, shipments.MaxDeclaredWeight)
	return all.Declared
}

// atMost returns a total, or 0 for one that is negative or more than the maximum.
func atMost[T ~int](n, most T) T {
	if n < 0 || n > most {
		return 0
	}
	return n
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
