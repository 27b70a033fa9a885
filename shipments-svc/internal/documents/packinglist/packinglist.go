// Package packinglist reads the pallets of packing lists, and the facts of other
// documents that packing lists are compared with.
//
// A list is read in five stages, each a package of pure functions between values:
//
//	tables → layout → mapping → lines → reconcile
//
// Tables are the cells of a document. Package layout finds the tables of pallets and
// their headings. Package mapping gives columns fields, several mappings where several
// are possible. Package lines reads rows with a mapping. Package reconcile decides by
// arithmetic what amounts are amounts of, which mapping is right, and which lines are one
// pallet. The words and rules are data of package vocabulary.
//
// Guarantees: any content is read or refused with an Unreadable, without a panic.
// Every pallet has the place where it was read. Whatever is skipped or assumed has
// a remark, including each unused column that may be relevant. Pallets keep the
// domain's limits; missing and invalid values are zero. Rows without pallet numbers are
// numbered if each plainly is one pallet. What the numbers of a list do not decide is
// refused with the candidates, and so is a reading that they contradict.
package packinglist

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/facts"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Kind is the format of a document.
type Kind = tables.Kind

// The formats that are read.
const (
	CSV  = tables.CSV
	XLSX = tables.XLSX
	PDF  = tables.PDF
)

// MaxLines is how many lines of pallets a list may have.
const MaxLines = 20_000

// Unreadable is the error of a document that cannot be read.
type Unreadable struct {
	tables.Unreadable
	Mappings []shipments.Mapping // how far its tables were understood
}

// NoHeaderRow is a code of Unreadable, beside those of packages tables and reconcile.
const NoHeaderRow = "no_header_row"

// Read reads a packing list, with the fields of columns that are given. It returns
// Unreadable for content that is not a packing list or cannot be read; other errors are
// those of ctx and content.
func Read(
	ctx context.Context,
	kind Kind,
	content io.ReaderAt,
	size int64,
	given ...shipments.Assignment,
) (shipments.Reading, error) {
	book, err := tables.Read(ctx, kind, content, size)
	if err != nil {
		return shipments.Reading{}, failed(err, nil)
	}
	d := document{ctx: ctx, given: given, remarks: notes(book)}
	read, err := d.read(book)
	if err != nil {
		return shipments.Reading{}, failed(err, d.mappings)
	}
	return read, nil
}

// ReadFacts reads the facts of a document that is not a packing list: a
// certificate, an invoice, a bill of lading. There may be none. It returns
// Unreadable for content that cannot be read; other errors are those of ctx and
// content.
func ReadFacts(ctx context.Context, kind Kind, content io.ReaderAt, size int64) (shipments.Reading, error) {
	book, err := tables.Read(ctx, kind, content, size)
	if err != nil {
		return shipments.Reading{}, failed(err, nil)
	}
	var read shipments.Reading
	var found facts.List
	for _, t := range book.Tables {
		for i := range t.Rows {
			if err := ctx.Err(); err != nil {
				return shipments.Reading{}, err
			}
			found.Row(t, i, true)
		}
		read.RowsRead += len(t.Rows)
	}
	read.Facts, read.Remarks = found.All, bounded(notes(book).All)
	return read, nil
}

// failed returns an error of a stage as an Unreadable.
func failed(err error, mappings []shipments.Mapping) error {
	if bad, ok := errors.AsType[*tables.Unreadable](err); ok {
		return &Unreadable{Unreadable: *bad, Mappings: mappings}
	}
	return err
}

// notes returns the notes on the tables of a document as remarks.
func notes(book tables.Book) (r remarks.List) {
	r.Stage = "tables"
	for _, n := range book.Notes {
		if n.Code == tables.NoteAside {
			lines.NotShipped(&r, n.Text, n.Place)
			continue
		}
		r.Note(n.Code, n.Place, n.Text)
	}
	return r
}

// bounded returns at most the maximum of remarks, the last of which counts the others.
func bounded(all []shipments.Remark) []shipments.Remark {
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(r shipments.Remark) bool { // once for all tables with the same columns
		key := r.Rule + r.Text
		again := seen[key] && r.Stage == "mapping"
		seen[key] = true
		return again
	})
	if more := len(all) - shipments.MaxRemarks; more > 0 {
		all = all[:shipments.MaxRemarks]
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
