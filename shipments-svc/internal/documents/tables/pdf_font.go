package tables

import (
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// font is what characters are drawn with.
type font struct {
	name     string // without the sign of a subset
	encoding pdf.TextEncoding
	first    int       // code that the first of the widths is of
	widths   []float64 // of characters, of the height of the font; empty: unknown
}

// fontOf reads a font.
func fontOf(v pdf.Value, page string) (*font, error) {
	if _, err := sound(v.Key("ToUnicode"), page); err != nil {
		return nil, err
	}
	f := pdf.Font{V: v}
	name := f.BaseFont()
	if _, plain, found := strings.Cut(name, "+"); found {
		name = plain
	}
	read := &font{name: name, encoding: f.Encoder(), first: f.FirstChar()}
	for _, w := range f.Widths() {
		read.widths = append(read.widths, w/1000)
	}
	return read, nil
}

// widest is what no character is as wide as, of the height of its font.
const widest = 10

// width returns how wide a character is, of the height of the font: that of
// the nth code, or about so, where the document does not tell.
func (f *font) width(c rune, codes string, n int) float64 {
	if n < len(codes) {
		if i := int(codes[n]) - f.first; i >= 0 && i < len(f.widths) && f.widths[i] > 0 && f.widths[i] < widest {
			return f.widths[i]
		}
	}
	return guessed(f.name, c)
}

// guessed returns about how wide a character is in a font.
func guessed(name string, c rune) float64 {
	const space, narrow, usual, capital, wide, fixed = 0.28, 0.28, 0.53, 0.68, 0.85, 0.6
	switch {
	case strings.Contains(name, "Courier") || strings.Contains(name, "Mono"):
		return fixed
	case unicode.IsSpace(c):
		return space
	case strings.ContainsRune("Iijlftr.,:;'!|()[]/-", c):
		return narrow
	case strings.ContainsRune("mwMW%@", c):
		return wide
	case unicode.IsUpper(c):
		return capital
	default:
		return usual
	}
}
