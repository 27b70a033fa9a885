package tables

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// decoded returns a text file's content in UTF-8. A byte order mark decides;
// without one it is UTF-16 where every second byte tends to be zero, UTF-8
// where it is valid, and else Windows-1252, of which ISO-8859-1 is a part.
func (b *book) decoded(content []byte) (string, error) {
	from := encoding.Encoding(nil)
	switch {
	case bytes.HasPrefix(content, []byte("\xEF\xBB\xBF")):
		content = content[3:]
	case bytes.HasPrefix(content, []byte("\xFF\xFE")), bytes.HasPrefix(content, []byte("\xFE\xFF")):
		from = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
	default:
		switch even, odd := zeros(content); {
		case odd > 0 && even*10 < odd:
			from = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
		case even > 0 && odd*10 < even:
			from = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
		}
	}
	if from == nil && !utf8.Valid(content) {
		from = charmap.Windows1252
		b.note(NoteEncoding, "the text is not UTF-8; it was read as Windows-1252", Place{})
	}
	if from != nil {
		var err error
		if content, err = from.NewDecoder().Bytes(content); err != nil {
			return "", unreadable(WrongEncoding, "the text is neither UTF-8, UTF-16 nor Windows-1252")
		}
	}
	if !textual(content) {
		return "", unreadable(WrongEncoding, "the content is no text in UTF-8, UTF-16 or Windows-1252")
	}
	return string(content), nil
}

// zeros counts the zero bytes at even and at odd offsets.
func zeros(content []byte) (even, odd int) {
	for i, c := range content[:min(len(content), 4096)] {
		switch {
		case c != 0:
		case i%2 == 0:
			even++
		default:
			odd++
		}
	}
	return even, odd
}

// textual reports whether at most one character in a hundred is one that no
// text has.
func textual(content []byte) bool {
	odd := 0
	for _, c := range content {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' {
			odd++
		}
	}
	return odd*100 <= len(content)
}
