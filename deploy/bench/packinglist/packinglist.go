// Package packinglist generates packing lists for benchmarks.
package packinglist

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"strconv"
	"strings"
)

var headings = []string{"Pallet no", "Variety", "Calibre", "Cartons", "Net weight per carton (kg)"}

// Table returns a packing list of n pallets with random SSCCs.
func Table(n int) [][]string {
	table := [][]string{headings}
	start := rand.IntN(900_000_000) //nolint:gosec // G404: a label is no secret
	for i := range n {
		table = append(table, []string{sscc(start + i), "Avocado Hass", strconv.Itoa(14 + 2*(i%6)), strconv.Itoa(240 + i%40), "4.0"})
	}
	return table
}

// sscc returns the serial shipping container code of a number: 17 digits and
// their check digit (GS1 General Specifications, 7.9).
func sscc(number int) string {
	code := fmt.Sprintf("1%s%09d", "0614141", number)
	sum := 0
	for i, digit := range code {
		sum += int(digit-'0') * (3 - 2*(i%2))
	}
	return code + strconv.Itoa((10-sum%10)%10)
}

// CSV returns a table as a CSV file.
func CSV(table [][]string) []byte {
	var out bytes.Buffer
	_ = csv.NewWriter(&out).WriteAll(table) // a bytes.Buffer does not fail
	return out.Bytes()
}

// XLSX returns a table as a workbook of one sheet, with shared strings and
// numbers as numbers, as spreadsheet programs write it.
func XLSX(table [][]string) []byte {
	var rows, texts strings.Builder
	known := map[string]int{}
	for r, row := range table {
		fmt.Fprintf(&rows, `<row r="%d">`, r+1)
		for c, cell := range row {
			at := fmt.Sprintf("%c%d", 'A'+c, r+1)
			if r > 0 && c >= 3 {
				fmt.Fprintf(&rows, `<c r="%s"><v>%s</v></c>`, at, cell)
				continue
			}
			if _, ok := known[cell]; !ok {
				known[cell] = len(known)
				texts.WriteString(`<si><t>`)
				_ = xml.EscapeText(&texts, []byte(cell))
				texts.WriteString(`</t></si>`)
			}
			fmt.Fprintf(&rows, `<c r="%s" t="s"><v>%d</v></c>`, at, known[cell])
		}
		rows.WriteString(`</row>`)
	}
	const (
		main     = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
		packages = `http://schemas.openxmlformats.org/package/2006/`
		office   = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
		media    = `application/vnd.openxmlformats-officedocument.spreadsheetml.`
	)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="` + packages + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + media + `sheet.main+xml"/>` +
			`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + media + `worksheet+xml"/>` +
			`<Override PartName="/xl/sharedStrings.xml" ContentType="` + media + `sharedStrings+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + packages + `relationships"><Relationship Id="rId1" Type="` + office + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook ` + main + ` xmlns:r="` + office + `"><sheets><sheet name="Packing list" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packages + `relationships"><Relationship Id="rId1" Type="` + office + `/worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Type="` + office + `/sharedStrings" Target="sharedStrings.xml"/></Relationships>`},
		{"xl/worksheets/sheet1.xml", `<worksheet ` + main + `><sheetData>` + rows.String() + `</sheetData></worksheet>`},
		{"xl/sharedStrings.xml", fmt.Sprintf(`<sst %s uniqueCount="%d">%s</sst>`, main, len(known), texts.String())},
	} {
		file, _ := w.Create(part[0]) // a bytes.Buffer does not fail
		_, _ = file.Write([]byte(part[1]))
	}
	_ = w.Close()
	return out.Bytes()
}

// Form returns a file as the multipart form of an upload, and its media type.
func Form(filename string, content []byte) (mediaType string, body []byte) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("type", "packing_list") // a bytes.Buffer does not fail
	file, _ := w.CreateFormFile("file", filename)
	_, _ = file.Write(content)
	_ = w.Close()
	return w.FormDataContentType(), form.Bytes()
}
