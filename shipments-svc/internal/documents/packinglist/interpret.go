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
	ctx      context.Context // of one call of Read
	list     shipments.Reading
	lines    []line
	totals   []total
	quiet    bool            // remarks are discarded
	omitted  int             // number of remarks beyond the maximum
	style    numbers.Style   // of the numbers of the list
	reported map[string]bool // columns with a remark, by letters and heading
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
		return shipments.Reading{}, &Unreadable{Code: NoPallets, Detail: "no line below the header row has a pallet number", Place: sheets[0].at(sheets[0].header.from, -1)}
	}
	for i, l := range r.lines {
		if i == 0 || l.place != r.lines[i-1].place { // a row may be several pallets
			r.list.RowsRead++
		}
	}
	r.setDeclared()
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
		if n.Code == tables.NoteAside {
			r.notShipped(n.Text, n.Place)
			continue
		}
		r.remark(n.Code, n.Place, "%s", n.Text)
	}
	return r
}

// remarks returns the remarks, the last of which counts those beyond the maximum.
func (r *reader) remarks() []shipments.Remark {
	if r.omitted > 0 {
		r.list.Remarks[len(r.list.Remarks)-1] = shipments.Remark{Code: RemarksLeftOut, Text: fmt.Sprintf("%d more remarks were left out", r.omitted+1)}
	}
	return r.list.Remarks
}

// remark adds a remark, up to the maximum.
func (r *reader) remark(code string, at Place, format string, args ...any) {
	switch {
	case r.quiet:
		return
	case len(r.list.Remarks) == shipments.MaxRemarks:
		r.omitted++
		return
	}
	text, _ := shortened(fmt.Sprintf(format, args...), maxRemarkText)
	r.list.Remarks = append(r.list.Remarks, shipments.Remark{Code: code, Text: text, Place: placeOf(at)})
}

// sheets returns the tables with a packing list. From other tables it reads facts
// only.
func (r *reader) sheets(book tables.Book) []*sheet {
	var all []*sheet
	for _, whole := range book.Tables {
		parts := split(whole, maxParts)
		for n, t := range parts {
			h, ok := headerOf(t.Rows)
			end := len(t.Rows)
			switch {
			case ok:
				end = h.from
				all = append(all, &sheet{Table: t.Table, header: h, beside: t.beside})
				r.reportTablesAbove(t.Table, h.from)
				r.notShipped(t.Name, Place{Sheet: t.Name})
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
				r.remark(code, Place{Sheet: t.Name}, "%s has no header row of a packing list", t.Name)
			}
			for i := 0; i < end && !t.beside; i++ {
				r.facts(t.Table, i, false)
			}
		}
	}
	return all
}

// sheet is a table with a packing list.
type sheet struct {
	tables.Table
	header    header
	continued bool    // continues the previous table, without a header row
	beside    bool    // right of another table, below the same letterhead
	ranges    bool    // its rows are ranges of pallets
	totalled  bool    // the grand total row was read
	unnamed   bool    // a line has neither produce nor calibre
	boxes     float64 // of the lines that were read
	since     float64 // of those after the last total
	pitch     float64 // least distance of its printed rows; 0: unknown
	apart     bool    // something is between the last pallet and this row
	labels    labels  // of the lines that were read, until the last row with a label of words
	mapping   shipments.Mapping
	columns   [fieldsThereAre]column
	box       field  // the weight of one box; noField: no column
	whole     field  // the weight of all boxes of a line
	boxWeight amount // from the letterhead
	remarked  bool   // WeightFromPack was reported
	swapped   bool   // likewise a net weight above the gross weight
	section   section
	above     [fieldsThereAre]cell // last text of each field
}

// section has the values of a section row, which apply to the lines below.
type section struct{ produce, variety, calibre, lot, orchard cell }

// cell is a text and where it was read.
type cell struct {
	text  string
	place Place
}

// at returns the place of a cell by the indexes of its row and column.
func (s *sheet) at(row, column int) Place {
	return Place{Sheet: s.Name, Row: s.Rows[row].Number, Column: column + 1}
}

// placeOf returns a place as the domain has it.
func placeOf(at Place) shipments.Place { return shipments.Place{Sheet: at.Sheet, Row: at.Row} }

// shortened returns the first limit characters of a text, and whether it had more.
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

// bounded returns a text, shortened to the length of its field.
func (r *reader) bounded(c cell, limit int, what string) string {
	text, cut := shortened(c.text, limit)
	if cut {
		r.remark(TextShortened, c.place, "the %s was shortened to its first %d characters", what, limit)
	}
	return text
}

// within reports whether a number of boxes is valid for a pallet.
func within(boxes float64) bool {
	return boxes >= 1 && boxes <= shipments.MaxBoxes && boxes == float64(int(boxes))
}
