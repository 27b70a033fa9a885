package web

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// TestAWorkbookHasTextsAndNumbersAsTheyWere, whatever a spreadsheet could take them for.
func TestAWorkbookHasTextsAndNumbersAsTheyWere(t *testing.T) {
	t.Parallel()
	var content bytes.Buffer
	at := time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)
	file, err := newXLSX(&content, sheetColumns(17, "Text", "Number", "Empty", "Text", "Day", "At"))
	if err != nil || file.row(" <0012> _x0041_", 4.25, nil, "=A1", dayCell("2026-11-20"), at) != nil ||
		file.end("about") != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(&content)
	if err != nil {
		t.Fatal(err)
	}
	for sheet, want := range map[string][][]string{
		"List": {
			{"Text", "Number", "Empty", "Text", "Day", "At"},
			{" <0012> _x0041_", "4.25", "", "=A1", "2026-11-20", "2026-11-20 12:30"},
		},
		"About": {{"about"}},
	} {
		rows, err := book.GetRows(sheet)
		if err != nil || !slices.EqualFunc(rows, want, slices.Equal) {
			t.Errorf("%s: %q, want %q (%v)", sheet, rows, want, err)
		}
	}
	panes, err := book.GetPanes("List")
	width, _ := book.GetColWidth("List", "F")
	if !panes.Freeze || width != 17 || err != nil {
		t.Errorf("%+v, %v (%v)", panes, width, err)
	}
}
