package reconcile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// tie is the greatest difference of scores that decides nothing.
const tie = 0.015

// decide returns the reading with which the numbers agree best, and others that they agree with as well.
func decide(all []*Settled) (best *Settled, rivals []*Settled) {
	rounded := func(s *Settled) float64 { return math.Round(s.Score * 1e6) }
	slices.SortStableFunc(all, func(a, b *Settled) int { return cmp.Compare(rounded(b), rounded(a)) })
	best = all[0]
	for _, r := range all[1:] {
		if best.Score-r.Score < tie && !r.same(best) && !slices.ContainsFunc(rivals, r.same) {
			rivals = append(rivals, r)
		}
	}
	return best, rivals
}

// Choice is the mapping with which the numbers of a list agree best.
type Choice struct {
	mapping.Mapping
	Candidates []list.Candidate // with others that agree as well
	Trace      list.Trace       // of the mappings that were tried
}

// Choose settles the lines of tables with each mapping and returns the best. It returns an Error with the code
// list.AmbiguousMapping, and the candidates, where another agrees with the numbers as well and gives other pallets.
func Choose(all []mapping.Mapping, of []layout.Table) (Choice, error) {
	c := Choice{Mapping: all[0]}
	var readings []*Settled
	for i := 0; i < len(all) && len(all) > 1; i++ {
		if s, err := Settle(lines.Read(of, all[i])); err == nil && len(s.Lines) > 0 {
			s.Score += all[i].Prior
			readings = append(readings, s)
		}
	}
	if len(readings) == 0 {
		return c, nil
	}
	best, rivals := decide(readings)
	c.Mapping = best.Read.Mapping
	for i, s := range readings {
		other := readings[0]
		if i == 0 {
			other = readings[min(1, len(readings)-1)]
		}
		if step := s.Read.Mapping.Instead; step != nil {
			tried := *step
			tried.Stage, tried.Before, tried.After = list.ReconcileStage, s.Read.Mapping.Prior, s.Score
			tried.Kept, tried.Note = i == 0, ""
			tried.Rival = &list.Rival{Where: other.place(), Score: other.Score}
			if step := other.Read.Mapping.Instead; step != nil {
				tried.Rival.Where = step.Where
			}
			c.Trace = c.Trace.With(tried)
		}
	}
	if rivals == nil {
		return c, nil
	}
	var texts []string
	for _, r := range append([]*Settled{best}, rivals[:min(len(rivals), list.MaxCandidates-1)]...) {
		one := r.candidate()
		c.Candidates, texts = append(c.Candidates, one), append(texts, one.Text)
	}
	return c, &Error{
		Code: list.AmbiguousMapping, Place: best.place(),
		Detail: "the list can be read in several ways, and its numbers agree with each as well: " +
			strings.Join(texts, "; or "),
	}
}

// same reports whether two mappings give the same pallets, whatever their names, but for the rounding of weights.
func (s *Settled) same(o *Settled) bool {
	names, back := map[string]string{}, map[string]string{}
	return slices.EqualFunc(s.Lines, o.Lines, func(l, other Line) bool {
		a, b := l.key(), other.key()
		names[a], back[b] = cmp.Or(names[a], b), cmp.Or(back[b], a)
		return names[a] == b && back[b] == a && l.Boxes.Value == other.Boxes.Value &&
			math.Abs(l.weight()-other.weight()) <= exactly*l.weight()
	})
}

// candidate describes a mapping beside others.
func (s *Settled) candidate() (c list.Candidate) {
	m := s.Read.Mapping
	var names []string
	for _, f := range []vocabulary.Field{
		vocabulary.PalletNumber, vocabulary.Boxes, vocabulary.BoxWeight, vocabulary.NetWeight, vocabulary.GrossWeight,
	} {
		if m.Has(f) {
			col := tables.ColumnName(m.At(f) + 1)
			c.Columns = append(c.Columns, list.AssignedColumn{Column: col, Field: string(f)})
			names = append(names, fmt.Sprintf("%s from column %s %q", f.Name(), col, m.Column(f).Text))
		}
	}
	text := fmt.Sprintf("%s (%d lines with %.0f boxes)", strings.Join(names, ", "), len(s.Lines), boxesOf(s.Lines))
	c.Text, _ = remarks.Shortened(text, list.MaxFactText)
	return c
}

// sheet is what the lines of a sheet say of each pallet, by its container and label.
type sheet struct {
	first    Line
	pallets  map[string]string
	boxes    float64
	numbered bool // its labels are numbers, as from 1 in each container, of which it names none
}

// Repetitions returns an Error with the code list.AmbiguousMapping for sheets that list the same pallets, as a summary
// does, or two versions of a list. Sheets with the same plain numbers for other contents are of several containers.
func Repetitions(all []*Settled) error {
	var sheets []*sheet
	for _, b := range sheetsOf(all) {
		for _, a := range sheets {
			shared, same := 0, 0
			for label, content := range b.pallets {
				if other, ok := a.pallets[label]; ok {
					if shared++; other == content {
						same++
					}
				}
			}
			fewer := min(len(a.pallets), len(b.pallets))
			if fewer < 2 || shared*2 < fewer || a.numbered && b.numbered && same*2 < shared {
				continue
			}
			return &Error{Code: list.AmbiguousMapping, Place: b.first.Place, Detail: fmt.Sprintf(
				"the sheets %q (%d pallets with %.0f boxes) and %q (%d pallets with %.0f boxes) list the same pallets; "+
					"send a workbook with the sheet that is valid, or name the container of each",
				a.first.Place.Sheet, len(a.pallets), a.boxes, b.first.Place.Sheet, len(b.pallets), b.boxes)}
		}
		sheets = append(sheets, b)
	}
	return nil
}

// sheetsOf returns the sheets of lines that no sheet's name gives to a container.
func sheetsOf(all []*Settled) (sheets []*sheet) {
	known := map[string]*sheet{}
	for _, s := range all {
		for _, l := range s.Lines {
			name := l.Place.Sheet
			sh, ok := known[name]
			if !ok {
				sh = &sheet{first: l, pallets: map[string]string{}, numbered: true}
				known[name] = sh
				m := vocabulary.MeaningOf(name)
				if of := m.Field == vocabulary.Container || m.Rule == "vehicle"; !l.Printed && !of &&
					!layout.ContainerText.MatchString(name) {
					sheets = append(sheets, sh)
				}
			}
			sh.pallets[container(l)+"\x00"+l.Pallet] += fmt.Sprint(l.Boxes.Value, vocabulary.Fold(l.Calibre.Value), "\x00")
			sh.boxes += l.Boxes.Value
			sh.numbered = sh.numbered && strings.Trim(l.Pallet, "0123456789") == "" && container(l) == ""
		}
	}
	return sheets
}
