package tables

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

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

// spool reads a text that was written for a printer: its columns are aligned by spaces, and form
// feeds end its pages. Each line is a row.
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
