package tables

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

func TestWholeNumbersAreShownWithAllDigitsUpTo18(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]Cell{
		"1E+15": {Text: "1000000000000000", Number: "1000000000000000"}, "9.99E+17": {
			Text:   "999000000000000000",
			Number: "999000000000000000",
		},
		"1E+18":  {Text: "1E+18", Number: "1000000000000000000"},
		"-1E+15": {Text: "-1E+15", Number: "-1000000000000000"},
		"1E-1":   {Text: "1E-1", Number: "0.1"},
		"0E0":    {Text: "0", Number: "0"}, "x": {Text: "x"},
	} {
		b := &workbook{book: &book{}, styles: map[int]style{0: {general: true}}}
		b.table("Sheet1")
		if got := b.number(0, stored, Place{}); got != want {
			t.Errorf("%s: %+v, want %+v", stored, got, want)
		}
	}
	for stored, notes := range map[string]int{
		"999999999999999": 0, "1000000000000000": 1, "1000000000000000.5": 0,
		"-1000000000000000": 0,
	} {
		b := &workbook{book: &book{}, styles: map[int]style{0: {general: true}}}
		b.table("Sheet1")
		if b.number(0, stored, Place{}); len(b.Notes) != notes {
			t.Errorf("%s: %+v", stored, b.Notes)
		}
	}
}

func TestRowsAndCellsMayHaveNoNumbers(t *testing.T) {
	t.Parallel()
	content := sheeted(
		t,
		`<row><c><v>1</v></c><c r="D1"><v>2.5</v></c><c><v>3.5</v></c></row><row r="4"><c r="B4"><v>4.5</v></c></row>`+
			`<row><c><v>5.5</v></c></row>`,
		"",
		"",
	)
	if got, want := rowsOf(t, XLSX, content), "Sheet11[1···2.5·3.5]Sheet14[·4.5]Sheet15[5.5]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	empty := sheeted(t, `<row r="1"><c><v>1</v></c></row><row r="2" hidden="1"/>`, "", "")
	if got := rowsOf(t, XLSX, empty); got != "Sheet11[1]" {
		t.Errorf("with an empty hidden row: %s", got)
	}
	for height, row := range map[string]string{"0": "", "2.9": "Sheet12[2]"} {
		low := sheeted(t, `<row r="1"><c><v>1</v></c></row><row r="2" ht="`+height+`"><c><v>2</v></c></row>`, "", "")
		if got := rowsOf(t, XLSX, low); !strings.HasPrefix(got, "Sheet11[1]"+row) ||
			(row == "") != strings.HasSuffix(got, "hidden_rows_skipped@2") {
			t.Errorf("of height %s: %s", height, got)
		}
	}
	book, err := Read(t.Context(), XLSX, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1,,,2.5,3.5", ",4.5", "5.5"} {
		var numbers []string
		for _, cell := range book.Tables[0].Rows[i].Cells {
			numbers = append(numbers, cell.Number)
		}
		if got := strings.Join(numbers, ","); got != want {
			t.Errorf("row %d has the numbers %s, want %s", i, got, want)
		}
	}
}

func TestHiddenContentIsNotedAtItsFirstPlace(t *testing.T) {
	t.Parallel()
	content := booked(t, func(f *excelize.File) error {
		return errors.Join(
			f.SetSheetRow("Sheet1", "A1", &[]any{"a", "b", "c"}),
			f.SetSheetRow("Sheet1", "A2", &[]any{1, 2, 3}),
			f.SetSheetRow("Sheet1", "A3", &[]any{4, 5, 6}),
			f.SetColVisible("Sheet1", "B:C", false),
			f.SetRowVisible("Sheet1", 2, false),
			f.SetRowVisible("Sheet1", 3, false),
			f.SetCellValue("Sheet1", "A4", strings.Repeat("x", MaxText+1)),
		)
	})
	book, err := Read(t.Context(), XLSX, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Place{
		NoteHiddenColumns: {Sheet: "Sheet1", Row: 1, Column: 2},
		NoteHiddenRows:    {Sheet: "Sheet1", Row: 2},
		NoteCut:           {Sheet: "Sheet1", Row: 4, Column: 1},
	}
	for _, note := range book.Notes {
		if note.Place != want[note.Code] {
			t.Errorf("%+v", note)
		}
	}
	if len(book.Notes) != len(want) {
		t.Errorf("%+v", book.Notes)
	}
}

func TestPagesContinueTheFirst(t *testing.T) {
	t.Parallel()
	content := paged(t, 3)
	book, err := Read(t.Context(), PDF, bytes.NewReader(content), int64(len(content)))
	if err != nil || len(book.Tables) != 3 {
		t.Fatal(len(book.Tables), err)
	}
	for i, table := range book.Tables {
		if !table.Printed || table.Continues != (i > 0) {
			t.Errorf("%s: printed %t, continues %t", table.Name, table.Printed, table.Continues)
		}
	}
}
