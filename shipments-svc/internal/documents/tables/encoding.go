package tables

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf16 "golang.org/x/text/encoding/unicode"
)

// decoded returns the content of a text file in UTF-8. Without a byte order mark it is
// UTF-8 if valid, else in a code page.
func (b *book) decoded(content []byte) (string, error) {
	from := encoding.Encoding(utf16.UTF8BOM)
	if bytes.HasPrefix(content, []byte("\xFF\xFE")) || bytes.HasPrefix(content, []byte("\xFE\xFF")) {
		from = utf16.UTF16(utf16.LittleEndian, utf16.ExpectBOM)
	} else if !utf8.Valid(content) {
		from = b.codePage(content)
	}
	content, err := from.NewDecoder().Bytes(content)
	odd := 0
	for _, c := range content {
		if c < ' ' && !strings.ContainsRune("\n\r\t\f", rune(c)) {
			odd++
		}
	}
	if err != nil || odd*100 > len(content) {
		return "", unreadable(WrongEncoding, "the content is not text in UTF-8, UTF-16 with its mark or Windows-1252")
	}
	return string(content), nil
}

// alphabet is the letters of words in a code page beside those of ASCII, in lower case.
type alphabet struct {
	page    *charmap.Charmap
	letters string
	usual   bool // needs no look at the letters
}

const western = "àáâãäåæçèéêëìíîïñòóôõöøœùúûüÿßºª"

// alphabets are the alphabets by how usual their code pages are.
var alphabets = []alphabet{
	{charmap.Windows1252, western, true},
	{charmap.Windows1254, western + "ğıiş", true},
	{charmap.Windows1250, "áâăäąçćčďđéęëěíîłľĺńňóôöőŕřśšşťţúůüűýźžż", false},
	{charmap.CodePage850, western, false},
}

// codePage returns the code page of a text: the first with the fewest characters that
// no word has.
func (b *book) codePage(content []byte) encoding.Encoding {
	var best alphabet
	least := len(content) + 1
	for _, a := range alphabets {
		if n := a.unlikely(content); n < least {
			best, least = a, n
		}
	}
	code, text := NoteEncoding, fmt.Sprintf("the text is not UTF-8; it was read as %s", best.page)
	if !best.usual || least > 0 {
		code, text = NoteEncodingUnclear, text+", check the letters with accents"
	}
	b.note(code, text, Place{})
	return best.page
}

// unlikelyText matches a sign within a word, a control character, and as many letters with
// accents in a row as only other scripts have.
var unlikelyText = regexp.MustCompile(`\pL[^\x00-\x7f\pL\x{a0}’]+\pL|[\x{80}-\x{9f}\x{fffd}]|[^\x00-\x7f\PL]{5}`)

// unlikely returns the number of characters that no word has.
func (a alphabet) unlikely(content []byte) int {
	text, _ := a.page.NewDecoder().String(string(content)) // a code page has no invalid bytes
	n := len(unlikelyText.FindAllStringIndex(text, -1))
	for _, r := range text {
		if r > unicode.MaxASCII && unicode.IsLetter(r) && !strings.ContainsRune(a.letters, unicode.ToLower(r)) {
			n++
		}
	}
	return n
}
