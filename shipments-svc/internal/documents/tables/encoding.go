package tables

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf16 "golang.org/x/text/encoding/unicode"
)

// IsText reports whether content, or its beginning, is text, which Read reads as CSV.
func IsText(content []byte) bool {
	_, err := new(book).decoded(content)
	return err == nil
}

// decoded returns the content of a text file in UTF-8. Without a byte order mark it is
// UTF-16 if every other byte is zero, UTF-8 if valid, else in a code page.
func (b *book) decoded(content []byte) (string, error) {
	from := encoding.Encoding(utf16.UTF8BOM)
	little, big := zeros(content, 1), zeros(content, 0)
	switch wide := len(content) / 4; { // half of the characters
	case bytes.HasPrefix(content, []byte("\xFF\xFE")), bytes.HasPrefix(content, []byte("\xFE\xFF")):
		from = utf16.UTF16(utf16.LittleEndian, utf16.ExpectBOM)
	case little > wide && big*100 < little:
		from = utf16.UTF16(utf16.LittleEndian, utf16.IgnoreBOM)
	case big > wide && little*100 < big:
		from = utf16.UTF16(utf16.BigEndian, utf16.IgnoreBOM)
	case !utf8.Valid(content):
		from = b.codePage(content)
	}
	content, err := from.NewDecoder().Bytes(content)
	control := func(r rune) bool { return r < ' ' && !strings.ContainsRune("\n\r\t\f", r) }
	odd := 0
	for _, c := range content {
		if control(rune(c)) {
			odd++
		}
	}
	if err != nil || odd*20 > len(content) {
		return "", unreadable(WrongEncoding, "the content is not text in UTF-8, UTF-16 or Windows-1252")
	} else if bytes.ContainsFunc(bytes.TrimRight(content, "\x00\x1a"), control) { // texts of DOS end so
		b.note(NoteEncodingUnclear, "the text has control characters, which were read as spaces", Place{})
	}
	return string(content), nil
}

// zeros returns how many of the bytes at even positions, or at odd ones, are zero.
func zeros(content []byte, from int) (n int) {
	for i := from; i < len(content); i += 2 {
		if content[i] == 0 {
			n++
		}
	}
	return n
}

// western are the characters that texts have beside ASCII in most languages, in lower case.
const western = "àáâãäåæçèéêëìíîïñòóôõöøœùúûüÿß" + "ºª’‘“”«»–—…€£°½·•®©\u00a0"

// codePages are the code pages that are tried, the more usual ones first, with the characters that texts have.
var codePages = []struct {
	*charmap.Charmap
	characters string
	clear      bool // needs no look at the letters
}{
	{charmap.Windows1252, western, true},
	{charmap.Windows1254, western + "ğıiş", true},
	{charmap.Windows1250, "áâăäąçćčďđéęëěíîłľĺńňóôöőŕřśšşťţúůüűýźžż", false},
	{charmap.CodePage850, western, false},
}

// codePage returns the code page of a text: the first with the fewest characters that texts do not have.
func (b *book) codePage(content []byte) encoding.Encoding {
	best, least := 0, len(content)+1
	for i, page := range codePages {
		text, _ := page.NewDecoder().Bytes(content) // a code page has no invalid bytes
		unlikely := 0
		for _, r := range string(text) {
			if r > unicode.MaxASCII && !strings.ContainsRune(page.characters, unicode.ToLower(r)) {
				unlikely++
			}
		}
		if unlikely < least {
			best, least = i, unlikely
		}
	}
	code, text := NoteEncoding, fmt.Sprintf("the text is not UTF-8; it was read as %s", codePages[best])
	if !codePages[best].clear || least > 0 {
		code, text = NoteEncodingUnclear, text+", check the letters with accents"
	}
	b.note(code, text, Place{})
	return codePages[best]
}
