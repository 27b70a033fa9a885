package tables

import (
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// font has the widths of characters.
type font struct {
	name     string
	encoding pdf.TextEncoding
	first    int       // code of the first width
	widths   []float64 // of characters, relative to the font size; empty: unknown
}

// fontOf reads a font.
func fontOf(v pdf.Value, page string) (*font, error) {
	if _, err := sound(v.Key("ToUnicode"), page); err != nil {
		return nil, err
	}
	f := pdf.Font{V: v}
	read := &font{name: f.BaseFont(), encoding: f.Encoder(), first: f.FirstChar()}
	for _, w := range f.Widths() {
		read.widths = append(read.widths, w/1000)
	}
	return read, nil
}

// widest limits the width of a character, relative to the font size.
const widest = 10

// width returns the width of a character relative to the font size: that of the nth
// code, or an estimate.
func (f *font) width(c rune, codes string, n int) float64 {
	if n < len(codes) {
		if i := int(codes[n]) - f.first; i >= 0 && i < len(f.widths) && f.widths[i] > 0 && f.widths[i] < widest {
			return f.widths[i]
		}
	}
	return guessed(f.name, c)
}

// guessed estimates the width of a character.
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
