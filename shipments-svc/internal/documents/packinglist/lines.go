package packinglist

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// line is a row about a pallet.
type line struct {
	sheet   string
	place   Place
	last    int  // number of its last row
	pallet  cell // empty: as above
	own     bool // the row itself names the pallet
	produce cell
	calibre cell
	lot     cell
	orchard cell
	boxes   amount
	box     amount // weight of a box
	whole   amount // weight of the line
	text    string // all that the row says, to tell a line that was entered twice
}

// read reads the lines of a sheet.
func (r *reader) read(s *sheet) error {
	if !s.continued {
		s.unwrap()
		r.choose(s)
	}
	r.columns(s)
	r.weights(s)
	if !s.continued {
		r.explain(s)
	}
	r.head(s)
	first := len(r.lines)
	for i := s.header.to; i < len(s.Rows); i++ {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.row(s, i)
		if len(r.lines) > MaxLines {
			return &Unreadable{Code: tables.TooManyRows, Detail: fmt.Sprintf("the list has more than %d lines", MaxLines), Place: s.at(i, -1)}
		}
	}
	if err := r.spread(s, first); err != nil {
		return err
	}
	r.plausible(s, r.lines[first:])
	return nil
}

// row reads one row below the headings.
func (r *reader) row(s *sheet, i int) {
	row := s.Rows[i]
	cells := filled(row)
	switch {
	case len(cells) == 0:
	case s.header.repeats(row):
		r.remark(HeaderRepeated, s.at(i, -1), "the headings are repeated")
		s.skipped(i, "the headings are repeated")
	case r.total(s, i):
		s.skipped(i, "it is a total")
	case s.heads(i, cells):
		s.skipped(i, "it is a heading of the rows below")
	default:
		l, ok := r.line(s, i)
		switch {
		case ok && s.over && r.recapitulates(s, i):
			r.remark(TableSkipped, s.at(i, -1), "the row follows the total and names no produce; it was left out as part of a summary: %s", sample(row))
			s.skipped(i, "it is part of a summary")
		case ok && l.pallet.text != "":
			r.lines = append(r.lines, l)
		case ok:
			r.remark(LineWithoutPallet, l.place, "the line names no pallet, nor does one above it")
			s.skipped(i, "it names no pallet, nor does a row above")
		case s.Printed && r.goesOn(s, i, cells):
		default:
			r.skip(s, i, cells)
			s.skipped(i, "it is no line of a pallet")
			r.facts(s.Table, i, false)
		}
	}
}

// recapitulates reports whether a row after the grand total is no pallet: it
// says nothing of produce or size, which every line above does.
func (r *reader) recapitulates(s *sheet, i int) bool {
	for _, f := range []field{produceField, varietyField, calibreField} {
		if c, _ := s.text(i, f); c.text != "" {
			return false
		}
	}
	return !slices.ContainsFunc(r.lines, func(l line) bool { return l.sheet == s.Name && l.produce.text == "" && l.calibre.text == "" })
}

// goesOn takes a line of print as the rest of what the line above it calls its
// produce. It returns false where it is not.
func (r *reader) goesOn(s *sheet, i int, cells []int) bool {
	n := len(r.lines)
	if n == 0 || i == 0 || s.Rows[i].Number-r.lines[n-1].last > 1 || r.lines[n-1].sheet != s.Name {
		return false
	}
	for _, col := range cells {
		if col != s.header.column[produceField] && col != s.header.column[varietyField] {
			return false
		}
	}
	for _, col := range cells {
		r.lines[n-1].produce.text += " " + s.Rows[i].Cells[col].Text
	}
	r.lines[n-1].last = s.Rows[i].Number
	return true
}

// skip remarks on a row that is no line.
func (r *reader) skip(s *sheet, i int, cells []int) {
	var texts []string
	for _, c := range cells {
		texts = append(texts, s.Rows[i].Cells[c].Text)
	}
	r.remark(RowSkipped, s.at(i, -1), "the row is no line of a pallet: %s", strings.Join(texts, " | "))
}

// line reads a row as a line. ok is false where it is none: it has neither a
// pallet's label nor an amount.
func (r *reader) line(s *sheet, i int) (l line, ok bool) {
	l = line{sheet: s.Name, place: s.at(i, -1), last: s.Rows[i].Number, boxes: r.amount(s, i, boxesField)}
	l.box, l.whole = r.amount(s, i, s.box), r.amount(s, i, s.whole)
	number, merged := s.label(i)
	switch {
	case number.text == "" || ditto(number.text) || merged:
		l.pallet = r.above(s)
	default:
		l.pallet, l.own = number, true
	}
	amounts := l.boxes.said || l.box.said || l.whole.said
	if !l.own && !amounts || l.own && !amounts && len(filled(s.Rows[i])) < 3 || l.own && !strings.ContainsFunc(number.text, isDigit) && !l.boxes.said {
		return l, false
	}
	if s.box == noField && s.whole == noField {
		l.box = r.boxed(s, i)
	}
	l.produce, l.calibre = s.produce(i), s.or(i, calibreField, s.now.calibre)
	l.lot, l.orchard = s.or(i, lotField, s.now.lot), s.or(i, orchardField, s.now.orchard)
	if l.pallet.text == "" {
		return l, true
	}
	r.judge(s, &l)
	var all strings.Builder
	for _, c := range s.Rows[i].Cells {
		all.WriteString(c.Text)
		all.WriteByte(0)
	}
	l.text = all.String()
	return l, true
}

func isDigit(r rune) bool { return unicode.IsDigit(r) }

// dates are what spreadsheets show for a calibre such as 10-12.
var dates = regexp.MustCompile(`(?i)^\d{1,2}[-/. ](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|dez|out|set|fev|mrt|mei|okt|des)[a-zé]*\.?$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}$`)

func dated(text string) bool { return dates.MatchString(text) }

// ditto reports whether a text means "as above".
func ditto(text string) bool {
	return slices.Contains([]string{`"`, `''`, "''", "〃", "do", "ditto", "idem", "id", "-", "–", "—", "”"}, strings.ToLower(strings.Trim(text, " .")))
}

// label returns the label of a row's pallet: its SSCC where it has one.
func (s *sheet) label(i int) (c cell, merged bool) {
	if c, merged = s.text(i, ssccField); c.text != "" {
		return c, merged
	}
	c, merged = s.text(i, palletField)
	if to, _ := s.text(i, palletToField); c.text != "" && to.text != "" && to.text != c.text {
		c.text += "-" + to.text
	}
	return c, merged
}

// above returns the label of the line above on the same sheet.
func (r *reader) above(s *sheet) cell {
	if n := len(r.lines); n > 0 && (r.lines[n-1].sheet == s.Name || s.continued) {
		return r.lines[n-1].pallet
	}
	return cell{}
}

// or returns what a row says in a field, or else another cell.
func (s *sheet) or(i int, f field, other cell) cell {
	if c, _ := s.text(i, f); c.text != "" && !ditto(c.text) {
		return c
	}
	return other
}

// produce returns what a row's produce is called: with its variety, unless
// that says the produce as well.
func (s *sheet) produce(i int) cell {
	p, v := s.or(i, produceField, s.now.produce), s.or(i, varietyField, s.now.variety)
	switch {
	case p.text == "":
		return v
	case v.text == "" || strings.Contains(fold(p.text), fold(v.text)):
		return p
	case strings.Contains(fold(v.text), fold(p.text)):
		return v
	}
	return cell{p.text + " " + v.text, p.place}
}

// heads reports whether a row is a heading within the list, such as "Variety:
// Crimson Seedless", which holds for the lines below it.
func (s *sheet) heads(i int, cells []int) bool {
	if len(cells) > 2 {
		return false
	}
	name, value, found := strings.Cut(s.Rows[i].Cells[cells[0]].Text, ":")
	c := cell{strings.TrimSpace(value), s.at(i, cells[0])}
	if len(cells) == 2 {
		if strings.TrimSpace(value) != "" {
			return false
		}
		c = cell{s.Rows[i].Cells[cells[1]].Text, s.at(i, cells[1])}
	} else if !found {
		return false
	}
	into := map[field]*cell{
		produceField: &s.now.produce, varietyField: &s.now.variety, calibreField: &s.now.calibre, lotField: &s.now.lot, orchardField: &s.now.orchard,
	}[fieldOf(name)]
	if into == nil || c.text == "" {
		return false
	}
	*into = c
	return true
}

// judge remarks on what a line lacks, and takes away what cannot be.
func (r *reader) judge(s *sheet, l *line) {
	switch {
	case !l.boxes.said:
	case !l.boxes.ok:
		r.remark(NotANumber, l.boxes.place, "%q is no number of boxes", s.said(l.boxes))
	case !within(l.boxes.value):
		r.remark(OutOfRange, l.boxes.place, "%s boxes are not a whole number from 1 to %d", s.said(l.boxes), shipments.MaxBoxes)
		l.boxes.ok = false
	}
	for _, w := range []*amount{&l.box, &l.whole} {
		if w.said && !w.ok {
			r.remark(NotANumber, w.place, "%q is no weight", s.said(*w))
		}
	}
	if c := l.calibre; dated(c.text) {
		r.remark(DateInCalibre, c.place, "the calibre %q was probably made a date by a spreadsheet", c.text)
	}
}

// said returns what the cell of an amount says.
func (s *sheet) said(a amount) string {
	i, _ := slices.BinarySearchFunc(s.Rows, a.place.Row, func(row tables.Row, number int) int { return row.Number - number })
	text, _ := shortened(s.Rows[i].Cells[a.place.Column-1].Text, shipments.MaxCalibre)
	return text
}
