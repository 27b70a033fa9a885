package tables

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// word is a run of characters without space. Lengths are in points.
type word struct {
	text        string
	left, right float64
	base        float64 // height of its base line on the page
	size        float64 // of its font
	space       float64 // between it and others of the same phrase, usually
}

// textLine is the words of one line, from left to right.
type textLine []word

// maxExtent bounds what is on a page: the greatest that PDF readers show is
// 14,400 units (ISO 32000-1, annex C).
const maxExtent = 14_400

// wordsOf joins characters into words, in the order in which they are drawn.
func wordsOf(texts []pdf.Text) (all []word) {
	var w word
	flush := func() {
		if w.text != "" {
			all = append(all, w)
		}
		w = word{}
	}
	pen := math.NaN() // where the next character of the same string begins
	var last pdf.Text
	for _, t := range texts {
		if t.S == "\n" {
			continue
		}
		size := math.Abs(t.FontSize)
		if !within(t.X) || !within(t.Y) || !(size > 0 && size < maxExtent) {
			flush()
			continue
		}
		left, width := t.X, t.W
		if !(width > 0 && width < maxExtent) {
			// The document does not tell how wide the characters of the font
			// are. They are drawn one after the other.
			width = size * guessed(t)
			if t.X == last.X && t.Y == last.Y {
				left = pen
			}
		}
		apart := math.Abs(t.Y-w.base) > size/4 || left-w.right > size/5 || left < w.left
		if strings.TrimFunc(t.S, unicode.IsSpace) == "" || w.text != "" && apart {
			flush()
		}
		last, pen = t, left+width
		if strings.TrimFunc(t.S, unicode.IsSpace) == "" || t.S == "\x00" {
			continue
		}
		if w.text == "" {
			w = word{left: left, base: t.Y, size: size, space: size * guessed(pdf.Text{Font: t.Font, S: " "})}
		}
		w.text += t.S
		w.right = left + width
	}
	flush()
	return all
}

// guessed returns about how wide a character is, of the height of its font.
func guessed(t pdf.Text) float64 {
	const space, narrow, usual, capital, fixed = 0.28, 0.28, 0.53, 0.68, 0.6
	c, _ := utf8.DecodeRuneInString(t.S)
	switch {
	case strings.Contains(t.Font, "Courier") || strings.Contains(t.Font, "Mono"):
		return fixed
	case unicode.IsSpace(c):
		return space
	case strings.ContainsRune("ijlftr.,:;'!|()[]/-", c):
		return narrow
	case unicode.IsUpper(c):
		return capital
	default:
		return usual
	}
}

func within(v float64) bool { return v > -maxExtent && v < maxExtent }

// linesOf sorts words into lines, from top to bottom. What is drawn twice to
// look bold is there once.
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
