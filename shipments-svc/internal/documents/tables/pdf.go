package tables

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ledongthuc/pdf"
)

// page is a printed page.
type page struct {
	name      string
	lines     []textLine
	rows      [][]textLine
	rules     []area
	columns   columns // that rules draw
	invisible bool    // some text is
}

// pdf reads the text of a PDF (ISO 32000), a table for each page.
func (b *book) pdf(raw []byte) (err error) {
	defer recovered(&err)
	r, reads, err := opened(raw)
	if err != nil {
		return err
	}
	if n := r.NumPage(); n > MaxPages {
		return unreadable(TooManyPages, "the document has %d pages, more than %d", n, MaxPages)
	}
	var pages []page
	text := false
	for i := range r.NumPage() {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		reads.left = maxPageReads
		p, err := drawn(r.Page(i+1), fmt.Sprintf("page %d", i+1))
		if err != nil {
			return err
		}
		if reads.left < 0 { // the library ended a content there
			return unreadable(Malformed, "the objects of page %d refer to each other in a circle", i+1)
		}
		if p.invisible {
			b.note(NoteInvisible, "a text is invisible and was read", Place{Sheet: p.name})
		}
		pages, text = append(pages, p), text || p.lines != nil
	}
	if !text {
		return unreadable(NoTextLayer,
			"the document has no text, it is probably a scan; send the file that was printed")
	}
	return b.printed(pages)
}

// How often a part of a PDF, of at most 4 KiB, is read: for a page, and to find its objects, where each further
// table of these takes one read at least.
const (
	maxPageReads = 50_000
	maxTables    = 2_000
)

// bounded is the content of a PDF. The library follows references that form a circle without an end, such as a table
// of objects whose previous one is itself; here its reads end.
type bounded struct {
	*bytes.Reader
	left int // reads
}

// ReadAt implements io.ReaderAt.
func (b *bounded) ReadAt(part []byte, at int64) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errors.New("too many reads")
	}
	return b.Reader.ReadAt(part, at)
}

// opened opens a PDF with any content before and after it.
func opened(raw []byte) (*pdf.Reader, *bounded, error) {
	begin, end := bytes.Index(raw[:min(len(raw), 1024)], []byte("%PDF-")), bytes.LastIndex(raw, []byte("%%EOF"))
	if begin < 0 || end < begin+len("%PDF-1.7\n") {
		return nil, nil, unreadable(Malformed, "the file is not a PDF, or its end is missing")
	}
	raw = raw[begin : end+len("%%EOF")]
	// The library accepts versions up to 1.7. Version 2.0 changes nothing about text.
	copy(raw, "%PDF-1.7\n")
	content := &bounded{bytes.NewReader(raw), maxTables + 2*len(raw)/4096}
	r, err := pdf.NewReader(content, int64(len(raw)))
	switch {
	case err == nil:
		return r, content, nil
	case errors.Is(err, pdf.ErrInvalidPassword) || strings.Contains(err.Error(), "encrypt"):
		return nil, nil, unreadable(Encrypted, "the document is password-protected")
	default:
		return nil, nil, unreadable(Malformed, "the document is damaged")
	}
}

// printed adds printed pages as tables. Columns are those that the rows of pages have in
// common whose headings are at the same points.
func (b *book) printed(pages []page) error {
	near := nearest(pages)
	for i, p := range pages {
		if g := gridOf(p); g != nil {
			pages[i].rows, pages[i].columns = g.rows(p.lines), g.edges()
		} else if p.rows == nil {
			pages[i].rows = grouped(p.lines, near)
		}
	}
	var c columns
	to := 0
	for i, p := range pages {
		if i == to {
			for to++; to < len(pages) && !moved(p.headings(), pages[to].headings()); {
				to++
			}
			c = columnsOf(pages[i:to])
		}
		own := c
		if p.columns != nil {
			own = p.columns
		}
		b.table(p.name)
		b.Tables[i].Printed, b.Tables[i].Continues = true, i > 0
		for n, lines := range p.rows {
			above := p.rows[max(0, n-1)]
			row := Row{Number: n + 1, Below: max(0, above[len(above)-1][0].base-lines[0][0].base)}
			if err := b.printedRow(row, lines, own, p.rules); err != nil {
				return err
			}
		}
	}
	return nil
}

// printedRow adds a row with the texts of lines.
func (b *book) printedRow(row Row, lines []textLine, c columns, rules []area) error {
	if crossed(slices.Concat(lines...), rules) {
		b.note(NoteStruck, "a text is struck through", b.here(row.Number, 0))
	}
	for _, line := range lines {
		for k, text := range c.cells(line) {
			if k == len(row.Cells) {
				row.Cells = append(row.Cells, Cell{})
			}
			cell := &row.Cells[k]
			if cell.Text == "" && line[0].column == 0 {
				cell.Below = lines[0][0].base - line[0].base
			}
			cell.Text = joinedText(cell.Text, text)
		}
	}
	for k := range row.Cells {
		row.Cells[k].Text = b.cell(row.Cells[k].Text, b.here(row.Number, k+1)).Text
	}
	return b.row(row)
}

// joinedText joins two lines of a cell: without a space beside a slash or a hyphen.
func joinedText(above, below string) string {
	if above == "" || below == "" || strings.ContainsAny(above[len(above)-1:]+below[:1], "-/") {
		return above + below
	}
	return above + " " + below
}
