package tables

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"
)

// delimiters of fields, the least common in texts first.
const delimiters = "\t;|,"

// sampled is the number of records from which the delimiter is detected.
const sampled = 200

// csv reads comma-separated values as in RFC 4180 and its common variants: other delimiters, any line ending, a first
// line "sep=;" that names the delimiter, and unescaped quotation marks. Row numbers are those of a spreadsheet program.
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

// records returns the records of a text, and their rows: a line break within a field begins no row.
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

// unmarked returns a field without the marks by which spreadsheets keep a number as a text: ="00123" and '00123.
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

// Scientific reports whether a text is a long number in scientific notation, which has lost its last digits.
func Scientific(text string) bool { return scientific.MatchString(text) }

// delimiterOf returns the delimiter, and whether the first line names it. Otherwise it is the first one with three
// fields in at least half of the records, or else the one with most such records; with two where none has three. The
// comma is last, because it is also in numbers and addresses.
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

// apartText matches what separates the columns of a printed line, and wordText its words.
var (
	apartText = regexp.MustCompile(`\S  `)
	wordText  = regexp.MustCompile(`\S+`)
)

// isSpool reports whether the columns of a text are aligned by spaces: most of its first lines have
// several texts apart, and not several commas beside spaces, as padded values have.
func isSpool(text string) bool {
	const several = 2 // gaps between them
	lines, apart := 0, 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		commas := strings.Count(line, ", ") + strings.Count(line, " ,")
		if lines++; commas < several && len(apartText.FindAllString(line, several)) == several {
			apart++
		}
		if lines == sampled {
			break
		}
	}
	return apart*2 > lines
}

// spool reads a text for a printer: spaces align its columns, form feeds end its pages. Each line is a row.
func (b *book) spool(text string) error {
	const width, height = 6, 12 // of a character in points
	sheets := strings.SplitN(strings.TrimRight(text, "\f\r\n "), "\f", MaxPages+1)
	if len(sheets) > MaxPages {
		return unreadable(TooManyPages, "the document has more than %d pages", MaxPages)
	}
	if strings.Count(text, "\n") > MaxRows {
		return unreadable(TooManyRows, "the document has more than %d rows", MaxRows)
	}
	var pages []page
	for i, sheet := range sheets {
		p := page{name: fmt.Sprintf("page %d", i+1)}
		for n, line := range strings.Split(sheet, "\n") {
			if longest := maxExtent / width; len(line) > longest {
				line = line[:longest]
				b.note(NoteCut, "a line was shortened", Place{Sheet: p.name, Row: len(p.rows) + 1})
			}
			var words textLine
			for _, at := range wordText.FindAllStringIndex(line, -1) {
				left := float64(width * utf8.RuneCountInString(line[:at[0]]))
				word := word{text: line[at[0]:at[1]], base: float64(-n * height), size: height, space: width}
				word.span = span{left, left + float64(width*utf8.RuneCountInString(word.text))}
				words = append(words, word)
			}
			if words != nil {
				p.lines, p.rows = append(p.lines, words), append(p.rows, []textLine{words})
			}
		}
		pages = append(pages, p)
	}
	return b.printed(pages)
}
