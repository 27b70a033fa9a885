package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// at returns a word from left to right, of a font with spaces of 2.
func at(text string, left, right float64) word {
	return word{text: text, left: left, right: right, size: 8, space: 2}
}

// lineOf returns words as a line.
func lineOf(words ...word) textLine { return words }

// textOf returns the texts of phrases.
func textOf(all []textLine) string {
	var texts []string
	for _, phrase := range all {
		texts = append(texts, text(phrase))
	}
	return strings.Join(texts, "|")
}

func TestPhrasesEndAtGaps(t *testing.T) {
	t.Parallel()
	line := lineOf(at("net", 10, 20), at("weight", 20+gap*2-.01, 40), at("boxes", 40+gap*2, 50), at("x", 49, 51))
	if got := textOf(phrases(line)); got != "net weight|boxes x" {
		t.Error(got)
	}
}

func TestTableLinesHaveFourWordsOfWhichTwoAreNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1 2 x y": true, "1,5 (2) x y z": true, "1 2 x": false, "1 x y z": false,
		"1 A2 x y": false,
	} {
		var line textLine
		for i, word := range strings.Fields(text) {
			line = append(line, at(word, float64(20*i), float64(20*i+10)))
		}
		if got := tabular(line); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
	for words, want := range map[int]bool{2: false, 3: true, 4: true, 5: true} {
		if got := (columns{usual: 4}).full(make(textLine, words)); got != want {
			t.Errorf("%d of usually 4 words: %t", words, got)
		}
	}
}

func TestGapsAreWideAndCrossedByFewLines(t *testing.T) {
	t.Parallel()
	lines := func(n, crossing int, right float64) (all []textLine) {
		for i := range n {
			line := textLine{at("1", 10, 30), at("2", right, 70)}
			if i < crossing {
				line = textLine{at("a long text", 10, 70)}
			}
			all = append(all, line)
		}
		return all
	}
	for _, tt := range []struct {
		n, crossing int
		right       float64
		want        [][2]float64
	}{
		{3, 0, 50, [][2]float64{{31, 50}}},
		{3, 0, 34, [][2]float64{{31, 34}}}, // as wide as it must be
		{3, 0, 33, nil},
		{3, 1, 50, nil},
		{stray - 1, 1, 50, nil},
		{stray, 1, 50, [][2]float64{{31, 50}}},
		{stray, 2, 50, nil},
	} {
		if got := gaps(lines(tt.n, tt.crossing, tt.right), nil); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	beyond := []textLine{{at("1", -10, 5), at("2", 100, maxExtent+50)}}
	if got := gaps(beyond, nil); !slices.Equal(got, [][2]float64{{6, 100}}) {
		t.Errorf("beyond the page: %v", got)
	}
}

// row is a line of a table of four columns.
func row(n int) textLine {
	return textLine{at(fmt.Sprint(n), 10, 20), at("1", 50, 60), at("x", 90, 100), at("y", 130, 140)}
}

func TestColumnsNeedThreeLines(t *testing.T) {
	t.Parallel()
	total := textLine{at("12", 50, 140)} // it crosses, and has too few words to count
	for n, want := range map[int]int{0: 0, fewLines - 1: 0, fewLines: 3, 10: 3} {
		lines := []textLine{total}
		for i := range n {
			lines = append(lines, row(i))
		}
		c := columnsOf([]page{{lines: lines}, {lines: []textLine{total}}})
		if len(c.edges) != want || n > 0 && c.usual != 4 {
			t.Errorf("%d lines: %+v", n, c)
		}
		if want == 3 && !slices.Equal(c.edges, []float64{35.5, 75.5, 115.5}) {
			t.Errorf("%d lines: %v", n, c.edges)
		}
	}
}

// Texts below different headings are different cells, however near to each other, also
// where a text reaches over the next, and on one line alone.
func TestTextsBelowDifferentHeadingsAreApart(t *testing.T) {
	t.Parallel()
	headings := textLine{at("Pallet", 10, 30), at("Product", 50, 75), at("Size", 90, 100), at("Boxes", 120, 140)}
	for name, tt := range map[string]struct {
		left, right float64 // of a text before a size from 90 on
		want        string
	}{
		"near": {77, 89.5, "1|Mango Tommy|9|264"}, "over it": {77, 93, "1|Mango Tommy|9|264"}, "far": {
			77, 82,
			"1|Mango Tommy|9|264",
		},
	} {
		line := textLine{
			at("1", 10, 14),
			at("Mango", 50, 75),
			at("Tommy", tt.left, tt.right),
			at("9", 90, 94),
			at("264", 120, 134),
		}
		for n := range 4 {
			lines := append([]textLine{{at("letterhead", 10, 80)}, headings}, slices.Repeat([]textLine{line}, n+1)...)
			var got []string
			for _, cell := range columnsOf([]page{{lines: lines}}).cells(line, true) {
				got = append(got, cell.Text)
			}
			if strings.Join(got, "|") != tt.want {
				t.Errorf("%s, %d lines: %q", name, n+1, got)
			}
		}
	}
	one := textLine{at("Container:", 10, 40), at("1", 42, 44), at("2", 46, 48), at("3", 50, 52)}
	if tabular(one) {
		t.Error("one phrase is a line of a table")
	}
}

// A description that continues on lines of its own is a column between two gaps.
func TestWrappedCellsAreAColumn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		wrapped  int
		from, to float64
		want     []float64
	}{
		"three lines":          {3, 30, 40, []float64{(21 + 30) / 2., (40 + 50) / 2.}},
		"two lines":            {2, 30, 40, []float64{35.5}},
		"touching the left":    {3, 21, 40, []float64{35.5}},
		"touching the right":   {3, 30, 50, []float64{35.5}},
		"right after the left": {3, 21.5, 49.5, []float64{21.25, 49.75}},
	} {
		lines := []textLine{{at("letterhead", 30, 40)}, row(1)}
		for range tt.wrapped {
			lines = append(lines, textLine{at("more", tt.from, tt.to)})
		}
		lines = append(lines, row(2), textLine{at("footer", 30, 40)})
		pages := []page{{lines: lines}, {lines: []textLine{{at("prose", 30, 40)}}}}
		if got := wrapped([][2]float64{{21, 50}}, pages); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestCellsOfALine(t *testing.T) {
	t.Parallel()
	c := columns{edges: []float64{40, 80}, usual: 4}
	for name, tt := range map[string]struct {
		columns
		line textLine
		want string
	}{
		"by column": {c, textLine{at("1", 10, 14), at("2", 50, 54), at("x", 90, 94), at("y", 96, 100)}, "1|2|x y"},
		"an empty one": {
			c,
			textLine{at("1", 10, 14), at("2", 16, 20), at("x", 90, 94), at("y", 96, 100)},
			"1 2||x y",
		},
		"a narrow gap": {
			c,
			textLine{at("3", 36, 39), at("4", 41, 44), at("x", 90, 94), at("y", 100, 104)},
			"3|4|x y",
		},
		"a word over an edge": {
			c,
			textLine{at("3", 30, 34), at("4444", 36, 44), at("x", 90, 94), at("y", 100, 104)},
			"3 4444||x y",
		},
		"a total":            {c, textLine{at("Total", 82, 90), at("9", 100, 104)}, "||Total|9"},
		"prose":              {c, textLine{at("Total", 10, 30), at("weight", 32, 60)}, "Total weight"},
		"prose over an edge": {c, textLine{at("Total", 30, 39), at("net", 41, 50)}, "Total net"},
		"headings": {columns{edges: []float64{40}, usual: 5}, textLine{at("a", 0, 2), at("b", 10, 12), at("c",
			20, 22), at("d", 50, 52), at("e", 60, 62)}, "a b c|d e"},
		"without columns": {columns{usual: 4}, textLine{at("1", 10, 14), at("2", 50, 54), at("x", 56, 60)}, "1|2 x"},
		"fewer than the usual": {columns{edges: []float64{40}, usual: 9}, textLine{at("1", 50, 52), at("2", 60, 62), at("x",
			70, 72), at("y", 80, 82)}, "|1|2|x|y"},
	} {
		var got []string
		for _, cell := range tt.cells(tt.line, tt.row([]textLine{tt.line})) {
			got = append(got, cell.Text)
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %q, want %s", name, got, tt.want)
		}
	}
}

func TestWordsAreGroupedToLines(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		left, base float64
		text       string
		want       string
	}{
		"beside":             {40, 100, "b", "a b"},
		"before":             {5, 100, "b", "b a"},
		"a little lower":     {40, 96.9, "b", "a b"},
		"lower":              {40, 96.8, "b", "a\nb"},
		"higher":             {40, 104, "b", "b\na"},
		"drawn twice":        {11.5, 101.5, "a", "a"},
		"drawn beside it":    {11.7, 100, "a", "a a"},
		"drawn below it":     {10, 98.3, "a", "a a"},
		"drawn over another": {10, 100, "b", "a b"},
	} {
		lines := linesOf(
			[]word{
				{text: "a", left: 10, right: 20, base: 100, size: 8},
				{text: tt.text, left: tt.left, right: tt.left + 10, base: tt.base, size: 8},
			},
		)
		if got := strings.ReplaceAll(textOf(lines), "|", "\n"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestCharactersAreJoinedToWords(t *testing.T) {
	t.Parallel()
	// The first is 10 wide and of size 8.
	for name, tt := range map[string]struct {
		x, y   float64
		joined bool
	}{
		"adjacent": {20, 100, true}, "a quarter of the size apart": {22, 100, true}, "further apart": {22.1, 100, false},
		"a quarter higher": {20, 102, true}, "higher": {20, 102.1, false}, "lower": {20, 97.9, false},
		"half over it": {16, 100, true}, "before it": {15.9, 100, false},
	} {
		d := &drawing{now: graphics{font: &font{}}}
		d.add('a', 10, 100, 8, 10./8)
		d.add('b', tt.x, tt.y, 8, 1)
		if joined := len(d.words) == 1; joined != tt.joined {
			t.Errorf("%s: %+v", name, d.words)
		}
	}
	for name, c := range map[string]struct {
		c          rune
		x, y, size float64
	}{
		"blank": {' ', 10, 100, 8}, "no size": {'a', 10, 100, 0}, "huge": {'a', 10, 100, maxExtent},
		"left of the page": {'a', -maxExtent, 100, 8}, "above the page": {'a', 10, maxExtent, 8},
		"nowhere": {'a', math.NaN(), 100, 8},
	} {
		d := &drawing{now: graphics{font: &font{}}}
		if d.add(c.c, c.x, c.y, c.size, 1); len(d.words) != 0 {
			t.Errorf("%s: %+v", name, d.words)
		}
	}
}
