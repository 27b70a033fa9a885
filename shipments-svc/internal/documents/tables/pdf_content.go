package tables

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// maxPageContent is how many bytes a page's content may have, unpacked and
// with the forms that it draws: each can be a character, which takes a
// hundred bytes to hold. A page full of text has less than a tenth of it.
const maxPageContent = 1 << 20

// sound returns how many bytes a stream has, or an array of them. It refuses
// what the library would not come to an end with: too many, or a content that
// ends within a string of hexadecimal digits.
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
	return &Unreadable{Code: TooLarge, Detail: fmt.Sprintf("unpacked, the page has more than %d KiB", maxPageContent>>10), Place: Place{Sheet: page}}
}

// unpacked returns what a stream has, or an array of them, until it is too much.
// What cannot be unpacked has no text.
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
