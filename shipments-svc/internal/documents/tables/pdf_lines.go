package tables

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// span is a stretch of a line, in points.
type span struct{ left, right float64 }

func (s span) width() float64  { return s.right - s.left }
func (s span) middle() float64 { return (s.left + s.right) / 2 }
func (s span) common(o span) span {
	return span{max(s.left, o.left), min(s.right, o.right)}
}

// word is a run of characters without a space. Lengths are in points.
type word struct {
	span
	text   string
	base   float64 // height of its base line on the page
	size   float64 // of its font
	space  float64 // usual width between words of a phrase
	column int     // of the cell that rules draw around it; 0: none
	top    float64 // of that cell
	ink    area    // of its letters on the page

	letters, inked, index int // how many it has, how many of them are seen, and the first in the text of the page
}

// textLine is the words of one line, from left to right.
type textLine []word

// usual is the usual width between words, apart the least where PDFium sees no space, relative to the font size.
const usual, apart = 0.28, 0.5

// wordsOf joins letters into words, by their direction. A drawn space belongs to the word before it.
func wordsOf(letters []letter, view *picture) (words [turns][]word) {
	ended := true
	for _, l := range letters {
		all := &words[l.direction]
		n := len(*all) - 1
		if blank(l.text) {
			if n >= 0 && !ended && math.Abs(l.x-(*all)[n].right) < apart*l.size {
				(*all)[n].right = l.right
			}
			ended = true
			continue
		}
		inked := 0
		if view == nil || l.plain || view.inked(l.box) {
			inked = 1
		}
		if n >= 0 && !ended && !l.apart && (*all)[n].touches(l) {
			w := &(*all)[n]
			w.text, w.right, w.ink = w.text+string(l.text), l.right, w.ink.with(l.box)
			w.letters, w.inked = w.letters+1, w.inked+inked
			continue
		}
		ended = false
		*all = append(*all, word{
			span: span{l.x, l.right}, text: string(l.text), base: l.y, size: l.size, space: l.size * usual,
			ink: l.box, letters: 1, inked: inked, index: l.index,
		})
	}
	return words
}

// touches reports whether a letter is the next of a word.
func (w word) touches(l letter) bool {
	return math.Abs(l.y-w.base) <= l.size/4 && l.x-w.right <= apart*l.size && l.x >= w.right-l.size/2
}

func blank(c rune) bool { return unicode.IsSpace(c) || c == 0 }

// linesOf groups words into lines, from top to bottom. Words that are drawn twice to look bold are added once.
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
		slices.SortStableFunc(line, word.compare)
		lines[i] = slices.CompactFunc(line, func(a, b word) bool {
			return a.text == b.text && math.Abs(a.left-b.left) < a.size/5 && math.Abs(a.base-b.base) < a.size/5
		})
	}
	return lines
}

// gap is the minimum distance of columns, in widths of a space.
const gap = 1.6

// phrases joins the words of a line that are separated by single spaces.
func (l textLine) phrases() []textLine { return l.split(func(_, _ word) bool { return false }) }

// split returns the phrases of a line, with words apart that are.
func (l textLine) split(apart func(a, b word) bool) (all []textLine) {
	for i, w := range l {
		if i > 0 && w.left-l[i-1].right < gap*w.space && !apart(l[i-1], w) {
			all[len(all)-1] = append(all[len(all)-1], w)
		} else {
			all = append(all, textLine{w})
		}
	}
	return all
}

// text returns the words of a phrase.
func (l textLine) text() string {
	var all []string
	for _, w := range l {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}

// span returns where a phrase begins and ends.
func (l textLine) span() span { return span{l[0].left, l[len(l)-1].right} }

// compare orders words from left to right.
func (w word) compare(o word) int { return cmp.Compare(w.left, o.left) }

// whole reports whether a word is a whole number.
func (w word) whole() bool { return strings.Trim(w.text, "0123456789") == "" }

// numeric reports whether a word has digits and no letters, unlike a time.
func (w word) numeric() bool {
	other := func(r rune) bool { return unicode.IsLetter(r) || r == ':' }
	return strings.ContainsFunc(w.text, unicode.IsDigit) && !strings.ContainsFunc(w.text, other)
}

// tabular reports whether a line is like one of a table: several words in several phrases, several of them numbers.
func (l textLine) tabular() bool {
	text := func(w word) bool { return !w.numeric() }
	const words = 4
	return len(l) >= words && len(slices.DeleteFunc(slices.Clone(l), text)) > 1 && len(l.phrases()) > 1
}

// grouped groups lines that are near each other to rows: only the last has numbers, those above it few texts.
func grouped(lines []textLine, near float64) (rows [][]textLine) {
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && lines[to-1][0].base-lines[to][0].base <= near && !begins(lines[from:to], lines[to]) {
			to++
		}
		rows = append(rows, lines[from:to])
		from = to
	}
	return rows
}

// begins reports whether a line begins a row: one with the numbers of a row below others with numbers
// or headings, headings or numbers below much fewer texts with a number, numbers below headings, and
// all lines beside labels and rules of dashes.
func begins(above []textLine, line textLine) bool {
	n, digits := len(line.phrases()), func(l textLine) bool { return strings.ContainsFunc(l.text(), unicode.IsDigit) }
	return line.alone() || slices.ContainsFunc(above, func(l textLine) bool {
		phrases := len(l.phrases())
		return l.alone() || line.tabular() && phrases*2 > n ||
			n >= fewPhrases && digits(l) && (phrases*3 <= n || phrases*2 <= n && !digits(line)) ||
			phrases >= fewPhrases && digits(line) && !digits(l)
	})
}

// labels reports whether a line has a label.
func (l textLine) labels() bool { return strings.Contains(l.text()+" ", ": ") }

// alone reports whether a line is a row of its own: it has a label, or is a rule of dashes.
func (l textLine) alone() bool {
	return l.labels() || strings.Trim(l.text(), "-=_ ") == ""
}

// nearest returns the greatest distance of lines of a row: below the first jump between frequent distances, or 0.
func nearest(pages []page) float64 {
	const often, jump = 3, 1.5
	count := map[int]int{} // by tenths of a point
	for _, p := range pages {
		for i := 1; i < len(p.lines); i++ {
			count[int((p.lines[i-1][0].base-p.lines[i][0].base)*10+0.5)]++
		}
	}
	maps.DeleteFunc(count, func(_, n int) bool { return n < often })
	distances := slices.Sorted(maps.Keys(count))
	for i, d := range distances {
		if i > 0 && float64(d) >= jump*float64(distances[i-1]) {
			return float64(distances[i-1]+1) / 10
		}
	}
	return 0
}
