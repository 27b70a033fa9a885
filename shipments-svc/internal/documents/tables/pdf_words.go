package tables

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// glyph is a drawn character. Lengths are in points.
type glyph struct {
	text       string
	left, base float64 // left edge, and height of its base line on the page
	width      float64
	size       float64 // of its font
	space      float64 // usual width between words of this font
	exact      bool    // the font tells its widths
}

// word is a run of characters without a space. Lengths are in points.
type word struct {
	text        string
	left, right float64
	base        float64 // height of its base line on the page
	size        float64 // of its font
	space       float64 // usual width between words of a phrase
	row         int     // the number of its line in a text file; 0: of a PDF
}

// textLine is the words of one line, from left to right.
type textLine []word

// maxExtent is the maximum size of a page in units (ISO 32000-1, annex C: 14,400).
const maxExtent = 14_400

// closest is the usual width between words, relative to the font size, where spaces
// are drawn: any gap is one between columns, which browsers set nearer than a space.
const closest = 0.15

// wordsOf joins characters into words in drawing order.
func wordsOf(glyphs []glyph) []word {
	j := joiner{spaced: slices.ContainsFunc(glyphs, func(g glyph) bool { return g.exact && blank(g) })}
	for _, g := range glyphs {
		j.add(g)
	}
	j.flush()
	return j.all
}

// joiner joins characters into words.
type joiner struct {
	all    []word
	word   word
	spaced bool // spaces are drawn
}

// add adds the next character.
func (j *joiner) add(g glyph) {
	seen := onPage(g.left) && onPage(g.base) && g.size > 0 && g.size < maxExtent && !blank(g)
	if j.spaced && g.exact && blank(g) && j.word.text != "" && math.Abs(g.left-j.word.right) < g.size/4 {
		j.word.right = g.left + g.width // a drawn space belongs to the word before it
	}
	if !seen || math.Abs(g.base-j.word.base) > g.size/4 || g.left-j.word.right > g.size/4 ||
		g.left < j.word.right-g.size/2 {
		j.flush()
	}
	if !seen {
		return
	}
	if j.word.text == "" {
		j.word = word{left: g.left, base: g.base, size: g.size, space: g.space}
		if j.spaced && g.exact {
			j.word.space = closest * g.size
		}
	}
	j.word.text += g.text
	j.word.right = g.left + g.width
}

func blank(g glyph) bool {
	return strings.TrimFunc(g.text, func(r rune) bool { return unicode.IsSpace(r) || r == 0 }) == ""
}

// flush ends a word.
func (j *joiner) flush() {
	if j.word.text != "" {
		j.all = append(j.all, j.word)
	}
	j.word = word{}
}

func onPage(v float64) bool { return v > -maxExtent && v < maxExtent }

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
