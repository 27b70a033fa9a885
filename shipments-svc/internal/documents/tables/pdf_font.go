package tables

import (
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// font has the widths of characters, relative to the font size.
type font struct {
	name     string
	encoding pdf.TextEncoding
	bytes    int             // of a code
	widths   map[int]float64 // by code
	usual    float64         // of other codes; 0: estimated
}

// fontOf reads a font.
func fontOf(v pdf.Value) *font {
	f := pdf.Font{V: v}
	read := &font{name: f.BaseFont(), encoding: f.Encoder(), bytes: 1, widths: map[int]float64{}}
	for i, w := range f.Widths() {
		read.widths[f.FirstChar()+i] = w / 1000
	}
	if of := v.Key("DescendantFonts").Index(0); of.Key("W").Len() > 0 {
		read.bytes, read.widths, read.usual = 2, pairs(of.Key("W")), 1
		if usual := of.Key("DW"); !usual.IsNull() {
			read.usual = usual.Float64() / 1000
		}
	}
	return read
}

// pairs reads the widths of a font whose codes have two bytes (ISO 32000-1, 9.7.4.3): a
// code and the widths from it on, or two codes and the width between them.
func pairs(w pdf.Value) map[int]float64 {
	const codes = 1 << 16
	all := map[int]float64{}
	for i := 0; i+1 < w.Len() && len(all) < codes; i += 2 {
		first, list := int(w.Index(i).Int64()), w.Index(i+1)
		if list.Kind() == pdf.Array {
			for n := range list.Len() {
				all[first+n] = list.Index(n).Float64() / 1000
			}
			continue
		}
		for code := first; code <= min(int(list.Int64()), codes); code++ {
			all[code] = w.Index(i+2).Float64() / 1000
		}
		i++
	}
	return all
}

// width returns the width of a character: that of the nth code, or an estimate.
func (f *font) width(c rune, codes string, n int) float64 {
	const widest = 10
	if end := (n + 1) * f.bytes; end <= len(codes) {
		code := int(codes[end-1])
		if f.bytes == 2 {
			code += int(codes[end-2]) << 8
		}
		w, ok := f.widths[code]
		if !ok {
			w = f.usual
		}
		if w > 0 && w < widest {
			return w
		}
	}
	return guessed(f.name, c)
}

// guessed estimates the width of a character.
func guessed(name string, c rune) float64 {
	const narrow, usual, capital, fixed = 0.28, 0.53, 0.68, 0.6
	switch {
	case strings.Contains(name, "Courier") || strings.Contains(name, "Mono"):
		return fixed
	case unicode.IsSpace(c) || strings.ContainsRune("Iijlftr.,:;'!|()[]/-", c):
		return narrow
	case unicode.IsUpper(c):
		return capital
	default:
		return usual
	}
}
