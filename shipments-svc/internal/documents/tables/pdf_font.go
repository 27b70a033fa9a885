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
	first    int             // code of the first width
	widths   []float64       // of characters, relative to the font size; empty: unknown
	pairs    map[int]float64 // the widths of a font whose codes have two bytes
	usual    float64         // the width of others of its codes
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
	if of := v.Key("DescendantFonts").Index(0); v.Key("Encoding").Name() == "Identity-H" && of.Key("W").Len() > 0 {
		read.pairs, read.usual = pairs(of.Key("W")), 1
		if usual := of.Key("DW"); !usual.IsNull() {
			read.usual = usual.Float64() / 1000
		}
	}
	return read, nil
}

// pairs reads the widths of a font whose codes have two bytes (ISO 32000-1, 9.7.4.3): a
// code and the widths from it on, or two codes and the width between them.
func pairs(w pdf.Value) map[int]float64 {
	const codes = 1 << 16
	all := map[int]float64{}
	for i, left := 0, codes; i+1 < w.Len() && left > 0; {
		first := int(w.Index(i).Int64())
		if list := w.Index(i + 1); list.Kind() == pdf.Array {
			for n := range min(list.Len(), left) {
				all[first+n] = list.Index(n).Float64() / 1000
			}
			left -= list.Len() + 1
			i += 2
			continue
		}
		last := int(w.Index(i + 1).Int64())
		for n := range min(last-first+1, left) {
			all[first+n] = w.Index(i+2).Float64() / 1000
		}
		left -= max(last-first, 0) + 1
		i += 3
	}
	return all
}

// widest limits the width of a character, relative to the font size.
const widest = 10

// width returns the width of a character relative to the font size: that of the nth
// code, or an estimate. Of two bytes, a code is one character.
func (f *font) width(c rune, codes string, n int) float64 {
	if 2*n+1 < len(codes) && f.pairs != nil {
		w, ok := f.pairs[int(codes[2*n])<<8|int(codes[2*n+1])]
		if !ok {
			w = f.usual
		}
		if w > 0 && w < widest {
			return w
		}
	} else if n < len(codes) {
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
