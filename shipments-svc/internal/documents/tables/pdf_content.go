package tables

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// maxPageContent is the maximum size of a page's unpacked content and its forms in
// bytes. Each byte can be a character, which takes 100 bytes of memory. A full page
// of text has less than a tenth of it.
const maxPageContent = 1 << 20

// sound returns the size of a stream or array of streams. It refuses content on
// which the library does not terminate: one that is too large, or ends within a
// hexadecimal string.
func sound(stream pdf.Value, page string) (int, error) {
	content := unpacked(stream)
	if len(content) > maxPageContent {
		return 0, tooMuch(page)
	}
	if cutOff(content) {
		return 0, &Unreadable{Code: Malformed, Detail: "the page is cut off", Place: Place{Sheet: page}}
	}
	return len(content), nil
}

func tooMuch(page string) error {
	return &Unreadable{
		Code:   TooLarge,
		Detail: fmt.Sprintf("unpacked, the page has more than %d KiB", maxPageContent>>10),
		Place:  Place{Sheet: page},
	}
}

// unpacked returns the content of a stream or array of streams up to the maximum.
// Content that cannot be unpacked is empty.
func unpacked(v pdf.Value) (content []byte) {
	parts := []pdf.Value{v}
	if v.Kind() == pdf.Array {
		parts = nil
		for i := range v.Len() {
			parts = append(parts, v.Index(i))
		}
	}
	for _, part := range parts {
		if part.Kind() == pdf.Stream && len(content) <= maxPageContent {
			r := part.Reader()
			more, _ := io.ReadAll(io.LimitReader(r, maxPageContent+1))
			_ = r.Close()
			content = append(content, more...)
		}
	}
	return content
}

// cutOff reports whether content ends within a hexadecimal string, or after one
// further character, where the library loops forever.
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
