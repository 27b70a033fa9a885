package tables

import (
	"cmp"
	"math"
	"slices"
	"unicode"
)

// word is a run of characters without a space. Lengths are in points.
type word struct {
	text        string
	left, right float64
	base        float64 // height of its base line on the page
	size        float64 // of its font
	space       float64 // usual width between words of a phrase
	exact       bool    // the font has two bytes, and so widths
	row         int     // the number of its line in a text file; 0: of a PDF
}

// textLine is the words of one line, from left to right.
type textLine []word

// maxExtent is the maximum size of a page in units (ISO 32000-1, annex C: 14,400).
const maxExtent = 14_400

// closest is the usual width between words, relative to the font size, where spaces
// are drawn: any gap is one between columns, which browsers set nearer than a space.
const closest = 0.15

// add draws a character at a point, as a part of the last word or of another. Its width is
// relative to the font size.
func (d *drawing) add(c rune, x, y, size, width float64) {
	exact, right := d.now.font.bytes == 2, x+width*size
	seen := math.Abs(x) < maxExtent && math.Abs(y) < maxExtent && size > 0 && size < maxExtent
	if n := len(d.words); n > 0 && !d.ended {
		w := &d.words[n-1]
		if !blank(c) && seen && math.Abs(y-w.base) <= size/4 && x-w.right <= size/4 && x >= w.right-size/2 {
			w.text, w.right = w.text+string(c), right
			return
		}
		if blank(c) && exact && math.Abs(x-w.right) < size/4 {
			w.right = right // a drawn space belongs to the word before it
		}
	}
	d.spaced = d.spaced || exact && blank(c)
	if d.ended = blank(c) || !seen; !d.ended {
		d.words = append(d.words, word{
			text: string(c), left: x, right: right, base: y, size: size, space: size * guessed(d.now.font.name, ' '),
			exact: exact,
		})
	}
}

func blank(c rune) bool { return unicode.IsSpace(c) || c == 0 }

// linesOf groups words into lines, from top to bottom. Words that are drawn twice to
// look bold are added once.
func linesOf(words []word) (lines []textLine) {
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(b.base, a.base) })
	for _, w := range words {
		if n := len(lines); n > 0 && lines[n-1][0].base-w.base < lines[n-1][0].size*0.4 {
			lines[n-1] = append(lines[n-1], w)
		} else {
			lines = append(lines, textLine{w})
		}
	}
	for i, line := range lines {
		slices.SortStableFunc(line, func(a, b word) int { return cmp.Compare(a.left, b.left) })
		lines[i] = slices.CompactFunc(line, func(a, b word) bool {
			return a.text == b.text && math.Abs(a.left-b.left) < a.size/5 && math.Abs(a.base-b.base) < a.size/5
		})
	}
	return lines
}
