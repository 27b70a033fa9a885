// Package packinglist reads the pallets of packing lists, and the facts of other documents that packing lists are
// compared with.
//
// A list is read in five stages, each a package of pure functions between values:
//
//	tables → layout → mapping → lines → reconcile
//
// Tables are the cells of a document. Package layout finds the tables of pallets and their headings. Package mapping
// gives columns fields, several mappings where several are possible. Package lines reads rows with a mapping. Package
// reconcile decides by arithmetic what amounts are amounts of, which mapping is right, and which lines are one pallet.
// The words and rules are data of package vocabulary. Package list has the types of the result, of which the Trace has
// the decisions of all stages; package explain prints them.
//
// It is a library: it imports nothing of the service but what package reference knows of produce.
//
// Guarantees: any content is read or refused with an Unreadable, without a panic. Every pallet has the place where it
// was read. Whatever is skipped or assumed has a remark, including each unused column that may be relevant. Pallets
// keep the domain's limits; missing and invalid values are zero. What the numbers of a list do not decide is refused
// with the candidates, and so is a reading that they contradict.
package packinglist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/facts"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/reconcile"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Options are what is known of a document.
type Options struct {
	Kind  tables.Kind
	Size  int64             // of its content
	Given []list.Assignment // the fields of columns, in place of what their headings say
	Facts bool              // it is no packing list: a certificate, an invoice, a bill of lading
}

// Reading is the result of reading; package list has its types.
type Reading = list.Reading

// Unreadable is the error of a document that cannot be read.
type Unreadable struct {
	tables.Unreadable
	Mappings []list.Mapping // how far its tables were understood
	Trace    list.Trace
}

// Read reads a packing list, or the facts of another document, which may have none. It returns Unreadable for content
// that is not a packing list or cannot be read; other errors are those of ctx and content.
func Read(ctx context.Context, content io.ReaderAt, o Options) (Reading, error) {
	book, err := tables.Read(ctx, o.Kind, content, o.Size)
	if err != nil {
		return Reading{}, failed(err, nil, nil)
	}
	d := document{ctx: ctx, given: o.Given, remarks: notes(book)}
	if o.Facts {
		return d.readFacts(book)
	}
	read, err := d.read(book)
	if err != nil {
		return Reading{}, failed(besides(err, book), d.mappings, d.trace)
	}
	return read, nil
}

// readFacts reads the facts of a document that is not a packing list.
func (d *document) readFacts(book tables.Book) (read Reading, err error) {
	for _, t := range book.Tables {
		read.RowsRead += len(t.Rows)
	}
	stated, doubts, err := facts.Document(d.ctx, book.Tables)
	read.Facts, read.Remarks = stated, bounded(append(d.remarks.All, doubts...))
	return read, err
}

// besides returns the error of a list with what a viewer shows beside the tables, which may be what is missing.
func besides(err error, book tables.Book) error {
	i := slices.IndexFunc(book.Notes, func(n tables.Note) bool { return n.Code == tables.NoteMark })
	if bad, ok := errors.AsType[*tables.Unreadable](err); ok && i >= 0 {
		more := *bad
		more.Detail, _ = remarks.Shortened(bad.Detail+"; annotations were not read: "+book.Notes[i].Text, 4*remarks.MaxText)
		return &more
	}
	return err
}

// failed returns an error of a stage as an Unreadable.
func failed(err error, mappings []list.Mapping, trace list.Trace) error {
	if bad, ok := errors.AsType[*tables.Unreadable](err); ok {
		return &Unreadable{Unreadable: *bad, Mappings: mappings, Trace: trace}
	}
	return err
}

// notes returns the notes on the tables of a document as remarks.
func notes(book tables.Book) (r remarks.List) {
	r.Stage = "tables"
	for _, n := range book.Notes {
		r.Note(n.Code, n.Place, n.Text)
	}
	return r
}

// bounded returns at most the maximum of remarks, the last of which counts the others.
func bounded(all []list.Remark) []list.Remark {
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(r list.Remark) bool { // once for all tables with the same columns
		key := r.Rule + r.Text
		again := seen[key] && r.Stage == "mapping"
		seen[key] = true
		return again
	})
	if more := len(all) - list.MaxRemarks; more > 0 {
		all = all[:list.MaxRemarks]
		left := remarks.List{}
		left.Add("remarks_left_out", tables.Place{}, more+1)
		all[len(all)-1] = left.All[0]
	}
	return all
}

// sameHeadings reports whether two tables have the same mapping.
func sameHeadings(a, b layout.Table) bool {
	text := func(a, b layout.Heading) bool { return a.Text == b.Text }
	return slices.EqualFunc(a.Headings, b.Headings, text) && a.Kind == b.Kind &&
		(b.Continues || a.UnitBeside() == b.UnitBeside())
}

// document is a packing list that is being read.
type document struct {
	ctx      context.Context
	given    []list.Assignment
	remarks  remarks.List
	facts    facts.List
	mappings []list.Mapping
	trace    list.Trace
}

// read reads the tables of a document.
func (d *document) read(book tables.Book) (read Reading, err error) {
	parts, err := layout.Of(book)
	families := d.families(parts)
	if err != nil || families == nil {
		return read, cmp.Or(err, layout.NoHeader(book))
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
	read.Declared = facts.Either(reconcile.Declared(settled), d.facts.Declared())
	reconcile.WeighByTotal(settled, read.Declared)
	all := d.remarks.All
	for _, s := range settled {
		s.Check()
		d.trace = d.trace.With(s.Trace...)
		read.RowsRead += len(s.Read.Lines)
		all = append(append(all, s.Read.Remarks.All...), s.Remarks.All...)
	}
	pallets, merged, err := reconcile.Pallets(settled)
	if err != nil {
		return read, err
	}
	read.Pallets, read.Facts, read.Mappings, read.Trace = pallets, d.facts.All, d.mappings, d.trace
	read.Remarks = bounded(append(all, merged...))
	first := families[0][0]
	err = reconcile.Judge(settled, &read, first.At(first.From, -1))
	d.trace = read.Trace
	return read, err
}

// families groups the tables of pallets that have the same headings. From other parts it reads facts only.
func (d *document) families(parts []layout.Table) (all [][]layout.Table) {
	r := &d.remarks
	r.Stage = "layout"
	for _, p := range parts {
		end, n := len(p.Rows), len(all)
		same := n > 0 && (p.Continued || sameHeadings(all[n-1][0], p))
		pallets := p.Headed && (same || mapping.Of([]layout.Table{p}, d.given)[0].Pallets(p))
		switch {
		case pallets:
			if end = p.From; same {
				all[n-1] = append(all[n-1], p)
			} else {
				all = append(all, []layout.Table{p})
			}
			d.trace = d.trace.With(p.Step())
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
		for i := range end {
			d.facts.Row(p.Table, i)
		}
	}
	return all
}

// sampled is how many rows of a table decide between mappings.
const sampled = 2_000

// settle reads the lines of tables with the same headings, with the mapping that agrees best with their numbers.
func (d *document) settle(all []layout.Table) (*reconcile.Settled, error) {
	if err := d.ctx.Err(); err != nil {
		return nil, err
	}
	sample := slices.Clone(all)
	for i, t := range sample {
		sample[i].Rows = t.Rows[:min(len(t.Rows), t.To+sampled)]
	}
	chosen, err := reconcile.Choose(mapping.Of(all, d.given), sample)
	r := remarks.List{Stage: "mapping"}
	m := chosen.Mapping
	described := m.Describe(all[0], &r)
	described.Candidates = chosen.Candidates
	d.remarks.All = append(d.remarks.All, r.All...)
	d.trace = d.trace.With(m.Trace()...).With(chosen.Trace...)
	read := lines.Read(all, m)
	for _, rows := range read.Skipped {
		d.trace = d.trace.With(rows...)
	}
	d.describe(described, read)
	if err := cmp.Or(err, d.ctx.Err()); err != nil {
		return nil, err
	}
	if len(read.Lines) > list.MaxLines {
		return nil, &tables.Unreadable{
			Code: tables.TooManyRows, Detail: fmt.Sprintf("the list has more than %d lines", list.MaxLines),
			Place: read.Lines[list.MaxLines].Place,
		}
	}
	for _, f := range read.Facts.All {
		d.facts.Add(f)
	}
	return reconcile.Settle(read)
}

// describe keeps the mapping of each table that has a header row.
func (d *document) describe(m list.Mapping, read *lines.List) {
	for i, t := range read.Tables {
		if t.Continued || len(d.mappings) == list.MaxMappings {
			continue
		}
		m.Sheet, m.HeaderRow, m.HeaderRows = t.Name, t.At(t.From, -1).Row, max(1, t.To-t.From)
		m.Skipped = []list.SkippedRow{}
		for _, s := range read.Skipped[i] {
			m.Skipped = append(m.Skipped, list.SkippedRow{Row: s.Where.Row, Reason: s.Note})
		}
		d.mappings = append(d.mappings, m)
	}
}
