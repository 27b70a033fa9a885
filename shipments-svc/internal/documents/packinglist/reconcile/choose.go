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

// decide returns the reading with which the numbers agree best, and those that they agree with
// as well and that give other pallets.
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

// Choose settles the lines of tables with each mapping and returns the best. It returns an Error
// with the code list.AmbiguousMapping, and the candidates, where another agrees with
// the numbers as well and gives other pallets.
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

// same reports whether two mappings give the same pallets, but for the rounding of weights.
// Which name a pallet has makes no difference.
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
