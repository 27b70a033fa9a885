package tables

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// maxPageContent is how many bytes a page's content may have, unpacked: each
// can be a character, which takes a hundred bytes to hold. A page full of text
// has less than a tenth of it.
const maxPageContent = 1 << 20

// pdf reads the text of a PDF (ISO 32000), a table for each page. What stands
// on one line is a row, and where the rows of all pages leave a gap one above
// the other, a column ends.
func (b *book) pdf(content io.ReaderAt, size int64) (err error) {
	defer recovered(&err)
	r, err := opened(content, size)
	if err != nil {
		return err
	}
	n := r.NumPage()
	if n > MaxPages {
		return unreadable(TooManyPages, "the document has %d pages, more than %d", n, MaxPages)
	}
	pages := make([][]textLine, max(n, 0))
	text := false
	for i := range pages {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		page := r.Page(i + 1)
		if err := sound(page, pageName(i)); err != nil {
			return err
		}
		pages[i] = linesOf(wordsOf(page.Content().Text))
		text = text || len(pages[i]) > 0
	}
	if !text {
		return unreadable(NoTextLayer, "the document has no text: it is probably a scan")
	}
	columns := columnsOf(pages)
	for i, lines := range pages {
		b.table(pageName(i))
		b.Tables[i].Printed, b.Tables[i].Continues = true, i > 0
		for j, line := range lines {
			cells := columns.cells(line)
			for k := range cells {
				cells[k] = b.cell(cells[k].Text, b.here(j+1, k+1))
			}
			if err := b.row(j+1, cells); err != nil {
				return err
			}
		}
	}
	return nil
}

func pageName(i int) string { return fmt.Sprintf("page %d", i+1) }

// opened opens a PDF, whatever stands before and after it.
func opened(content io.ReaderAt, size int64) (*pdf.Reader, error) {
	if size > MaxUnpacked {
		return nil, unreadable(TooLarge, "the document has more than %d MiB", MaxUnpacked>>20)
	}
	raw := make([]byte, size)
	if n, err := content.ReadAt(raw, 0); int64(n) < size {
		return nil, fmt.Errorf("read content: %w", err)
	}
	begin, end := bytes.Index(raw[:min(len(raw), 1024)], []byte("%PDF-")), bytes.LastIndex(raw, []byte("%%EOF"))
	if begin < 0 || end < begin+len("%PDF-1.7\n") {
		return nil, unreadable(Malformed, "the document is no PDF, or its end is missing")
	}
	raw = raw[begin : end+len("%%EOF")]
	// The library knows no version after 1.7; what is newer in 2.0 is not about text.
	copy(raw, "%PDF-1.7\n")
	r, err := pdf.NewReader(bytes.NewReader(raw), int64(len(raw)))
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, pdf.ErrInvalidPassword) || strings.Contains(err.Error(), "encrypt"):
		return nil, unreadable(Encrypted, "the document is protected by a password")
	default:
		return nil, unreadable(Malformed, "the document is damaged")
	}
}

// sound refuses a page with which the library would not come to an end: one
// that unpacks to too much, or whose content, or a font's table of characters,
// ends within a string of hexadecimal digits.
func sound(page pdf.Page, name string) error {
	streams := []pdf.Value{page.V.Key("Contents")}
	for _, font := range page.Fonts() {
		streams = append(streams, page.Font(font).V.Key("ToUnicode"))
	}
	for _, v := range streams {
		content := unpacked(v, nil)
		if len(content) > maxPageContent {
			return &Unreadable{Code: TooLarge, Detail: fmt.Sprintf("unpacked, the page has more than %d KiB", maxPageContent>>10), Place: Place{Sheet: name}}
		}
		if cutOff(content) {
			return &Unreadable{Code: Malformed, Detail: "the page is cut off", Place: Place{Sheet: name}}
		}
	}
	return nil
}

// cutOff reports whether a content ends within a string of hexadecimal digits, or
// after one character more, for whose pair the library would look for ever.
func cutOff(content []byte) bool {
	digit := func(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }
	last := bytes.LastIndexByte(content, '<')
	if last < 0 {
		return false
	}
	rest := bytes.Join(bytes.FieldsFunc(content[last+1:], func(r rune) bool { return r == 0 || unicode.IsSpace(r) }), nil)
	for i := 0; i+1 < len(rest); i += 2 {
		if !digit(rest[i]) || !digit(rest[i+1]) {
			return false
		}
	}
	return len(rest)%2 == 0 || rest[len(rest)-1] != '>'
}

// unpacked appends what a stream, or an array of them, has, until it is too
// much.
func unpacked(v pdf.Value, content []byte) []byte {
	switch v.Kind() {
	case pdf.Array:
		for i := range v.Len() {
			content = unpacked(v.Index(i), content)
		}
	case pdf.Stream:
		if len(content) > maxPageContent {
			return content
		}
		r := v.Reader()
		part, _ := io.ReadAll(io.LimitReader(r, maxPageContent+1)) // what cannot be unpacked has no text
		_ = r.Close()
		content = append(content, part...)
	default:
	}
	return content
}
