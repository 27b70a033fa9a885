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
	last    int // number of its last row
	pallet  cell
	own     bool // the row has a pallet number of its own
	merged  bool // or shares the cell of the row above
	produce cell
	calibre cell
	lot     cell
	orchard cell
	boxes   amount
	box     amount // weight of a box
	whole   amount // weight of the line
	text    string // of all cells in lower case, to detect repeated lines
}

// read reads the lines of a sheet.
func (r *reader) read(s *sheet) error {
	s.unwrap()
	if !s.continued {
		r.resolveDuplicates(s)
	}
	r.columns(s)
	r.weights(s)
	if !s.continued {
		r.buildMapping(s)
		r.reportAssumed(s)
	}
	r.readLetterhead(s)
	first := len(r.lines)
	s.boxes = boxesOf(slices.DeleteFunc(slices.Clone(r.lines), func(l line) bool { return l.sheet != s.Name }))
	for i := s.header.to; i < len(s.Rows); i++ {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.row(s, i)
		if len(r.lines) > MaxLines {
			return &Unreadable{Code: tables.TooManyRows, Detail: fmt.Sprintf("the list has more than %d lines", MaxLines), Place: s.at(i, -1)}
		}
	}
	if s.since > 0 { // there are lines below the last total
		for n := range r.totals {
			r.totals[n].part = r.totals[n].part || r.totals[n].group && r.totals[n].place.Sheet == s.Name
		}
	}
	r.dropRecapitulation(first)
	if err := r.expandRanges(s, first); err != nil {
		return err
	}
	r.checkPlausible(s, r.lines[first:])
	return nil
}

// row reads one row below the header.
func (r *reader) row(s *sheet, i int) {
	row := s.Rows[i]
	cells := filled(row)
	s.apart = s.apart || i > s.header.to && row.Number-s.Rows[i-1].Number > 1
	switch {
	case len(cells) == 0:
	case s.header.repeats(row):
		r.repeated(s, i)
	case r.total(s, i):
		s.skipped(i, "it is a total row")
	case r.unnumbered(s, i):
		r.remark(RowUnread, s.at(i, -1), "the row was not used, because its label has no number, unlike those above: %s", sample(row))
		s.skipped(i, "its label has no number, unlike those above")
	case averageText.MatchString(fold(row.Cells[cells[0]].Text)) && !s.numbered(i):
		r.skip(s, i, cells)
		s.skipped(i, "it is an average")
	case s.sectionRow(i, cells):
		s.skipped(i, "it is a section row")
	default:
		l, ok := r.line(s, i)
		switch {
		case ok && s.inSummary(i):
			r.remark(TableSkipped, s.at(i, -1), "the row is part of a summary after the total and was not used: %s", sample(row))
			s.skipped(i, "it is part of a summary")
		case ok && l.pallet.text != "":
			r.lines = append(r.lines, l)
			boxes := boxesOf(r.lines[len(r.lines)-1:])
			s.unnamed = s.unnamed || l.produce.text == "" && l.calibre.text == ""
			s.boxes, s.since, s.apart = s.boxes+boxes, s.since+boxes, s.apart && !l.own
			for _, col := range cells {
				r.shipped(s, i, col)
			}
		case ok:
			r.remark(LineWithoutPallet, l.place, "neither the line nor one directly above has a pallet number")
			s.skipped(i, "neither it nor a row directly above has a pallet number")
		case s.Printed && r.continues(s, i, cells):
		default:
			s.apart = true
			if r.turned(s, cells) {
				r.remark(RowContinued, s.at(i, -1), "a text at the top of the page continues the last row of the page before and was not used: %s", sample(row))
			} else {
				r.skip(s, i, cells)
			}
			s.skipped(i, "it is not a line of a pallet")
			r.notShipped(sample(row), s.at(i, -1))
			r.facts(s.Table, i, false)
		}
	}
}

// numbered reports whether a row has a pallet number with digits.
func (s *sheet) numbered(i int) bool {
	label, _ := s.label(i)
	return strings.ContainsFunc(label.text, isDigit)
}

// averageText matches labels of rows that are neither a line nor a total.
var averageText = regexp.MustCompile(`^(?:average|avg|mean|median|promedio|moyenne|gemiddeld|gemiddelde|ortalama)(?: \pL+)*$`)

// inSummary reports whether a row after the grand total has neither produce nor
// calibre, although every line above has.
func (s *sheet) inSummary(i int) bool { return s.totalled && !s.unnamed && !s.named(i) }

// named reports whether a row has a produce, a variety or a calibre.
func (s *sheet) named(i int) bool {
	return slices.ContainsFunc([]field{produceField, varietyField, calibreField}, func(f field) bool {
		c, _ := s.text(i, f)
		return c.text != ""
	})
}

// continues appends a printed row to the name of the produce of the line above. It
// returns false if the row has other texts.
func (r *reader) continues(s *sheet, i int, cells []int) bool {
	n := len(r.lines)
	if n == 0 || s.Rows[i].Number-r.lines[n-1].last > 1 || s.pitch > 0 && s.Rows[i].Below > s.pitch*1.1 || r.lines[n-1].sheet != s.Name || !s.onlyText(s.Rows[i]) {
		return false
	}
	for _, col := range cells {
		r.lines[n-1].produce.text += " " + s.Rows[i].Cells[col].Text
	}
	r.lines[n-1].last = s.Rows[i].Number
	return true
}

// turned reports whether a row may be the end of one of the page before: it is above
// the lines of its page, and has only texts of columns that are read.
func (r *reader) turned(s *sheet, cells []int) bool {
	n := len(r.lines)
	return s.Printed && s.Continues && n > 0 && r.lines[n-1].sheet != s.Name && !slices.ContainsFunc(cells, func(col int) bool {
		f, used := s.fieldAt(col)
		return !used || f == palletField || f == ssccField
	})
}

// repeated remarks on a row that repeats the header.
func (r *reader) repeated(s *sheet, i int) {
	if s.header.redefines(s.Rows[i]) { // beyond the maximum of tables
		r.remark(TableSkipped, s.at(i, -1), "the headings change here, and the rows below were read with those above: %s", sample(s.Rows[i]))
		s.skipped(i, "it is another header row")
		return
	}
	r.remark(HeaderRepeated, s.at(i, -1), "the header row is repeated")
	s.skipped(i, "the header row is repeated")
}

// skip remarks on a row that is not a line.
func (r *reader) skip(s *sheet, i int, cells []int) {
	var texts []string
	numbers := 0
	for _, c := range cells {
		texts = append(texts, s.Rows[i].Cells[c].Text)
		if isQuantity(s.Rows[i].Cells[c].Text) {
			numbers++
		}
	}
	code := RowSkipped
	if numbers > 1 && len(cells) > 2 || s.unjoined(i) {
		code = RowUnread
	}
	r.remark(code, s.at(i, -1), "the row is not a line of a pallet: %s", strings.Join(texts, " | "))
}

// line reads a row as a line. ok is false if it has neither a pallet number nor an
// amount.
func (r *reader) line(s *sheet, i int) (l line, ok bool) {
	l = line{sheet: s.Name, place: s.at(i, -1), last: s.Rows[i].Number, boxes: r.amount(s, i, boxesField)}
	l.box, l.whole = r.amount(s, i, s.box), r.amount(s, i, s.whole)
	number, merged := s.label(i)
	switch {
	case number.text == "" && s.apart && !s.Printed:
	case number.text == "" || ditto(number.text) || merged:
		l.pallet, l.merged = r.labelAbove(s), merged
	default:
		l.pallet, l.own = number, true
	}
	amounts := l.boxes.present || l.box.present || l.whole.present
	if !l.own && !amounts || l.own && !amounts && len(filled(s.Rows[i])) < 3 || l.own && !strings.ContainsFunc(number.text, isDigit) && !l.boxes.present {
		return l, false
	}
	if s.box == noField && s.whole == noField {
		l.box = r.boxWeightOf(s, i)
	}
	l.produce, l.calibre = s.produce(i), s.textOr(i, calibreField, s.section.calibre)
	l.lot, l.orchard = s.textOr(i, lotField, s.section.lot), s.textOr(i, orchardField, s.section.orchard)
	if l.pallet.text == "" {
		return l, true
	}
	r.validate(s, i, &l)
	var all strings.Builder
	for _, c := range s.Rows[i].Cells {
		all.WriteString(strings.ToLower(c.Text))
		all.WriteByte(0)
	}
	l.text = all.String()
	return l, true
}

func isDigit(r rune) bool { return unicode.IsDigit(r) }

// dates matches the dates that spreadsheets make of a calibre such as 10-12.
var dates = regexp.MustCompile(`(?i)^\d{1,2}[-/. ](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|dez|out|set|fev|mrt|mei|okt|des)[a-zé]*\.?$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}$`)

func isDate(text string) bool { return dates.MatchString(text) }

// ditto reports whether a text means "as above": a sign or a word.
func ditto(text string) bool { return text != "" && dittoText.MatchString(fold(text)) }

var (
	dittoText = regexp.MustCompile(`^(?:do|ditto|idem|id|(?:the )?same(?: as)?(?: above)?|(?:as|see) above|igual|(?:lo )?mismo|mesmo|meme|cont|contd|cont d|continued)?$`)
	// continuedText matches the end of a label that is continued: "P1 (cont.)".
	continuedText = regexp.MustCompile(`(?i)[\s(\[-]+cont(?:'?d|inu\pL*)?\.?[)\]]*$`)
)

// label returns the pallet number of a row: its SSCC if it has one.
func (s *sheet) label(i int) (c cell, merged bool) {
	if c, merged = s.text(i, ssccField); c.text != "" {
		return c, merged
	}
	c, merged = s.text(i, palletField)
	c.text = continuedText.ReplaceAllString(c.text, "")
	if to, _ := s.text(i, palletToField); c.text != "" && to.text != "" && to.text != c.text {
		c.text += " to " + to.text
	}
	return c, merged
}

// labelAbove returns the pallet number of the line above on the same sheet.
func (r *reader) labelAbove(s *sheet) cell {
	if n := len(r.lines); n > 0 && (r.lines[n-1].sheet == s.Name || s.continued) {
		return r.lines[n-1].pallet
	}
	return cell{}
}

// textOr returns the text of a field in a row, or else another cell.
func (s *sheet) textOr(i int, f field, other cell) cell {
	c, _ := s.text(i, f)
	switch {
	case c.text == "" || fold(c.text) == "" && !strings.ContainsAny(c.text, quotes):
		return other
	case ditto(c.text):
		return s.above[f]
	}
	s.above[f] = c
	return c
}

const quotes = "\"'〃”″"

// produce returns the name of a row's produce with its variety, unless one
// contains the other.
func (s *sheet) produce(i int) cell {
	p, v := s.textOr(i, produceField, s.section.produce), s.textOr(i, varietyField, s.section.variety)
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

// sectionRow reads a row such as "Variety: Crimson Seedless", which applies to the
// lines below. It returns false for other rows.
func (s *sheet) sectionRow(i int, cells []int) bool {
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
		produceField: &s.section.produce, varietyField: &s.section.variety, calibreField: &s.section.calibre, lotField: &s.section.lot, orchardField: &s.section.orchard,
	}[fieldOf(name)]
	if into == nil || c.text == "" {
		return false
	}
	*into = c
	return true
}

// validate remarks on invalid numbers of a line and discards them.
func (r *reader) validate(s *sheet, i int, l *line) {
	switch {
	case !l.boxes.present:
	case !l.boxes.ok:
		r.remark(NotANumber, l.boxes.place, "%q is not a number of boxes", strings.TrimSpace(s.cellText(l.boxes)+" "+s.unitOf(s.Rows[i], boxesField)))
	case !within(l.boxes.value):
		text := s.cellText(l.boxes)
		if stored := s.Rows[i].Cells[l.boxes.place.Column-1].Number; stored != "" {
			text = stored // its format may round it
		}
		r.remark(OutOfRange, l.boxes.place, "the number of boxes is %s, expected a whole number from 1 to %d", text, shipments.MaxBoxes)
		l.boxes.ok = false
	}
	for _, w := range []*amount{&l.box, &l.whole} {
		if w.present && !w.ok {
			r.remark(NotANumber, w.place, "%q is not a weight", s.cellText(*w))
		}
	}
	if gross := quietAmount(s, i, grossField); s.whole == netField && l.whole.ok && gross.ok && gross.value < l.whole.value && !s.swapped {
		s.swapped = true
		r.remark(WeightsDiffer, l.whole.place, "the net weight of %s kg is above the gross weight of %s kg", kilograms(l.whole.value), kilograms(gross.value))
	}
	if n := len(l.pallet.text); l.own && s.header.has(ssccField) && n >= 16 && n < 18 && strings.Trim(l.pallet.text, "0123456789") == "" {
		r.remark(NotANumber, l.pallet.place, "%s has %d digits; an SSCC has 18", l.pallet.text, n)
	}
	if c := l.pallet; l.own && isDate(c.text) && (strings.ContainsFunc(c.text, unicode.IsLetter) || s.Rows[i].Cells[c.place.Column-1].Number != "") {
		r.remark(DateInPallet, c.place, "the pallet number %q was probably converted to a date by a spreadsheet", c.text)
	}
	if c := l.calibre; isDate(c.text) {
		r.remark(DateInCalibre, c.place, "the calibre %q was probably converted to a date by a spreadsheet", c.text)
	}
}

// cellText returns the text of the cell of an amount.
func (s *sheet) cellText(a amount) string {
	i, _ := slices.BinarySearchFunc(s.Rows, a.place.Row, func(row tables.Row, number int) int { return row.Number - number })
	text, _ := shortened(s.Rows[i].Cells[a.place.Column-1].Text, shipments.MaxCalibre)
	return text
}
