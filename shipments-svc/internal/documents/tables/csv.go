package tables

import (
	"regexp"
	"slices"
	"strings"
)

// delimiters of fields, the least common in texts first.
var delimiters = []byte{'\t', ';', '|', ','}

// sampled is the number of records from which the delimiter is detected.
const sampled = 200

// csv reads comma-separated values as in RFC 4180 and its common variants: other
// delimiters, any line ending, a first line "sep=;" that names the delimiter, and
// unescaped quotation marks. Row numbers are those of a spreadsheet program.
func (b *book) csv(raw []byte) error {
	text, err := b.decoded(raw)
	if err != nil {
		return err
	}
	if lines := alignedText(text); lines != nil {
		return b.printed([][]textLine{lines}, []string{""}, func(int) []rule { return nil })
	}
	b.table("")
	r := records{text: text, quotes: true}
	if strings.HasPrefix(text, "sep=") && len(text) > 4 && (len(text) == 5 || text[5] == '\r' || text[5] == '\n') {
		r.delimiter = text[4]
		r.next()
	} else {
		r.delimiter = delimiterOf(text)
	}
	if open := r.unbalanced(); open > 0 {
		r.quotes = false
		b.note(NoteQuotes, "a quotation mark is not closed; quotation marks were read as text", b.here(open, 0))
	}
	for r.more() {
		fields := r.next()
		cells := make([]Cell, min(len(fields), MaxColumns))
		for i := range cells {
			cells[i] = b.cell(unmarked(fields[i]), b.here(r.row, i+1))
			if Scientific(cells[i].Text) {
				b.note(NoteImprecise, cells[i].Text+" lost digits when it was saved as a number", b.here(r.row, i+1))
			}
		}
		if err := b.row(Row{Number: r.row, Cells: cells}); err != nil {
			return err
		}
	}
	return nil
}

// unmarked returns a field without the marks by which spreadsheets keep a number as
// a text: ="00123" and '00123.
func unmarked(field string) string {
	if text, ok := strings.CutPrefix(field, `="`); ok && strings.HasSuffix(text, `"`) {
		return strings.TrimSuffix(text, `"`)
	}
	if text, ok := strings.CutPrefix(field, "'"); ok && text != "" && text[0] >= '0' && text[0] <= '9' {
		return text
	}
	return field
}

var scientific = regexp.MustCompile(`^\d(?:[.,]\d+)?[eE]\+\d\d$`)

// Scientific reports whether a text is a long number in scientific notation, which
// has lost its last digits.
func Scientific(text string) bool { return scientific.MatchString(text) }

// delimiterOf detects the delimiter: the first one with three fields in at least
// half of the records, or else with two in nearly all, or else the one with most
// records of three. The comma is last, because it is also in numbers and addresses.
func delimiterOf(text string) byte {
	best, most, pair := byte(','), 0, byte(0)
	for _, d := range delimiters {
		r := records{text: text, delimiter: d, quotes: true}
		wide, two, all := 0, 0, 0
		for all < sampled && r.more() {
			fields := r.next()
			if slices.ContainsFunc(fields, func(f string) bool { return strings.TrimSpace(f) != "" }) {
				all++
			}
			if len(fields) >= 2 {
				two++
			}
			if len(fields) >= 3 {
				wide++
			}
		}
		if wide > 0 && wide*2 >= all {
			return d
		}
		if wide > most {
			best, most = d, wide
		}
		if pair == 0 && two > 2 && two*10 >= all*9 {
			pair = d
		}
	}
	if pair != 0 {
		return pair
	}
	return best
}
