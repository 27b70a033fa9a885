package web

import (
	"bytes"
	"slices"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestAWorkbookHasTextsAndNumbersAsTheyWere, whatever a spreadsheet could take them for.
func TestAWorkbookHasTextsAndNumbersAsTheyWere(t *testing.T) {
	t.Parallel()
	var content bytes.Buffer
	file, err := newXLSX(&content)
	for _, row := range [][]any{{"Text", "Number", "Empty", "Text"}, {" <0012> _x0041_", 4.25, nil, "=A1"}} {
		if err == nil {
			err = file.row(row...)
		}
	}
	if err != nil || file.end("about") != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(&content)
	if err != nil {
		t.Fatal(err)
	}
	for sheet, want := range map[string][][]string{
		"List": {{"Text", "Number", "Empty", "Text"}, {" <0012> _x0041_", "4.25", "", "=A1"}}, "About": {{"about"}},
	} {
		rows, err := book.GetRows(sheet)
		if err != nil || !slices.EqualFunc(rows, want, slices.Equal) {
			t.Errorf("%s: %q, want %q (%v)", sheet, rows, want, err)
		}
	}
}
