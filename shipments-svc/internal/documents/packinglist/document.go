package packinglist

import (
	"context"
	"fmt"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/facts"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/reconcile"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// document is a packing list that is being read.
type document struct {
	ctx      context.Context
	given    []shipments.Assignment
	remarks  remarks.List
	facts    facts.List
	mappings []shipments.Mapping
	style    numbers.Style
}

// read reads the tables of a document.
func (d *document) read(book tables.Book) (read shipments.Reading, err error) {
	families, first := d.families(layout.Of(book))
	if len(families) == 0 {
		return read, layout.NoHeader(book)
	}
	var settled []*reconcile.Settled
	for _, tables := range families {
		s, err := d.settle(tables)
		if err != nil {
			return read, err
		}
		settled = append(settled, s)
	}
	if err := reconcile.Repetitions(settled); err != nil {
		return read, err
	}
	read.Declared = facts.Either(reconcile.Declared(settled), d.facts.Declared(d.style))
	reconcile.WeighByTotal(settled, read.Declared)
	all := d.remarks.All
	for _, s := range settled {
		s.Check()
		read.RowsRead += len(s.Read.Lines)
		all = append(append(all, s.Read.Remarks.All...), s.Remarks.All...)
	}
	pallets, merged, err := reconcile.Pallets(settled)
	if err == nil && len(pallets) == 0 {
		err = &tables.Unreadable{
			Code: reconcile.NoPallets, Detail: "no line below the header row has a pallet number", Place: first,
		}
	}
	if err != nil {
		return shipments.Reading{}, err
	}
	read.Pallets, read.Facts, read.Mappings = pallets, d.facts.All, d.mappings
	read.Remarks = bounded(append(all, merged...))
	return read, reconcile.Judge(settled, read).Refusal(first)
}

// families groups the tables of pallets that have the same headings. From other parts it
// reads facts only.
func (d *document) families(parts []layout.Table) (all [][]layout.Table, first tables.Place) {
	r := &d.remarks
	r.Stage = "layout"
	for _, p := range parts {
		end, n := len(p.Rows), len(all)
		pallets := p.Headed && (p.Continued && n > 0 || mapping.Of([]layout.Table{p}, d.given)[0].Pallets(p))
		switch {
		case pallets:
			if end = p.From; n == 0 {
				first = p.At(p.From, -1)
			}
			if n > 0 && (p.Continued || sameHeadings(all[n-1][0], p)) {
				all[n-1] = append(all[n-1], p)
			} else {
				all = append(all, []layout.Table{p})
			}
			if i, ok := layout.StartsTable(p.Rows[:p.From]); ok {
				r.Add("table_skipped/above", p.At(i, -1), layout.Sample(p.Rows[i]))
			}
			lines.NotShipped(r, p.Name, tables.Place{Sheet: p.Name})
		case !p.First && len(p.Rows) > 0:
			r.Add("table_skipped/below", p.At(0, -1), layout.Sample(p.Rows[0]))
		case len(p.Rows) > 0 && p.Name != "":
			rule := "sheet_skipped"
			if layout.HasNumbers(p.Table) {
				rule = "table_skipped/sheet"
			}
			r.Add(rule, tables.Place{Sheet: p.Name}, p.Name)
		}
		for i := 0; i < end && !p.Beside; i++ {
			d.facts.Row(p.Table, i, false)
		}
	}
	return all, first
}

// sampled is how many rows of a table decide between mappings.
const sampled = 2_000

// settle reads the lines of tables with the same headings, with the mapping that agrees
// best with their numbers.
func (d *document) settle(all []layout.Table) (*reconcile.Settled, error) {
	if err := d.ctx.Err(); err != nil {
		return nil, err
	}
	proposals := mapping.Of(all, d.given)
	sample := slices.Clone(all)
	for i, t := range sample {
		sample[i].Rows = t.Rows[:min(len(t.Rows), t.To+sampled)]
	}
	m, candidates, err := reconcile.Choose(
		proposals,
		func(m mapping.Mapping) *lines.List { return lines.Read(sample, m) },
	)
	r := remarks.List{Stage: "mapping"}
	described := m.Describe(all[0], &r)
	described.Candidates = candidates
	d.remarks.All = append(d.remarks.All, r.All...)
	if d.style == numbers.Unclear {
		d.style = m.Style
	}
	if err != nil {
		d.describe(described, all, nil)
		return nil, err
	}
	read := lines.Read(all, m)
	d.describe(described, all, read)
	if err := d.ctx.Err(); err != nil {
		return nil, err
	}
	if len(read.Lines) > MaxLines {
		return nil, &tables.Unreadable{
			Code: tables.TooManyRows, Detail: fmt.Sprintf("the list has more than %d lines", MaxLines),
			Place: read.Lines[MaxLines].Place,
		}
	}
	for _, f := range read.Facts.All {
		d.facts.Add(f)
	}
	return reconcile.Settle(read)
}

// describe keeps the mapping of each table that has a header row.
func (d *document) describe(m shipments.Mapping, all []layout.Table, read *lines.List) {
	for i, t := range all {
		if t.Continued || len(d.mappings) == shipments.MaxMappings {
			continue
		}
		m.Sheet, m.HeaderRow, m.HeaderRows = t.Name, t.At(t.From, -1).Row, max(1, t.To-t.From)
		if m.Skipped = []shipments.SkippedRow{}; read != nil {
			m.Skipped = read.Skipped[i]
		}
		d.mappings = append(d.mappings, m)
	}
}
