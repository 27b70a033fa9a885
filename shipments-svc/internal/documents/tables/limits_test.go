package tables

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/go-pdf/fpdf"
	"github.com/xuri/excelize/v2"
)

// booked returns a workbook that fill has filled.
func booked(t *testing.T, fill func(*excelize.File) error) []byte {
	t.Helper()
	f := excelize.NewFile()
	if err := fill(f); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// paged returns a PDF of several pages.
func paged(t *testing.T, pages int) []byte {
	t.Helper()
	p := fpdf.New("P", "mm", "A4", "")
	p.SetFont("Helvetica", "", 8)
	for i := range pages {
		p.AddPage()
		p.CellFormat(0, 5, fmt.Sprintf("Page %d", i+1), "", 1, "L", false, 0, "")
	}
	var b bytes.Buffer
	if err := p.Output(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// drawn returns a PDF with a compressed drawing.
func drawn(t *testing.T, drawing string) []byte {
	t.Helper()
	p := fpdf.New("P", "mm", "A4", "")
	p.AddPage()
	p.RawWriteStr(drawing)
	var b bytes.Buffer
	if err := p.Output(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestUnreadableCodes(t *testing.T) {
	t.Parallel()
	sheets := func(n int) []byte {
		return booked(t, func(f *excelize.File) error {
			for i := range n - 1 {
				if _, err := f.NewSheet(fmt.Sprintf("S%d", i)); err != nil {
					return err
				}
			}
			return f.SetCellValue("Sheet1", "A1", "x")
		})
	}
	cutOff := booked(t, func(f *excelize.File) error { return f.SetCellValue("Sheet1", "A1", "x") })
	for name, c := range map[string]struct {
		kind    Kind
		content []byte
		want    string
	}{
		"50 sheets":          {XLSX, sheets(MaxSheets), "Sheet11[x]"},
		"51 sheets":          {XLSX, sheets(MaxSheets + 1), TooManySheets},
		"zip bomb":           {XLSX, declaring(t, MaxUnpacked+1, []byte(" ")), Malformed},
		"zip bomb that lies": {XLSX, declaring(t, 1, []byte("much more than that")), Malformed},
		"rows are many":      {XLSX, manyRows(t, MaxRows+1), TooManyRows},
		"a row there cannot be": {
			XLSX, sheeted(t,
				`<row r="1"><c r="A1"><v>1</v></c></row><row r="2147483647"><c><v>1</v></c></row>`, "", ""),
			Malformed,
		},
		"cut off workbook":     {XLSX, cutOff[:len(cutOff)-40], Malformed},
		"no workbook":          {XLSX, []byte("PK\x03\x04 and nothing more"), Malformed},
		"200 pages":            {PDF, paged(t, MaxPages), ""},
		"201 pages":            {PDF, paged(t, MaxPages+1), TooManyPages},
		"a PDF of much memory": {PDF, drawn(t, strings.Repeat("0 0 m\n", 10<<20)), TooMuchMemory},
		"201 pages of text":    {CSV, []byte(strings.Repeat("a  b  c\n\f", MaxPages+1) + "d"), TooManyPages},
		"no PDF":               {PDF, []byte("%PDF-1.7 and nothing more"), Malformed},
		"PDF 2.0 within rubbish": {
			PDF, append([]byte("\r\n\r\n"), append(bytes.Replace(printed("",
				[]byte("BT /F1 8 Tf 50 700 Td (Pallet) Tj ET")), []byte("%PDF-1.4"), []byte("%PDF-2.0"), 1),
				"\n\nrubbish"...)...),
			"page 11[Pallet]",
		},
		"nothing, as a workbook":  {XLSX, nil, Malformed},
		"nothing, as a PDF":       {PDF, nil, Malformed},
		"a format there is not":   {"docx", nil, Malformed},
		"a picture, as a PDF":     {PDF, []byte("\x89PNG\r\n"), Malformed},
		"a PDF, as a workbook":    {XLSX, paged(t, 1), Malformed},
		"a workbook, as CSV text": {CSV, sheets(1), WrongEncoding},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := rowsOf(t, c.kind, c.content); got != c.want &&
				(c.want != "" || !strings.HasSuffix(got, "page 2001[Page 200]")) {
				t.Errorf("%.200s, want %s", got, c.want)
			}
		})
	}
}

// TestCirclesInPDFsEnd: objects that refer to each other in a circle are no work without an end.
func TestCirclesInPDFsEnd(t *testing.T) {
	t.Parallel()
	whole := string(printed("", []byte("BT /F1 8 Tf 50 700 Td (Pallet) Tj ET")))
	previous := fmt.Sprintf("/Prev %d/Root", strings.LastIndex(whole, "\nxref")+1)
	for name, c := range map[string]struct {
		replacements []string
		want         string
	}{
		"a table of objects":   {[]string{"/Root", previous}, "page 11[Pallet]"},
		"a node of pages":      {[]string{"/Kids[3 0 R]/Count 1", "/Kids[2 0 R]/Count 9"}, Malformed},
		"the parent of a page": {[]string{"/Parent 2 0 R", "/Parent 3 0 R"}, "page 11[Pallet]"},
	} {
		content := strings.NewReplacer(c.replacements...).Replace(whole)
		if got := rowsOf(t, PDF, []byte(content)); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// manyRows is a workbook of n rows.
func manyRows(t *testing.T, n int) []byte {
	t.Helper()
	return sheeted(t, strings.Repeat("<row><c><v>1</v></c></row>", n), "", "")
}

// declaring returns an archive with a part whose declared size is size.
func declaring(t *testing.T, size uint64, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	part, err := w.CreateRaw(
		&zip.FileHeader{
			Name:               "xl/worksheets/sheet1.xml",
			UncompressedSize64: size,
			CompressedSize64:   uint64(len(content)),
			CRC32:              crc32.ChecksumIEEE(content),
		},
	)
	if err == nil {
		_, err = part.Write(content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPagesEndWithTheirContext: also those without a text, which have no rows.
func TestPagesEndWithTheirContext(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	content := drawn(t, "0 0 m 9 9 l S")
	if _, err := Read(over, PDF, bytes.NewReader(content), int64(len(content))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestStoredCells: stored numbers, merged cells and hidden content.
func TestStoredCells(t *testing.T) {
	t.Parallel()
	content := booked(t, func(f *excelize.File) error {
		format := `0.00" kg"`
		style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
		return errors.Join(
			err,
			f.SetSheetRow("Sheet1", "A1", &[]any{"Net", nil, "Lot"}),
			f.MergeCell("Sheet1", "A1", "B1"),
			f.SetSheetRow("Sheet1", "A2", &[]any{4.5, 106141412345678900, "x"}),
			f.SetCellStyle("Sheet1", "A2", "A2", style),
			f.SetSheetRow("Sheet1", "A3", &[]any{"hidden"}),
			f.SetRowVisible("Sheet1", 3, false),
			f.SetCellFormula("Sheet1", "D4", "A2*2"),
			f.SetCellValue("Sheet1", "C4", "y"),
			f.MergeCell("Sheet1", "C4", "C6"),
			f.SetCellValue("Sheet1", "A6", "z"),
		)
	})
	const want = "Sheet11[Net·Net·Lot]Sheet12[4.50 kg·106141412345678900·x]Sheet14[··y]Sheet16[z··y] " +
		"imprecise_number@2 hidden_rows_skipped@3 formula_without_value@4"
	if got := rowsOf(t, XLSX, content); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	book, err := Read(t.Context(), XLSX, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	rows := book.Tables[0].Rows
	if !rows[0].Cells[1].Merged || rows[0].Cells[0].Merged || !rows[3].Cells[2].Merged ||
		rows[1].Cells[0].Number != "4.5" ||
		rows[1].Cells[2].Number != "" {
		t.Errorf("%+v", rows)
	}
}

// TestHiddenColumns are not read, by attribute or by a width of zero, and noted once
// in each sheet.
func TestHiddenColumns(t *testing.T) {
	t.Parallel()
	content := booked(t, func(f *excelize.File) error {
		return errors.Join(
			f.SetSheetRow("Sheet1", "A1", &[]any{"a", "b", "c", "d", "e"}),
			f.SetSheetRow("Sheet1", "A2", &[]any{1, 2, 3, 4, 5}),
			f.SetColVisible("Sheet1", "B:C", false),
			f.SetColWidth("Sheet1", "E", "E", 0),
		)
	})
	const want = "Sheet11[a···d]Sheet12[1···4] hidden_columns_skipped@1"
	if got := rowsOf(t, XLSX, content); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLongTextsAreCut at a character, and noted.
func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Repeat("x", MaxText):                                      strings.Repeat("x", MaxText),
		strings.Repeat("x", MaxText+1):                                    strings.Repeat("x", MaxText),
		strings.Repeat("x", MaxText-1) + "é":                              strings.Repeat("x", MaxText-1),
		strings.Repeat("x", MaxText-2) + "é":                              strings.Repeat("x", MaxText-2) + "é",
		strings.Repeat("\xbf", MaxText+1) + "x":                           "\uFFFD",
		" " + strings.Repeat("x", 2) + "  y ":                             "xx y",
		"x" + strings.Repeat("\u200b", 3) + strings.Repeat("\n", 2) + "y": "x y",
	} {
		if got, cut := clean(text); got != want && (want != "\uFFFD" || strings.Trim(got, "\uFFFD") != "") ||
			cut != (len(text) > MaxText) {
			t.Errorf("%.20q of %d bytes is %.20q of %d, cut %t", text, len(text), got, len(got), cut)
		}
	}
}

func TestUnreadableSaysWhy(t *testing.T) {
	t.Parallel()
	bad := &Unreadable{Code: TooLarge, Detail: "the document has more than 64 MiB"}
	if got := bad.Error(); got != "too_large_unzipped: the document has more than 64 MiB" {
		t.Error(got)
	}
}

// TestPDFTextIsJoined: of strings, arrays of strings with offsets, and single
// characters, by fonts without widths.
func TestPDFTextIsJoined(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"BT /F1 8 Tf 50 700 Td (Pallet No) Tj 100 0 Td (Boxes) Tj 0 -12 Td (264) Tj ET": "page 11[Pallet No·Boxes]" +
			"page 12[264]",
		"BT /F1 8 Tf 50 700 Td [(Pal) 20 (let N) -15 (o)] TJ 100 0 Td [(B) 10 (oxes)] TJ ET": "page 11" +
			"[Pallet No·Boxes]",
		"BT /F1 8 Tf 50 700 Td (2) Tj 4.5 0 Td (6) Tj 4.5 0 Td (4) Tj 12 0 Td (x) Tj ET": "page 11[264·x]",
		"BT /F1 8 Tf 50 700 Td (bold) Tj ET BT /F1 8 Tf 50.3 700 Td (bold) Tj ET":        "page 11[bold]",
		"BT /F1 8 Tf 50 700 Td (low) Tj 0 20 Td (high) Tj ET":                            "page 11[high]page 12[low]",
		"q 2 0 0 2 10 10 cm BT /F1 8 Tf 1 0 0 1 50 300 Tm (scaled) Tj ET Q":              "page 11[scaled]",
		"BT /F1 8 Tf 50 700 Td <50616C6C6574> Tj ET":                                     "page 11[Pallet]",
		"BT /F1 8 Tf 50 700 Td (never closed":                                            NoTextLayer,
		"BT /F1 8 Tf 100 Tz 12 TL 50 700 Td (one) Tj T* (two) Tj (three) ' ET": "page 11[one]page 12[two]page " +
			"13[three]",
		"BT /F1 8 Tf 50 700 Td (one) Tj 0 -12 TD (two) Tj T* (three) Tj ET": "page 11[one]page 12[two]page " +
			"13[three]",
		"BT /F1 8 Tf 2 Tc 50 700 Td (Pallet No) Tj 150 0 Td (Boxes) Tj ET": "page 11[Pallet No·Boxes]",
		"BT /F1 8 Tf 50 Tz 50 700 Td (narrow) Tj 60 0 Td (x) Tj ET":        "page 11[narrow·x]",
		"q Q Q Q": NoTextLayer,
		"BT /F1 8 Tf 50 700 Td (Boxes) Tj ET BT /F1 40 Tf .7 .7 -.7 .7 50 690 Tm (DRAFT) Tj ET": "page 11[Boxes] " +
			"turned_text_skipped@0",
		"": NoTextLayer,
	} {
		if got := rowsOf(t, PDF, printed("", []byte(content))); got != want {
			t.Errorf("%s is %s, want %s", content, got, want)
		}
	}
}

// TestFormsAreDrawn at their place, with the fonts of the page, and nested.
func TestFormsAreDrawn(t *testing.T) {
	t.Parallel()
	const text = "BT /F1 8 Tf 50 700 Td (Pallet) Tj ET"
	for _, c := range []struct{ content, form, other, want string }{
		{"/X1 Do", text, "", "page 11[Pallet]"},
		{
			"q 1 0 0 1 0 -20 cm /X1 Do Q " + text + " q 1 0 0 1 60 0 cm /X1 Do Q", text, "",
			"page 11[Pallet·Pallet]page 12[Pallet]",
		},
		{"/X1 Do BT 50 600 Td (after) Tj ET", text, "", "page 11[Pallet]"}, // its font is gone with it
		{"/X1 Do", "q 1 0 0 1 100 0 cm /X2 Do Q /X2 Do", text, "page 11[Pallet·Pallet]"},
		{text + " /X3 Do /F1 Do", "", "", "page 11[Pallet]"},
		{"/X1 Do", "/X1 Do", "", NoTextLayer},
	} {
		if got := rowsOf(t, PDF, printed("", []byte(c.content), []byte(c.form), []byte(c.other))); got != c.want {
			t.Errorf("%s, %s, %s is %s, want %s", c.content, c.form, c.other, got, c.want)
		}
	}
}

// TestRotatedPages: the text of a rotated page runs upwards or downwards.
func TestRotatedPages(t *testing.T) {
	t.Parallel()
	for entries, turned := range map[string]string{
		"":           "1 0 0 1 50 700 Tm (Pallet) Tj 1 0 0 1 150 700 Tm (Boxes) Tj 1 0 0 1 50 680 Tm (264) Tj",
		"/Rotate 90": "0 1 -1 0 100 50 Tm (Pallet) Tj 0 1 -1 0 100 150 Tm (Boxes) Tj 0 1 -1 0 120 50 Tm (264) Tj",
		"/Rotate 180": "-1 0 0 -1 500 100 Tm (Pallet) Tj " +
			"-1 0 0 -1 400 100 Tm (Boxes) Tj -1 0 0 -1 500 120 Tm (264) Tj",
		"/Rotate 270":  "0 -1 1 0 400 700 Tm (Pallet) Tj 0 -1 1 0 400 600 Tm (Boxes) Tj 0 -1 1 0 380 700 Tm (264) Tj",
		"/Rotate -90 ": "0 -1 1 0 400 700 Tm (Pallet) Tj 0 -1 1 0 400 600 Tm (Boxes) Tj 0 -1 1 0 380 700 Tm (264) Tj",
	} {
		if got := rowsOf(t, PDF, printed(entries,
			[]byte("BT /F1 8 Tf "+turned+" ET"))); got != "page 11[Pallet·Boxes]page 12[264]" {
			t.Errorf("%s is %s", entries, got)
		}
	}
}
