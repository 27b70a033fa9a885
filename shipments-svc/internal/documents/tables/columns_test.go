package tables

import (
	"slices"
	"strings"
	"testing"
)

// at returns a word from left to right, of a font with spaces of 2.
func at(text string, left, right float64) word {
	return word{span: span{left, right}, text: text, size: 8, space: 2}
}

// joinedTexts returns the texts of lines.
func joinedTexts(all []textLine, by string) string {
	var texts []string
	for _, line := range all {
		texts = append(texts, line.text())
	}
	return strings.Join(texts, by)
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
		if got := line.tabular(); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// One phrase is no line of a table, and a word that reaches over the next column is in its own.
func TestWordsOfRowsAreInTheColumnAtTheirMiddle(t *testing.T) {
	t.Parallel()
	one := textLine{at("Container:", 10, 40), at("1", 42, 44), at("2", 46, 48), at("3", 50, 52)}
	if one.tabular() {
		t.Error("one phrase is a line of a table")
	}
	line := textLine{at("1", 10, 14), at("Mango", 50, 75), at("Tommy", 77, 93), at("9", 93.5, 97), at("264", 120, 134)}
	c := columns{30, 87, 110}
	if got := strings.Join(c.cells(line), "|"); got != "1|Mango Tommy|9|264" {
		t.Error(got)
	}
}

// A running number next to an SSCC is a column of its own below a heading of its own, and a
// heading that is wider than its column stands above it.
func TestHeadingsDecideAboutNarrowGaps(t *testing.T) {
	t.Parallel()
	headings := textLine{
		at("No", 10, 20), at("SSCC", 60, 80), at("Boxes", 120, 140), at("Net", 145, 155), at("lb", 157, 163),
		at("/", 165, 167), at("box", 169, 180), at("Net", 200, 210), at("lb", 212, 220),
	}
	line := textLine{
		at("12", 14, 18), at("384141180000661009", 20, 100), at("48", 132, 140),
		at("40.0", 186, 196), at("1,920.0", 212, 232),
	}
	c := columnsOf([]page{{rows: grouped(append([]textLine{headings}, slices.Repeat([]textLine{line}, 3)...), -1)}})
	for want, row := range map[string]textLine{
		"No|SSCC|Boxes|Net lb / box|Net lb": headings, "12|384141180000661009|48|40.0|1,920.0": line,
	} {
		if got := strings.Join(c.cells(row), "|"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Headings of two columns may stand side by side like words of one.
func TestTouchingHeadingsAreThoseOfTheirColumns(t *testing.T) {
	t.Parallel()
	headings := textLine{
		at("Pallet", 10, 30), at("no", 32, 38), at("Grd", 50, 60), at("Count", 62, 76), at("Boxes", 90, 104),
		at("Net", 120, 130), at("kg", 132, 138),
	}
	line := textLine{at("P1", 10, 16), at("1A", 50, 56), at("90", 70, 76), at("64", 98, 104), at("800", 128, 138)}
	c := columnsOf([]page{{rows: grouped(append([]textLine{headings}, slices.Repeat([]textLine{line}, 3)...), -1)}})
	for want, row := range map[string]textLine{
		"Pallet no|Grd|Count|Boxes|Net kg": headings, "P1|1A|90|64|800": line,
		"|Both sizes||Boxes": {at("Both", 50, 60), at("sizes", 62, 76), at("Boxes", 90, 104)},
	} {
		if got := strings.Join(c.cells(row), "|"); got != want {
			t.Errorf("%q, want %q", got, want)
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
				{span: span{10, 20}, text: "a", base: 100, size: 8},
				{span: span{tt.left, tt.left + 10}, text: tt.text, base: tt.base, size: 8},
			},
		)
		if got := joinedTexts(lines, "\n"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
