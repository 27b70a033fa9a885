package tables

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStruckTextsOfPDFs: a text is struck through by a line or a narrow rectangle
// across it, which must be painted. Rules of tables and underlines are not.
func TestStruckTextsOfPDFs(t *testing.T) {
	t.Parallel()
	const text = "BT /F1 10 Tf 50 700 Td (Pallet) Tj ET "
	for name, c := range map[string]struct {
		paths  string
		struck bool
	}{
		"a line":                   {"50 703 m 80 703 l S", true},
		"a line from the right":    {"80 703 m 50 703 l S", true},
		"a rectangle":              {"50 702.5 30 1 re f", true},
		"a line moved by a matrix": {"q 1 0 0 1 0 600 cm 50 103 m 80 103 l S Q", true},
		"a line across the row":    {"20 703 m 500 703 l S", true},
		"a path not painted":       {"50 703 m 80 703 l n", false},
		"an underline":             {"50 698 m 80 698 l S", false},
		"a rule above":             {"50 710 m 80 710 l S", false},
		"a background":             {"45 695 100 14 re f", false},
		"a line across a part":     {"50 703 m 60 703 l S", false},
		"a line beside":            {"150 703 m 190 703 l S", false},
		"a cross":                  {"20 697 m 120 709 l 20 709 m 120 697 l S", true},
		"a steep line":             {"45 690 m 85 716 l S", false},
		"an upright line":          {"65 690 m 65 710 l S", false},
	} {
		want := "page 11[Pallet]"
		if c.struck {
			want += " struck_through@1"
		}
		if got := rowsOf(t, PDF, printed("", []byte(text+c.paths))); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestWidthsOfFontsWithTwoBytes: a code and the widths from it on, or two codes and the
// width between them.
func TestWidthsOfFontsWithTwoBytes(t *testing.T) {
	t.Parallel()
	content := printed("/W[3[300 400] 10 12 500 20 19 1 30[7]]", nil)
	r, _, err := opened(content)
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]float64{3: .3, 4: .4, 10: .5, 11: .5, 12: .5, 30: .007}
	if diff := cmp.Diff(want, pairs(r.Page(1).V.Key("W"))); diff != "" {
		t.Error(diff)
	}
	f := font{bytes: 2, widths: want, usual: 1}
	for codes, width := range map[string]float64{"\x00\x03": .3, "\x00\x0b": .5, "\x00\x05": 1} {
		if got := f.width('x', codes, 0); got != width {
			t.Errorf("%q has the width %v, want %v", codes, got, width)
		}
	}
}

// TestInvisibleTextsOfPDFs: the text of a scan that was read by a program is not painted.
func TestInvisibleTextsOfPDFs(t *testing.T) {
	t.Parallel()
	for content, invisible := range map[string]bool{
		"3 Tr (Pallet) Tj": true, "0 Tr (Pallet) Tj": false, "3 Tr ( ) Tj 0 Tr (Pallet) Tj": false,
	} {
		want := "page 11[Pallet]"
		if invisible {
			want += " invisible_text@0"
		}
		if got := rowsOf(t, PDF, printed("", []byte("BT /F1 10 Tf 50 700 Td "+content+" ET"))); got != want {
			t.Errorf("%s: %s, want %s", content, got, want)
		}
	}
}
