package tables

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// samples returns the files of the collection with an extension.
func samples(tb testing.TB, ext string) (all [][]byte) {
	tb.Helper()
	files, err := filepath.Glob("../packinglist/testdata/*/*" + ext)
	if err != nil || len(files) == 0 {
		tb.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, content)
	}
	return all
}

// withinLimits fails if reading exceeds a limit, or returns an error other than
// Unreadable and the context's.
func withinLimits(t *testing.T, kind Kind, content []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	book, err := Read(ctx, kind, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		if _, ok := errors.AsType[*Unreadable](err); !ok {
			t.Fatal(err)
		}
		return
	}
	rows, cells := 0, 0
	for _, table := range book.Tables {
		before := 0
		for _, row := range table.Rows {
			if row.Number <= before || len(row.Cells) == 0 || len(row.Cells) > MaxColumns {
				t.Errorf("%s: row %d of %d cells follows row %d", table.Name, row.Number, len(row.Cells), before)
			}
			before = row.Number
			rows, cells = rows+1, cells+len(row.Cells)
			for _, c := range row.Cells {
				if again, cut := clean(c.Text); len(c.Text) > MaxText+3 || again != c.Text && !cut {
					t.Errorf("%q is not clean", c.Text)
				}
			}
		}
	}
	if rows > MaxRows || cells > MaxCells || len(book.Notes) > maxNotes {
		t.Errorf("%d rows, %d cells, %d notes", rows, cells, len(book.Notes))
	}
}

// FuzzXLSX: no workbook panics or exceeds a limit.
func FuzzXLSX(f *testing.F) {
	for _, content := range samples(f, ".xlsx") {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) { withinLimits(t, XLSX, content) })
}

// FuzzSheetXML: no part of a workbook panics or exceeds a limit.
func FuzzSheetXML(f *testing.F) {
	const texts = `<sst ` + space + `><si><t>Pallet No</t></si><si><r><t>Net</t></r><r><t> kg</t></r></si></sst>`
	const styles = `<styleSheet ` + space + `><numFmts><numFmt numFmtId="164" formatCode="0.00&quot; kg&quot;"/></` +
		`numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>`
	for _, sheet := range []string{
		`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row r="3" hidden="1"><c r="B3"><v>` +
			`1.06E17</v></c></row>`,
		`<row><c t="inlineStr"><is><t>x</t></is></c><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c><c ` +
			`s="1"><f>A1*2</f><v>4</` +
			`v></c><c s="2"><v>45942</v></c><c><f>B1</f></c></row>`,
		`<row r="1048576"><c r="XFD1048576"><v>1</v></c></row><row r="2"/>`,
		`</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/><mergeCell ref="B2:A1"/></mergeCells><sheetData>`,
		`</sheetData><cols><col min="2" max="99999999999" hidden="1"/><col min="x" max="1" width="0"/></cols><sheetData>` +
			`<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>`,
	} {
		f.Add([]byte(sheet), []byte(texts), []byte(styles))
	}
	f.Fuzz(func(t *testing.T, sheet, texts, styles []byte) {
		withinLimits(t, XLSX, sheeted(t, string(sheet), string(texts), string(styles)))
	})
}

const space = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`

// sheeted returns a workbook of one sheet from the XML of its rows, texts and
// styles.
func sheeted(tb testing.TB, rows, texts, styles string) []byte {
	tb.Helper()
	return zipped(tb, map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="rId1" ` +
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" ` +
			`Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook ` + space + ` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/` +
			`relationships">` +
			`<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" ` +
			`Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml": `<worksheet ` + space + `><sheetData>` + rows + `</sheetData></worksheet>`,
		"xl/sharedStrings.xml":     texts,
		"xl/styles.xml":            styles,
	})
}

// zipped packs files into an archive.
func zipped(tb testing.TB, files map[string]string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range files {
		if content == "" {
			continue
		}
		part, err := w.Create(name)
		if err == nil {
			_, err = part.Write([]byte(content))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// FuzzPDF: no PDF panics or exceeds a limit.
func FuzzPDF(f *testing.F) {
	for _, content := range samples(f, ".pdf") {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) { withinLimits(t, PDF, content) })
}

// printed returns a PDF of one page with further entries, content and forms /X1 and
// so on.
func printed(entries string, content []byte, forms ...[]byte) []byte {
	var b bytes.Buffer
	offsets := []int{0}
	object := func(text string) {
		offsets = append(offsets, b.Len())
		b.WriteString(strconv.Itoa(len(offsets)-1) + " 0 obj\n" + text + "\nendobj\n")
	}
	stream := func(entries string, content []byte) {
		object("<<" + entries + "/Length " + strconv.Itoa(len(content)) + ">>stream\n" + string(content) + "\nendstream")
	}
	names := ""
	for i := range forms {
		names += fmt.Sprintf("/X%d %d 0 R", i+1, i+6)
	}
	resources := "/Resources<</Font<</F1 5 0 R>>/XObject<<" + names + ">>>>"
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R" + resources + entries + ">>")
	stream("", content)
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	for _, form := range forms {
		stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Matrix[1 0 0 1 10 0]"+resources, form)
	}
	start := b.Len()
	b.WriteString("xref\n0 " + strconv.Itoa(len(offsets)) + "\n0000000000 65535 f \n")
	for _, offset := range offsets[1:] {
		b.WriteString(fmt.Sprintf("%010d", offset) + " 00000 n \n")
	}
	b.WriteString(
		"trailer<</Size " + strconv.Itoa(len(offsets)) + "/Root 1 0 R>>\nstartxref\n" + strconv.Itoa(start) + "\n%%EOF\n",
	)
	return b.Bytes()
}
