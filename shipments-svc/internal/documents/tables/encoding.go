package tables

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// decoded returns the content of a text file in UTF-8. Without a byte order mark it
// is UTF-16 if most zero bytes are at even or at odd offsets, else UTF-8 if valid,
// else Windows-1252, a superset of ISO-8859-1.
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
			return "", unreadable(WrongEncoding, "the text is not valid UTF-16")
		}
	}
	if !textual(content) {
		return "", unreadable(WrongEncoding, "the content is not text in UTF-8, UTF-16 or Windows-1252")
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

// textual reports whether at most 1 % of the bytes are control characters.
func textual(content []byte) bool {
	odd := 0
	for _, c := range content {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' {
			odd++
		}
	}
	return odd*100 <= len(content)
}
