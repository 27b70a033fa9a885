// Package lines reads the rows of tables with a mapping: each is a line of a pallet, a total, a caption, a note or a
// repeated header. Its amounts are as written: what they are amounts of is decided by package reconcile.
package lines

import (
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/facts"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Text is a text and where it was read.
type Text = layout.Text

// Amount is the number in a cell. Weights are in grams.
type Amount struct {
	Value   float64
	Text    string // as written
	Place   tables.Place
	Present bool // the cell is not empty
	OK      bool // it is a valid number
}

// Line is a row about a pallet.
type Line struct {
	Place     tables.Place
	Printed   bool // on a page rather than in a sheet
	Pallet    Text
	Own       bool // the row has a pallet number of its own
	Merged    bool // or shares the cell of the row above
	Continued bool // its pallet number is marked as continued
	Produce   Text
	Calibre   Text
	SSCC      Text
	Also      [alsoFields]Text // other texts, by the order of the variable Also
	Boxes     Amount
	Box       Amount // weight of a box
	Net       Amount // of the line, or of what the heading says
	Gross     Amount
	Row       string // all texts in lower case, to detect repeated lines
}

// Also are the fields of the further texts of a line.
var Also = [...]vocabulary.Field{
	vocabulary.GTIN, vocabulary.Lot, vocabulary.Orchard, vocabulary.PUC, vocabulary.PHC, vocabulary.GGN,
	vocabulary.Grower, vocabulary.Harvested, vocabulary.Packed, vocabulary.Recorder, vocabulary.Container,
	vocabulary.Seal,
}

const alsoFields = len(Also)

// Container returns the container of a line, or "".
func (l *Line) Container() string { return l.Also[slices.Index(Also[:], vocabulary.Container)].Value }

// Total is the values of a row of totals.
type Total struct {
	Grand, Part bool // of all lines, or of some, by its label or its boxes
	Group       bool // of the lines since the previous total, by its boxes
	list.Declared
}

// List is the content of tables with one mapping: pages that continue each other, or sheets with the same headings.
type List struct {
	Tables  []layout.Table
	Mapping mapping.Mapping
	Lines   []Line
	Totals  []Total
	Skipped []list.Trace // of each table: the rows that are no lines
	Facts   facts.List   // of the rows that are no lines
	Remarks remarks.List
}

// reader reads the rows of tables with the same mapping.
type reader struct {
	*List
	t        layout.Table
	above    map[vocabulary.Field]Text // the last text of each field, for ditto marks
	forms    map[string]int            // of the labels of rows with boxes
	pack     Amount                    // the weight of each box of the list
	remarked bool                      // a box weight was taken from a kind of box
	apart    bool                      // something is between the last pallet and this row
	partial  bool                      // only some pallets have a total
	progress
	harmless map[string]bool // texts that say nothing of shipping
}

// progress is what was read of a list.
type progress struct {
	from        int  // the index of its first line
	all, recent run  // its lines, and those after the last total
	totalled    bool // its total was read
	unnamed     bool // a line has neither produce nor calibre
	several     bool // the labels differ
	worded      bool // a label has no digit
}

// run is some lines.
type run struct {
	lines int
	boxes float64
}

// Read reads tables with one mapping.
func Read(all []layout.Table, m mapping.Mapping) *List {
	read := &List{Tables: all, Mapping: m, Remarks: remarks.List{Stage: "lines"}}
	r := reader{List: read, above: map[vocabulary.Field]Text{}, harmless: map[string]bool{}, forms: map[string]int{}}
	r.survey()
	totals := 0 // of the lists before
	for i, t := range all {
		r.t, r.apart = t, false
		r.Skipped = append(r.Skipped, nil)
		if !t.Continued && !t.Continues { // another list
			r.progress, r.partial = progress{from: len(r.Lines)}, false
		}
		r.Lines = slices.Grow(r.Lines, len(t.Rows)-t.To)
		r.letterhead()
		for n := t.To; n < len(t.Rows); n++ {
			r.row(n)
		}
		if i+1 < len(all) && (all[i+1].Continued || all[i+1].Continues) {
			continue
		}
		for ; totals < len(r.Totals); totals++ { // there may be lines below the last total
			t := &r.Totals[totals]
			t.Part = t.Part || t.Group && !t.Grand && (r.recent.boxes > 0 || r.partial)
		}
	}
	return read
}

// last returns the last line of the list that is read, or nil.
func (r *reader) last() *Line {
	if n := len(r.Lines); n > r.from {
		return &r.Lines[n-1]
	}
	return nil
}
