package tables

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// TestMarksOfSpreadsheetsAreNoPartOfATextInCSV: a number kept as a text by a
// formula or an apostrophe is the text; other texts stay.
func TestMarksOfSpreadsheetsAreNoPartOfATextInCSV(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		`="00123"`: "00123", `'00123`: "00123", `="`: `="`, `'`: "'", `'t Hof`: "'t Hof", `=1`: "=1", `="1"+2`: `="1"+2`,
		`"00123"`: `"00123"`,
	} {
		if got := unmarked(field); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
}

func TestNumbersInScientificNotationAndCutTextsAreNotedAtTheirCells(t *testing.T) {
	t.Parallel()
	content := "a,b,c\n1,3.40123E+17," + strings.Repeat("x", MaxText+1) + "\n"
	book, err := Read(t.Context(), CSV, strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]Place{}
	for _, note := range book.Notes {
		places[note.Code] = note.Place
	}
	if diff := cmp.Diff(map[string]Place{NoteImprecise: {Row: 2, Column: 2}, NoteCut: {Row: 2, Column: 3}},
		places); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]bool{
		"3.4E+17": true, "3,40123e+17": true, "1E+17": true, "1E5": false,
		"12E+17": false, "3.4E+1": false, "x3.4E+17": false, "3.4E-17": false,
	} {
		if got := Scientific(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

func TestHiddenSheetsAndRowsWithoutHeightAreNotRead(t *testing.T) {
	t.Parallel()
	content := booked(t, func(f *excelize.File) error {
		_, err := f.NewSheet("old")
		return errors.Join(
			err,
			f.SetSheetRow("Sheet1", "A1", &[]any{"a"}),
			f.SetSheetRow("Sheet1", "A2", &[]any{"b"}),
			f.SetSheetRow("Sheet1", "A3", &[]any{"c"}),
			f.SetRowHeight(
				"Sheet1",
				2,
				0,
			),
			f.SetRowHeight("Sheet1", 3, 20),
			f.SetSheetRow("old", "A1", &[]any{"d"}),
			f.SetSheetVisible("old", false),
		)
	})
	if got, want := rowsOf(t, XLSX, content),
		"Sheet11[a]Sheet13[c] hidden_rows_skipped@2 hidden_sheet_skipped@0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestStruckTextsAreNoted once in each row, and read. An empty cell has no text.
func TestStruckTextsAreNoted(t *testing.T) {
	t.Parallel()
	content := booked(t, func(f *excelize.File) error {
		strike, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Strike: true}})
		bold, err2 := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
		return errors.Join(
			err,
			err2,
			f.SetSheetRow("Sheet1", "A1", &[]any{"a", "b"}),
			f.SetSheetRow("Sheet1", "A2", &[]any{nil, "c"}),
			f.SetSheetRow("Sheet1", "A3", &[]any{"d", 5}),
			f.SetCellStyle(
				"Sheet1",
				"A1",
				"A2",
				strike,
			),
			f.SetCellStyle("Sheet1", "B1", "B2", bold),
			f.SetCellStyle("Sheet1", "A3", "B3", strike),
		)
	})
	if got, want := rowsOf(t, XLSX, content),
		"Sheet11[a·b]Sheet12[·c]Sheet13[d·5] struck_through@1 struck_through@3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestMergedCellsRepeatTheFirst: a value that a spreadsheet left within a merged
// cell is not that of the cells below.
func TestMergedCellsRepeatTheFirst(t *testing.T) {
	t.Parallel()
	content := sheeted(
		t,
		`<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row><row r="3"><c r="B3"><v>9</v></c></`+
			`row>`+
			`</sheetData><mergeCells><mergeCell ref="A1:A3"/><mergeCell ref="C1:C2"/></mergeCells><sheetData>`,
		"",
		"",
	)
	if got, want := rowsOf(t, XLSX, content), "Sheet11[1]Sheet12[2]Sheet13[1·9]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestLinesHaveAtMostTheMaximumOfColumns(t *testing.T) {
	t.Parallel()
	var line textLine
	for i := range MaxColumns + 2 {
		line = append(line, at("1", float64(100*i), float64(100*i+1)))
	}
	if got := len(columns(nil).cells(line)); got != MaxColumns {
		t.Errorf("%d cells", got)
	}
}

// TestNumbersInFormatsWithLettersAreAsShown: the E of February is no exponent.
func TestNumbersInFormatsWithLettersAreAsShown(t *testing.T) {
	t.Parallel()
	content := booked(t, func(f *excelize.File) error {
		date, label := "d-mmm", `"PALLET "0`
		one, err := f.NewStyle(&excelize.Style{CustomNumFmt: &date})
		two, err2 := f.NewStyle(&excelize.Style{CustomNumFmt: &label})
		return errors.Join(
			err,
			err2,
			f.SetSheetRow("Sheet1", "A1", &[]any{46063, 7, 1e17}),
			f.SetCellStyle("Sheet1", "A1", "A1", one),
			f.SetCellStyle("Sheet1", "B1", "B1", two),
		)
	})
	book, err := Read(t.Context(), XLSX, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range book.Tables[0].Rows[0].Cells {
		got = append(got, c.Text+" "+c.Number)
	}
	if diff := cmp.Diff([]string{"10-Feb 46063", "PALLET 7 7", "100000000000000000 100000000000000000"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDelimiterOfAShortTableBelowALetterhead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byte{
		"a\nb\nc\nd\ne\n1;2;3\n4;5;6\n": ';', "a\nb, c, d\ne\nf\ng\n1;2;3\n4;5;6\n": ';',
		"a\nb;c;d\ne\nf\ng\n1,2,3\n4,5,6\n": ',', "a\n": ',',
	} {
		if got, _ := delimiterOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCellsOfDatesHaveTheStoredDate whatever their format shows.
func TestCellsOfDatesHaveTheStoredDate(t *testing.T) {
	t.Parallel()
	const styles = `<styleSheet ` + space + `><numFmts count="3"><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/>` +
		`<numFmt numFmtId="165" formatCode="[Red]0.0 &quot;days&quot;"/><numFmt numFmtId="166" formatCode="h:mm"/>` +
		`</numFmts><cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/>` +
		`<xf numFmtId="166"/><xf numFmtId="16"/></cellXfs></styleSheet>`
	const row = `<row r="1"><c><v>46330</v></c><c s="1"><v>46330</v></c><c s="2"><v>46330.75</v></c>` +
		`<c s="3"><v>46330</v></c><c s="4"><v>46330</v></c><c s="5"><v>46330</v></c>` +
		`<c t="d"><v>2026-11-04T00:00:00</v></c></row>`
	content := sheeted(t, row, "", styles)
	read, err := Read(t.Context(), XLSX, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var dates []string
	for _, c := range read.Tables[0].Rows[0].Cells {
		dates = append(dates, c.Date)
	}
	want := []string{"", "2026-11-04", "2026-11-04", "", "", "2026-11-04", "2026-11-04"}
	if diff := cmp.Diff(want, dates); diff != "" {
		t.Error(diff)
	}
}

// TestEscapedCharactersOfStringsAreRead as those characters; an escaped underscore begins no other.
func TestEscapedCharactersOfStringsAreRead(t *testing.T) {
	t.Parallel()
	content := sheeted(t, `<row r="1"><c t="inlineStr"><is><t>a_x0009_b</t></is></c>`+
		`<c t="str"><v>c_x000D__x000A_d</v></c><c t="inlineStr"><is><t>_x005F_x000D_</t></is></c></row>`, "", "")
	if got, want := rowsOf(t, XLSX, content), "Sheet11[a b·c d·_x000D_]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCodesThatBecameNumbersAreNoted: 12E4 is stored as 120000.
func TestCodesThatBecameNumbersAreNoted(t *testing.T) {
	t.Parallel()
	const styles = `<styleSheet ` + space + `><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="11"/></cellXfs>` +
		`</styleSheet>`
	for cell, want := range map[string]string{
		`<c r="A1" s="1"><v>120000</v></c>`:  "Sheet11[120000] imprecise_number@1",
		`<c r="A1"><v>1.2E5</v></c>`:         "Sheet11[120000]",
		`<c r="A1" s="1"><v>1234567</v></c>`: "Sheet11[1234567]",
	} {
		if got := rowsOf(t, XLSX, sheeted(t, `<row r="1">`+cell+`</row>`, "", styles)); got != want {
			t.Errorf("%s is %s, want %s", cell, got, want)
		}
	}
}

// TestPartsOfWorkbooksAreFoundByTheirRelations and not by their names.
func TestPartsOfWorkbooksAreFoundByTheirRelations(t *testing.T) {
	t.Parallel()
	const kind = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	content := zipped(t, map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"_rels/.rels": relations + `<Relationship Id="rId1" Type="` + kind + `officeDocument" ` +
			`Target="/xl/workbook22.xml"/></Relationships>`,
		"xl/workbook22.xml": `<workbook ` + space + ` xmlns:r="` + kind[:len(kind)-1] + `">` +
			`<sheets><sheet name="A" sheetId="1" r:id="rId7"/></sheets></workbook>`,
		"xl/_rels/workbook22.xml.rels": relations + `<Relationship Id="rId7" Type="` + kind + `worksheet" ` +
			`Target="worksheets/s.xml"/><Relationship Id="rId8" Type="` + kind + `sharedStrings" Target="strings.xml"/>` +
			`</Relationships>`,
		"xl/worksheets/s.xml": `<worksheet ` + space + `><sheetData><row r="1"><c t="s"><v>0</v></c></row></sheetData>` +
			`</worksheet>`,
		"xl/strings.xml": `<sst ` + space + `><si><t>P1</t></si></sst>`,
	})
	if got, want := rowsOf(t, XLSX, content), "A1[P1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
