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
func wordsOf(texts []pdf.Text) []word {
	j := joiner{arrays: slices.ContainsFunc(texts, isEnd)}
	for _, t := range texts {
		j.add(t)
	}
	j.flush()
	return j.all
}

// isEnd reports whether a character is the line feed that the library puts
// after an array of strings (TJ).
func isEnd(t pdf.Text) bool { return t.S == "\n" }

// joiner joins characters into words.
type joiner struct {
	all    []word
	word   word
	last   pdf.Text // the character before
	pen    float64  // where the next one of the same string begins
	arrays bool     // strings are drawn in arrays
	within bool     // one of them
}

// add takes the next character.
func (j *joiner) add(t pdf.Text) {
	size := math.Abs(t.FontSize)
	switch {
	case isEnd(t):
		j.within = false
		return
	case !onPage(t.X) || !onPage(t.Y) || !(size > 0 && size < maxExtent):
		j.flush()
		return
	}
	left, width := j.place(t, size)
	blank := strings.TrimFunc(t.S, func(r rune) bool { return unicode.IsSpace(r) || r == 0 }) == ""
	if blank || math.Abs(t.Y-j.word.base) > size/4 || left-j.word.right > size/4 || left < j.word.right-size/2 {
		j.flush()
	}
	j.last, j.pen, j.within = t, left+width, j.arrays
	if blank {
		return
	}
	if j.word.text == "" {
		j.word = word{left: left, base: t.Y, size: size, space: size * guessed(pdf.Text{Font: t.Font, S: " "})}
	}
	j.word.text += t.S
	j.word.right = left + width
}

// place returns where a character begins and how wide it is. Where the
// document does not tell how wide the characters of a font are, the library
// draws those of a string one upon the other: they follow each other instead,
// moved by what an array says.
func (j *joiner) place(t pdf.Text, size float64) (left, width float64) {
	if t.W > 0 && t.W < maxExtent {
		return t.X, t.W
	}
	width = size * guessed(t)
	if t.Y == j.last.Y && t.Font == j.last.Font && (t.X == j.last.X || j.within) {
		return j.pen + t.X - j.last.X, width
	}
	return t.X, width
}

// flush ends a word.
func (j *joiner) flush() {
	if j.word.text != "" {
		j.all = append(j.all, j.word)
	}
	j.word = word{}
}

func onPage(v float64) bool { return v > -maxExtent && v < maxExtent }

// guessed returns about how wide a character is, of the height of its font.
func guessed(t pdf.Text) float64 {
	const space, narrow, usual, capital, wide, fixed = 0.28, 0.28, 0.53, 0.68, 0.85, 0.6
	c, _ := utf8.DecodeRuneInString(t.S)
	switch {
	case strings.Contains(t.Font, "Courier") || strings.Contains(t.Font, "Mono"):
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
