package tables

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// page is a printed page, or a text file.
type page struct {
	name  string
	lines []textLine
	rules []area
}

// pdf reads the text of a PDF (ISO 32000), a table for each page.
func (b *book) pdf(raw []byte) (err error) {
	defer recovered(&err)
	r, err := opened(raw)
	if err != nil {
		return err
	}
	n := r.NumPage()
	if n > MaxPages {
		return unreadable(TooManyPages, "the document has %d pages, more than %d", n, MaxPages)
	}
	pages, text := make([]page, max(n, 0)), false
	for i := range pages {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		name := fmt.Sprintf("page %d", i+1)
		d, err := drawn(r.Page(i+1).V, name)
		if err != nil {
			return err
		}
		if d.aside.Len() > 0 {
			b.note(NoteAside, d.aside.String(), Place{Sheet: name})
		}
		if d.invisible {
			b.note(NoteInvisible, "a text is invisible and was read", Place{Sheet: name})
		}
		pages[i] = page{name, linesOf(d.words), d.rules}
		text = text || len(d.words) > 0
	}
	if !text {
		return unreadable(NoTextLayer, "the document has no text, it is probably a scan; send the file that was printed")
	}
	return b.printed(pages)
}

// printed adds printed pages as tables. A line is a row; columns end at gaps that the rows
// of all pages have in common.
func (b *book) printed(pages []page) error {
	columns := columnsOf(pages)
	for i, p := range pages {
		b.table(p.name)
		b.Tables[i].Printed, b.Tables[i].Continues = true, i > 0
		above, inside := 0.0, false // the base of the line above
		for j := 0; j < len(p.lines); {
			group, end := together(p.lines, j, columns.near)
			row := columns.row(group)
			if inside = inside || row; !inside {
				group, end = p.lines[j:j+1], j+1
			}
			below := above - group[0][0].base
			if j == 0 {
				below = 0
			}
			if err := b.printedRow(columns, group, row, j+1, below, p.rules); err != nil {
				return err
			}
			above, j = group[len(group)-1][0].base, end
		}
	}
	return nil
}

// printedRow adds the lines of a row. Its number is that of the fullest line.
func (b *book) printedRow(c columns, lines []textLine, row bool, first int, below float64, rules []area) error {
	var joined []Cell
	number, most := first, 0
	for n, line := range lines {
		if crossed(line, rules) {
			b.note(NoteStruck, "a text is struck through", b.here(first+n, 0))
		}
		if len(line) > most {
			number, most = first+n, len(line)
		}
		for k, cell := range c.cells(line, row) {
			for len(joined) <= k {
				joined = append(joined, Cell{})
			}
			joined[k].Text = joinedText(joined[k].Text, cell.Text)
		}
	}
	if lines[0][0].row > 0 { // of a text file
		number = lines[0][0].row
	}
	for k := range joined {
		joined[k] = b.cell(joined[k].Text, b.here(number, k+1))
	}
	return b.row(Row{number, joined, below})
}

// joinedText joins two lines of a cell: without a space beside a slash or a hyphen.
func joinedText(above, below string) string {
	if above == "" || below == "" || strings.IndexByte("-/", above[len(above)-1]) >= 0 ||
		strings.IndexByte("-/", below[0]) >= 0 {
		return above + below
	}
	return above + " " + below
}

// opened opens a PDF with any content before and after it.
func opened(raw []byte) (*pdf.Reader, error) {
	begin, end := bytes.Index(raw[:min(len(raw), 1024)], []byte("%PDF-")), bytes.LastIndex(raw, []byte("%%EOF"))
	if begin < 0 || end < begin+len("%PDF-1.7\n") {
		return nil, unreadable(Malformed, "the file is not a PDF, or its end is missing")
	}
	raw = raw[begin : end+len("%%EOF")]
	// The library accepts versions up to 1.7. Version 2.0 changes nothing about text.
	copy(raw, "%PDF-1.7\n")
	r, err := pdf.NewReader(bytes.NewReader(raw), int64(len(raw)))
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, pdf.ErrInvalidPassword) || strings.Contains(err.Error(), "encrypt"):
		return nil, unreadable(Encrypted, "the document is password-protected")
	default:
		return nil, unreadable(Malformed, "the document is damaged")
	}
}
