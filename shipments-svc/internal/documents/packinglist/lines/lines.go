// Package lines reads the rows of a table with a mapping: each is a line of a pallet, a
// total, a caption, a note or a repeated header. Its amounts are as written: what they
// are amounts of is decided by package reconcile.
package lines

import (
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Text is a text and where it was read.
type Text struct {
	Value string
	Place tables.Place
}

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
	Last      int // number of its last row
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
	Pallets   Amount // how many pallets the row is
	Row       string // all texts in lower case, to detect repeated lines
}

// Also are the fields of the further texts of a line.
var Also = [...]vocabulary.Field{
	vocabulary.GTIN, vocabulary.Lot, vocabulary.Orchard, vocabulary.PUC, vocabulary.PHC, vocabulary.GGN, vocabulary.Grower,
	vocabulary.Harvested, vocabulary.Packed, vocabulary.Recorder, vocabulary.Container, vocabulary.Seal,
}

const alsoFields = len(Also)

// Text returns one of the further texts of a line.
func (l *Line) Text(f vocabulary.Field) *Text { return &l.Also[slices.Index(Also[:], f)] }

// Total is the values of a row of totals.
type Total struct {
	Place       tables.Place
	Grand, Part bool    // of all lines, or of those since the previous total
	Group       bool    // of the lines since the previous total, by its boxes
	Since       float64 // the boxes of these
	shipments.Declared
}

// Lines is the content of a table.
type Lines struct {
	Table   layout.Table
	Mapping mapping.Mapping
	Lines   []Line
	Totals  []Total
	Skipped []shipments.SkippedRow
	Remarks remarks.List
	Facts   []int // the rows with facts of the document
	Pack    Amount
}

// reader reads the rows of tables with the same mapping.
type reader struct {
	*Lines
	m        mapping.Mapping
	t        layout.Table
	above    map[vocabulary.Field]Text // the last text of each field, for ditto marks
	count    float64                   // boxes of the lines of the sheet
	since    float64                   // of those after the last total
	before   []Line                    // the lines of the tables before
	totalled bool                      // the row of the grand total was read
	unnamed  bool                      // a line has neither produce nor calibre
	apart    bool                      // something is between the last pallet and this row
	remarked bool
	lines    int  // those of the sheet
	recent   int  // those after the last total
	several  bool // their labels differ
	worded   bool // a label has no digit
	forms    forms
	harmless map[string]bool    // texts that say nothing of shipping
	says     map[string][2]bool // whether a heading says that pallets were not shipped, or were
}

// Read reads tables with one mapping: pages that continue each other, or sheets with the
// same headings.
func Read(all []layout.Table, m mapping.Mapping) []Lines {
	var read []Lines
	r := reader{m: m, above: map[vocabulary.Field]Text{}, harmless: map[string]bool{}, says: map[string][2]bool{}}
	r.survey(all)
	for i, t := range all {
		l := Lines{Mapping: m, Table: t, Remarks: remarks.List{Stage: "lines"}}
		r.Lines, r.t = &l, t
		if !t.Continued && !t.Continues { // another list
			r.count, r.since, r.lines, r.recent, r.before = 0, 0, 0, 0, nil
			r.totalled, r.unnamed, r.several, r.worded = false, false, false, false
		}
		if i > 0 && len(read[i-1].Lines) > 0 {
			r.before = read[i-1].Lines
		}
		r.apart = false
		l.Lines = make([]Line, 0, len(t.Rows)-t.To)
		r.letterhead()
		for n := t.To; n < len(r.t.Rows); n++ {
			r.row(n)
		}
		if r.since > 0 { // there are lines below the last total
			for n := range l.Totals {
				l.Totals[n].Part = l.Totals[n].Part || l.Totals[n].Group
			}
		}
		l.Table = r.t
		read = append(read, l)
	}
	return read
}

// last returns the last line, or nil.
func (r *reader) last() *Line {
	if n := len(r.Lines.Lines); n > 0 {
		return &r.Lines.Lines[n-1]
	}
	if n := len(r.before); n > 0 && (r.t.Continued || r.t.Continues) {
		return &r.before[n-1]
	}
	return nil
}

// row reads one row below the header.
func (r *reader) row(i int) {
	row := r.t.Rows[i]
	cells := layout.Filled(row)
	at := r.t.At(i, -1)
	r.apart = r.apart || i > r.t.To && row.Number-r.t.Rows[i-1].Number > 1
	switch {
	case len(cells) == 0:
	case r.t.Captions[i]:
		r.apart = r.apart && !r.t.Gives(vocabulary.PalletNumber)
		r.skipped(i, "it is a section row")
	case r.t.Repeats(row):
		r.Remarks.Add("header_repeated", at)
		r.skipped(i, "the header row is repeated")
	case r.total(i):
		r.skipped(i, "it is a total row")
	case r.unnumbered(i):
		r.Remarks.Add("row_unread/label", at, layout.Sample(row))
		r.skipped(i, "its label has no number, unlike those above")
	case vocabulary.Average.MatchString(vocabulary.Fold(row.Cells[cells[0]].Text)) && !r.numbered(i):
		r.skip(i, cells)
		r.skipped(i, "it is an average")
	default:
		r.item(i, cells)
	}
}

// item reads a row that may be a line.
func (r *reader) item(i int, cells []int) {
	row := r.t.Rows[i]
	at := r.t.At(i, -1)
	l, ok := r.line(i)
	switch {
	case ok && r.inSummary(i):
		r.Remarks.Add("table_skipped/summary", at, layout.Sample(row))
		r.skipped(i, "it is part of a summary")
	case ok && l.Pallet.Value != "":
		r.Lines.Lines = append(r.Lines.Lines, l)
		boxes := 0.0
		if l.Boxes.OK {
			boxes = l.Boxes.Value
		}
		r.lines, r.recent, r.unnamed = r.lines+1, r.recent+1, r.unnamed || !r.describes(i)
		r.several = r.several || l.Pallet.Value != r.Lines.Lines[0].Pallet.Value
		r.worded = r.worded || !strings.ContainsFunc(l.Pallet.Value, unicode.IsDigit)
		r.count, r.since, r.apart = r.count+boxes, r.since+boxes, r.apart && !l.Own
		for _, col := range cells {
			r.shipped(i, col)
		}
	case ok:
		r.Remarks.Add("line_without_pallet", at)
		r.skipped(i, "neither it nor a row directly above has a pallet number")
	default:
		r.apart = true
		r.skip(i, cells)
		r.skipped(i, "it is not a line of a pallet")
		r.NotShipped(layout.Sample(row), at)
		r.Facts = append(r.Facts, i)
	}
}

// line reads a row as a line. ok is false if it has neither a pallet number nor an
// amount.
func (r *reader) line(i int) (l Line, ok bool) {
	l = Line{
		Place:   r.t.At(i, -1),
		Last:    r.t.Rows[i].Number,
		Boxes:   r.amount(i, vocabulary.Boxes),
		Pallets: r.amount(i, vocabulary.PalletCount),
	}
	l.Box, l.Gross = r.amount(i, r.m.First(vocabulary.BoxWeight, vocabulary.BoxGross)), r.amount(i, vocabulary.GrossWeight)
	l.Net = r.amount(i, r.m.First(vocabulary.NetWeight, vocabulary.AnyWeight, vocabulary.GrossWeight))
	number, merged := r.label(i)
	above := r.last()
	switch given, captioned := r.t.Given(i, vocabulary.PalletNumber); {
	case captioned && number.Value == "":
		l.Pallet, l.Own = Text{given.Text, given.Place}, above == nil || above.Pallet.Value != given.Text
	case number.Value == "" && r.apart && !r.t.Printed:
	case number.Value == "" || ditto(number.Value) || merged:
		if above != nil {
			l.Pallet = above.Pallet
		}
		l.Merged = merged
	default:
		l.Pallet, l.Own = number, true
		l.Continued = continuedText.MatchString(r.text(i, vocabulary.PalletNumber).Value)
	}
	amounts := l.Boxes.OK || l.Box.OK || l.Net.OK || l.Own && (l.Boxes.Present || l.Box.Present || l.Net.Present) ||
		r.m.Cartons && len(layout.Filled(r.t.Rows[i])) > 1
	if !l.Own && !amounts || l.Own && !amounts && len(layout.Filled(r.t.Rows[i])) < 3 ||
		l.Own && !strings.ContainsFunc(l.Pallet.Value, unicode.IsDigit) && !l.Boxes.Present || r.strange(i, l) {
		return l, false
	}
	if r.m.First(mapping.Weights...) == vocabulary.None {
		l.Box = r.packWeightOf(i)
	}
	l.Produce, l.Calibre = r.produce(i), r.textOr(i, vocabulary.Calibre)
	l.Calibre.Value = class.ReplaceAllString(l.Calibre.Value, "$1")
	for n, f := range Also {
		l.Also[n] = r.textOr(i, f)
	}
	if l.Pallet.Value == "" {
		return l, true
	}
	if c := r.textOr(i, vocabulary.SSCC); c.Value != "" {
		l.SSCC = c
	} else if mapping.SSCC(l.Pallet.Value) != "" {
		l.SSCC = l.Pallet
	}
	r.validate(i, &l)
	var all strings.Builder
	for _, c := range r.t.Rows[i].Cells {
		all.WriteString(strings.ToLower(c.Text))
		all.WriteByte(0)
	}
	l.Row = all.String()
	return l, true
}

// skipped records a row that is not a line of a pallet.
func (r *reader) skipped(i int, reason string) {
	if len(r.Skipped) < shipments.MaxSkippedRows {
		r.Skipped = append(r.Skipped, shipments.SkippedRow{Row: r.t.At(i, -1).Row, Reason: reason})
	}
}

// skip remarks on a row that is not a line.
func (r *reader) skip(i int, cells []int) {
	var texts []string
	numbers := 0
	for _, c := range cells {
		texts = append(texts, r.t.Rows[i].Cells[c].Text)
		if layout.IsQuantity(r.t.Rows[i].Cells[c].Text) {
			numbers++
		}
	}
	rule := "row_skipped"
	if numbers > 1 && len(cells) > 2 || r.t.Loose[i] ||
		cells[0] == r.m.At(vocabulary.PalletNumber) && r.startsAsPallet(i) {
		rule = "row_unread"
	}
	r.Remarks.Add(rule, r.t.At(i, -1), strings.Join(texts, " | "))
}

// startsAsPallet reports whether the label of a row begins as that of the line above, with
// another number: "3 - see annex" below 2.
func (r *reader) startsAsPallet(i int) bool {
	last := r.last()
	label, _ := r.label(i)
	words := strings.Fields(label.Value)
	return last != nil && len(words) > 1 && vocabulary.Form(words[0]) == vocabulary.Form(last.Pallet.Value)
}

// inSummary reports whether a row after the grand total has neither produce nor
// calibre, although every line above has.
func (r *reader) inSummary(i int) bool { return r.totalled && !r.unnamed && !r.describes(i) }

// describes reports whether a row has a produce, a variety or a calibre.
func (r *reader) describes(i int) bool {
	return slices.ContainsFunc(
		[]vocabulary.Field{vocabulary.Produce, vocabulary.Variety, vocabulary.Calibre},
		func(f vocabulary.Field) bool {
			return r.text(i, f).Value != ""
		},
	)
}

// Container returns the container of a line, or "".
func (l *Line) Container() string { return l.Text(vocabulary.Container).Value }
