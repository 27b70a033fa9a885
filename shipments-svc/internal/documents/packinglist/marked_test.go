package packinglist

import (
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// markedList returns a list of a workbook that was changed, and its warnings.
func markedList(t *testing.T, change func(*workbook), old, text string) (boxes []int, warnings string) {
	t.Helper()
	w := newWorkbook(t, []any{"Pallet", "Produce", "Size", "Boxes", "Net kg"},
		[]any{"P1", "Plum", "55-60", 80, 400}, []any{"P2", "Plum", "55-60", 81, 405})
	change(w)
	list, err := readAs(t.Context(), XLSX, replaced(t, w.bytes(), old, text))
	w.check(err)
	for _, p := range list.Pallets {
		boxes = append(boxes, p.Boxes)
	}
	return boxes, warningsOf(list, err)
}

// Formats of a cell, or of a part of it, may change what it says.
func TestFormatsThatChangeACell(t *testing.T) {
	t.Parallel()
	run := func(text string, font *excelize.Font) excelize.RichTextRun {
		return excelize.RichTextRun{Text: text, Font: font}
	}
	rich := func(runs ...excelize.RichTextRun) func(*workbook) {
		return func(w *workbook) { w.check(w.f.SetCellRichText("Sheet1", "D3", runs)) }
	}
	struck := &excelize.Font{Strike: true}
	for name, c := range map[string]struct {
		change func(*workbook)
		boxes  int
		warns  string
	}{
		"corrected": {rich(run("264", struck), run(" 81", nil)), 81, "struck through"},
		"struck":    {rich(run("8", struck), run("1", struck)), 81, "struck through"},
		"bold":      {rich(run("8", &excelize.Font{Bold: true}), run("1", nil)), 81, ""},
		"rounded": {func(w *workbook) {
			w.check(w.f.SetCellValue("Sheet1", "D3", 239.6))
			w.format("D3", "D3", "0")
		}, 0, "number of boxes is 239.6"},
	} {
		boxes, warnings := markedList(t, c.change, "\x00", "")
		if boxes[len(boxes)-1] != c.boxes || !strings.Contains(warnings, c.warns) ||
			(c.warns == "") != (warnings == "") {
			t.Errorf("%s: %v\n%s", name, boxes, warnings)
		}
	}
	for format, warned := range map[string]bool{
		`"1"00`: true, `"n/l"`: true, `0,`: true, `0"½"`: true, `(0)`: true,
		`-0`: true, `0"-"`: true, `0.00`: false, `#,##0`: false, `0" cs"`: false, `0E+00`: false, `# ?/?`: false,
	} {
		_, warnings := markedList(t, func(w *workbook) { w.format("D3", "D3", format) }, "\x00", "")
		if strings.Contains(warnings, "its number 81 was read") != warned || !warned && warnings != "" {
			t.Errorf("%s: %s", format, warnings)
		}
	}
	const inline = `<c r="D3" t="inlineStr"><is><r><t>8</t></r><r><rPr><b/></rPr><t>1</t></r></is></c>`
	if boxes, warnings := markedList(t, func(*workbook) {}, `<c r="D3"><v>81</v></c>`, inline); boxes[1] != 81 ||
		warnings != "" {
		t.Errorf("inline: %v\n%s", boxes, warnings)
	}
}
