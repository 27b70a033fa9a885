package tables

import (
	"encoding/csv"
	"io"
	"iter"
	"regexp"
	"strings"
)

// delimiters of fields, the least common in texts first.
const delimiters = "\t;|,"

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
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	if isSpool(text) && !strings.ContainsAny(text, "\t;|") {
		return b.spool(text)
	}
	b.table("")
	delimiter, named := delimiterOf(text)
	last, open := 0, false
	for row, fields := range records(text, delimiter) {
		last, open = row, strings.HasSuffix(fields[len(fields)-1], end)
	}
	if open {
		text = strings.ReplaceAll(text, `"`, "")
		b.note(NoteQuotes, "a quotation mark is not closed; quotation marks were left out", b.here(last, 0))
	}
	for row, fields := range records(text, delimiter) {
		if named && row == 1 {
			continue
		}
		cells := make([]Cell, min(len(fields), MaxColumns))
		for i := range cells {
			cells[i] = b.cell(unmarked(fields[i]), b.here(row, i+1))
			if Scientific(cells[i].Text) {
				b.note(NoteImprecise, cells[i].Text+" lost digits when it was saved as a number", b.here(row, i+1))
			}
		}
		if err := b.row(Row{Number: row, Cells: cells}); err != nil {
			return err
		}
	}
	return nil
}

// end is a record after the last. It is a part of a field that is not closed.
const end = "\x00end"

// records returns the records of a text, and their rows in a spreadsheet, in which a line break
// within a field begins no row.
func records(text string, delimiter byte) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		r := csv.NewReader(io.MultiReader(strings.NewReader(text), strings.NewReader("\n"+end)))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord = rune(delimiter), true, -1
		r.TrimLeadingSpace = delimiter != '\t'
		for wrapped := 0; ; { // line breaks within fields so far
			fields, err := r.Read()
			if err != nil || len(fields) == 1 && fields[0] == end {
				return
			}
			line, _ := r.FieldPos(0)
			if !yield(line-wrapped, fields) {
				return
			}
			for _, f := range fields {
				wrapped += strings.Count(f, "\n")
			}
		}
	}
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

// delimiterOf returns the delimiter, and whether the first line names it. Otherwise it is
// the first one with three fields in at least half of the records, or else the one with most
// such records; with two where none has three. The comma is last, because it is also in numbers
// and addresses.
func delimiterOf(text string) (_ byte, named bool) {
	first, _, _ := strings.Cut(text, "\n")
	if name, ok := strings.CutPrefix(strings.TrimSuffix(first, "\r"), "sep="); ok && len(name) == 1 &&
		strings.Contains(delimiters, name) {
		return name[0], true
	}
	best, most := byte(','), 0
	for width := 3; width > 1 && most == 0; width-- {
		for _, d := range []byte(delimiters) {
			all, wide := 0, 0
			for _, fields := range records(text, d) {
				if strings.TrimSpace(strings.Join(fields, "")) == "" {
					continue
				}
				if all++; len(fields) >= width {
					wide++
				}
				if all == sampled {
					break
				}
			}
			if wide > most {
				best, most = d, wide
			}
			if most*2 >= all {
				break
			}
		}
	}
	return best, false
}
