package tables

import (
	"strings"
	"testing"
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
		"a background":             {".9 g 45 695 100 14 re f 0 g", false},
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
		if got := rowsOf(t, PDF, printed("", []byte(c.paths+" "+text))); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A text that is not painted is read where the page shows something: it is that of a scan.
func TestTextsThatPagesDoNotShowAreNoted(t *testing.T) {
	t.Parallel()
	const table = "BT /F1 10 Tf 50 700 Td (Pallet) Tj ET "
	other := func(text string) []byte { return []byte(table + "BT /F1 10 Tf 50 650 Td " + text + " ET") }
	for name, c := range map[string]struct {
		content []byte
		entries string
		want    string
	}{
		"of a scan":   {[]byte("51 700 4 4 re 57 699 4 4 re 63 701 4 4 re f BT 3 Tr" + table[2:]), "", "invisible_text"},
		"not painted": {other("3 Tr (P-003) Tj"), "", NoteHidden},
		"white":       {other("1 g (P-003) Tj"), "", NoteHidden},
		"white on a dark ground": {
			append([]byte("0 0 .5 rg 40 640 100 30 re f 0 g "), other("1 g (Total) Tj")...), "", "Total",
		},
		"behind a frame":   {append(other("(P-003) Tj"), " .5 g 40 640 100 30 re f"...), "", NoteHidden},
		"cut off":          {other("(P-003) Tj"), "/CropBox[0 680 595 842]", NoteOutside},
		"upwards":          {other("0 1 -1 0 200 650 Tm (Draft) Tj"), "", NoteTurned},
		"a comment":        {other(""), annotation("Text/Contents(2 boxes less)"), NoteMark},
		"a hidden comment": {other(""), annotation("Text/F 2/Contents(x)"), "page 11[Pallet]"},
		"a stamp":          {other(""), annotation("Stamp/Contents(CANCELLED)"), NoteMark},
		"a link":           {other(""), annotation("Link"), "page 11[Pallet]"},
		"a strike-out":     {other(""), annotation("StrikeOut/QuadPoints[50 708 80 708 50 700 80 700]"), NoteMark},
	} {
		if got := rowsOf(t, PDF, printed(c.entries, c.content)); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A character without a text is no space: its font has codes of glyphs, and does not say what they are.
func TestCharactersWithoutATextAreNoted(t *testing.T) {
	t.Parallel()
	content := string(printed("", []byte("BT /F1 10 Tf 50 700 Td <00050006> Tj ET")))
	const font = "/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding"
	content = strings.Replace(content, font, "/Subtype/Type0/BaseFont/X/Encoding/Identity-H"+
		"/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/X/DW 600/CIDSystemInfo"+
		"<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]", 1)
	if got := rowsOf(t, PDF, []byte(content)); got != "page 11[\uFFFD\uFFFD] text_unknown@0" {
		t.Error(got)
	}
}

// annotation returns the entry of a page for an annotation.
func annotation(subtype string) string {
	return "/Annots[<</Type/Annot/Rect[50 640 150 660]/Subtype/" + subtype + ">>]"
}

// Layers that are off are hidden, and what is filled in is read, also where no viewer has drawn it yet.
func TestLayersAndFormsArePartsOfPDFs(t *testing.T) {
	t.Parallel()
	const table, filled = "BT /F1 10 Tf 50 700 Td (Pallet) Tj ET ", "BT /F1 10 Tf 2 5 Td (P-7) Tj ET"
	const field = "<</Type/Annot/Subtype/Widget/Rect[50 640 150 660]/FT/Tx/T(n)/V(P-7)/DA(/F1 10 Tf 0 g)"
	const form = "/AcroForm<</Fields[9 0 R]/DR<</Font<</F1 5 0 R>>>>/DA(/F1 10 Tf 0 g)/NeedAppearances true>>"
	for name, c := range map[string]struct{ content, entries, resources, catalog, object, want string }{
		"a layer": {
			table + "/OC /L BDC BT /F1 10 Tf 50 650 Td (P-003) Tj ET EMC", "", "/Properties<</L 9 0 R>>",
			"/OCProperties<</OCGs[9 0 R]/D<</OFF[9 0 R]>>>>", "<</Type/OCG/Name(L)>>",
			"page 11[Pallet] hidden_text_skipped@0",
		},
		"a field":           {table, "/Annots[9 0 R]", "", form, field + "/AP<</N 6 0 R>>>>", "page 11[Pallet]page 12[P-7]"},
		"a field unprinted": {table, "/Annots[9 0 R]", "", form, field + ">>", "page 11[Pallet]page 12[P-7]"},
	} {
		content := string(printed(c.entries, []byte(c.content), []byte(filled)))
		content = strings.Replace(content, "/Type/Catalog", "/Type/Catalog"+c.catalog, 1)
		content = strings.Replace(content, "/Resources<<", "/Resources<<"+c.resources, 1)
		content = strings.Replace(content, "xref", "9 0 obj"+c.object+"endobj\nxref", 1)
		if got := rowsOf(t, PDF, []byte(content)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
