package packinglist

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// reader makes a Reading of a document's tables.
type reader struct {
	ctx    context.Context // of one call of Read
	list   shipments.Reading
	lines  []line
	totals []total
	quiet  bool            // no remarks are made
	unsaid int             // remarks that were too many
	style  numbers.Style   // of the numbers of the list
	told   map[string]bool // columns that were remarked on, by their headings
}

// interpret reads the packing list of a document's content.
func interpret(ctx context.Context, book tables.Book) (shipments.Reading, error) {
	r := newReader(ctx, book)
	sheets := r.sheets(book)
	if len(sheets) == 0 {
		return shipments.Reading{}, noHeader(book)
	}
	for _, s := range sheets {
		if err := r.read(s); err != nil {
			return shipments.Reading{}, err
		}
	}
	r.dropSummaries(sheets)
	if err := r.merge(); err != nil {
		return shipments.Reading{}, err
	}
	if len(r.list.Pallets) == 0 {
		return shipments.Reading{}, &Unreadable{Code: NoPallets, Detail: "no line below the headings names a pallet", Place: sheets[0].at(sheets[0].header.from, -1)}
	}
	for i, l := range r.lines {
		if i == 0 || l.place != r.lines[i-1].place { // a row may stand for several pallets
			r.list.RowsRead++
		}
	}
	r.declare()
	for _, s := range sheets {
		if !s.continued && len(r.list.Mappings) < shipments.MaxMappings {
			r.list.Mappings = append(r.list.Mappings, s.mapping)
		}
	}
	r.list.Remarks = r.remarks()
	return r.list, nil
}

func newReader(ctx context.Context, book tables.Book) *reader {
	r := &reader{ctx: ctx}
	for _, n := range book.Notes {
		r.remark(n.Code, n.Place, "%s", n.Text)
	}
	return r
}

// remarks returns the remarks that were made, the last of which says where
// there are too many.
func (r *reader) remarks() []shipments.Remark {
	if r.unsaid > 0 {
		r.list.Remarks[len(r.list.Remarks)-1] = shipments.Remark{Code: RemarksLeftOut, Text: fmt.Sprintf("%d more remarks are left out", r.unsaid+1)}
	}
	return r.list.Remarks
}

// remark adds a remark, unless there are too many.
func (r *reader) remark(code string, at Place, format string, args ...any) {
	switch {
	case r.quiet:
		return
	case len(r.list.Remarks) == shipments.MaxRemarks:
		r.unsaid++
		return
	}
	text, _ := shortened(fmt.Sprintf(format, args...), maxRemarkText)
	r.list.Remarks = append(r.list.Remarks, shipments.Remark{Code: code, Text: text, Place: placeOf(at)})
}

// sheets returns the tables that have a list. Those that have none are looked
// through for facts only.
func (r *reader) sheets(book tables.Book) []*sheet {
	var all []*sheet
	for _, whole := range book.Tables {
		parts := divide(whole)
		for n, t := range parts {
			h, ok := headerOf(t.Rows)
			end := len(t.Rows)
			switch {
			case ok:
				end = h.from
				all = append(all, &sheet{Table: t.Table, header: h, beside: t.beside})
				r.ignored(t.Table, h.from)
			case t.Continues && len(all) > 0 && n == 0:
				h = all[len(all)-1].header
				h.from, h.to, end = 0, 0, 0
				all = append(all, &sheet{Table: t.Table, header: h, continued: true})
			case n > 0:
				r.remark(TableSkipped, Place{Sheet: t.Name, Row: t.Rows[0].Number}, "a table without pallet numbers was not read: %s", sample(t.Rows[0]))
			case len(t.Rows) > 0 && t.Name != "":
				code := SheetSkipped
				if numeric(t.Table) {
					code = TableSkipped
				}
				r.remark(code, Place{Sheet: t.Name}, "%s has no headings of a packing list", t.Name)
			}
			for i := 0; i < end && !t.beside; i++ {
				r.facts(t.Table, i, false)
			}
		}
	}
	return all
}

// sheet is a table that has a list.
type sheet struct {
	tables.Table
	header    header
	continued bool // it goes on with the table before it, without a header
	beside    bool // another table stands to its left, and above both the same
	ranges    bool // its rows stand for several pallets
	over      bool // the grand total was read
	mapping   shipments.Mapping
	columns   [fieldsThereAre]column
	box       field  // whose column says what one box weighs; noField: none
	whole     field  // whose column says what all boxes of a line weigh
	each      amount // what a box weighs, as stands above the list
	remarked  bool   // that weights come from kinds of boxes
	now       section
}

// section is what a row above lines says of all of them.
type section struct{ produce, variety, calibre, lot, orchard cell }

// cell is a text and where it was read.
type cell struct {
	text  string
	place Place
}

// at returns the place of a row, by its index, and of a column.
func (s *sheet) at(row, column int) Place {
	return Place{Sheet: s.Name, Row: s.Rows[row].Number, Column: column + 1}
}

// placeOf returns a place as the domain has it.
func placeOf(at Place) shipments.Place { return shipments.Place{Sheet: at.Sheet, Row: at.Row} }

// shortened returns at most limit characters of a text, and whether it had
// more.
func shortened(text string, limit int) (string, bool) {
	n := 0
	for i := range text {
		if n == limit {
			return text[:i], true
		}
		n++
	}
	return text, false
}

// bounded returns a text as a pallet's field can hold it.
func (r *reader) bounded(c cell, limit int, what string) string {
	text, cut := shortened(c.text, limit)
	if cut {
		r.remark(TextShortened, c.place, "the %s was shortened to its first %d characters", what, limit)
	}
	return text
}

// within reports whether a number of boxes is one that a pallet can have.
func within(boxes float64) bool {
	return boxes >= 1 && boxes <= shipments.MaxBoxes && boxes == float64(int(boxes))
}
