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

// decoded returns the content of a text file in UTF-8. Without a byte order mark it
// is UTF-16 if most zero bytes are at even or at odd offsets, else UTF-8 if valid,
// else a code page.
func (b *book) decoded(content []byte) (string, error) {
	from := encoding.Encoding(nil)
	switch {
	case bytes.HasPrefix(content, []byte("\xEF\xBB\xBF")):
		content = content[3:]
	case bytes.HasPrefix(content, []byte("\xFF\xFE")), bytes.HasPrefix(content, []byte("\xFE\xFF")):
		from = utf16.UTF16(utf16.LittleEndian, utf16.ExpectBOM)
	default:
		switch even, odd := zeros(content); {
		case odd > 0 && even*10 < odd:
			from = utf16.UTF16(utf16.LittleEndian, utf16.IgnoreBOM)
		case even > 0 && odd*10 < even:
			from = utf16.UTF16(utf16.BigEndian, utf16.IgnoreBOM)
		}
	}
	if from == nil && !utf8.Valid(content) {
		from = b.codePage(content)
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

// alphabets are the letters of words by the code pages that have them, the usual code
// page first.
var alphabets = []struct {
	page    *charmap.Charmap
	letters string // beside those of ASCII, in lower case
}{
	{charmap.Windows1252, western},
	{charmap.Windows1254, western + "ğıişi̇"},
	{charmap.Windows1250, "áâăäąçćčďđéęëěíîłľĺńňóôöőŕřśšşťţúůüűýźžż"},
	{charmap.CodePage850, western},
}

// longestRun is a number of letters outside of ASCII that only words of other scripts
// have in a row.
const longestRun = 5

const western = "àáâãäåæçèéêëìíîïñòóôõöøœùúûüÿßºª"

// codePage returns the code page of a text: the first with the fewest characters that
// no word has. It notes one that is not usual, or has such characters.
func (b *book) codePage(content []byte) (best *charmap.Charmap) {
	least := 0
	for i, a := range alphabets {
		odd, run := 0, 0
		before := ' '
		for j, c := range content {
			r := a.page.DecodeByte(c)
			if run++; r <= unicode.MaxASCII || !unicode.IsLetter(r) {
				run = 0
			} else if run == longestRun {
				odd++
			}
			if r > unicode.MaxASCII {
				after := ' '
				if j+1 < len(content) {
					after = a.page.DecodeByte(content[j+1])
				}
				odd += oddness(before, r, after, a.letters)
			}
			before = r
		}
		if best == nil || odd < least {
			best, least = a.page, odd
			if i < 2 && odd == 0 {
				b.note(
					NoteEncoding,
					"the text is not UTF-8; it was read as "+strings.ReplaceAll(best.String(), "Windows ", "Windows-"),
					Place{},
				)
				return best
			}
		}
	}
	b.note(
		NoteEncodingUnclear,
		fmt.Sprintf(
			"the text is not UTF-8; it was read as %s, check the letters with accents",
			strings.ReplaceAll(best.String(), "Windows ", "Windows-"),
		),
		Place{},
	)
	return best
}

// oddness returns 1 for a character that is no letter of an alphabet, or a sign
// within a word.
func oddness(before, r, after rune, letters string) int {
	within := unicode.IsLower(after) || unicode.IsLower(before) && unicode.IsLetter(after)
	switch {
	case strings.ContainsRune(letters, unicode.ToLower(r)):
		return 0
	case unicode.IsLetter(r), unicode.IsControl(r), r == utf8.RuneError:
		return 1
	case r == '\u2019' || unicode.IsSpace(r): // an apostrophe
		return 0
	case within && (unicode.IsLetter(before) || !unicode.IsOneOf([]*unicode.RangeTable{
		unicode.Ps, unicode.Pi,
		unicode.Po, unicode.Pd,
	}, r)):
		return 1
	case unicode.IsLower(before) && unicode.IsOneOf([]*unicode.RangeTable{
		unicode.Sm, unicode.Sk, unicode.So,
		unicode.No,
	}, r):
		return 1
	}
	return 0
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
