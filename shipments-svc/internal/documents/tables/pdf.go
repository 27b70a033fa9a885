package tables

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// pdf reads the text of a PDF (ISO 32000), a table for each page. A line is a row;
// columns end at gaps that the rows of all pages have in common.
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
	if layers := r.Trailer().Key("Root").Key("OCProperties").Key("D"); layers.Key("OFF").Len() > 0 || layers.Key("BaseState").Name() == "OFF" {
		b.note(NoteInvisible, "the document has layers that are switched off, and texts of them were read", Place{})
	}
	pages, rules := make([][]textLine, max(n, 0)), make([][]rule, max(n, 0))
	text := false
	for i := range pages {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		page, err := drawn(r.Page(i+1).V, pageName(i))
		if err != nil {
			return err
		}
		if page.aside.Len() > 0 {
			b.note(NoteAside, page.aside.String(), Place{Sheet: pageName(i)})
		}
		if page.invisible {
			b.note(NoteInvisible, "a text is invisible and was read", Place{Sheet: pageName(i)})
		}
		rules[i] = sorted(page.rules)
		pages[i] = linesOf(wordsOf(page.glyphs))
		text = text || len(pages[i]) > 0
	}
	if !text {
		return unreadable(NoTextLayer, "the document has no text, it is probably a scan")
	}
	columns := columnsOf(pages)
	for i, lines := range pages {
		b.table(pageName(i))
		b.Tables[i].Printed, b.Tables[i].Continues = true, i > 0
		row, end := false, 0
		for j, line := range lines {
			if j == end {
				var group []textLine
				group, end = together(lines, j, columns.near)
				row = columns.row(group)
			}
			if crossed(line, rules[i]) {
				b.note(NoteStruck, "a text is struck through", b.here(j+1, 0))
			}
			cells := columns.cells(line, row)
			for k := range cells {
				cells[k] = b.cell(cells[k].Text, b.here(j+1, k+1))
			}
			if err := b.row(Row{j + 1, cells, lines[max(j-1, 0)][0].base - line[0].base}); err != nil {
				return err
			}
		}
	}
	return nil
}

func pageName(i int) string { return fmt.Sprintf("page %d", i+1) }

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
