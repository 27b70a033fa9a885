package web

import (
	"archive/zip"
	"bytes"
	"cmp"
	"embed"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
)

// tableFile is a file for spreadsheets that is written row by row, without keeping any.
type tableFile interface {
	row(cells ...any) error
	end(about ...any) error // completes the file with a row that says what it contains
}

// csvFile is CSV.
type csvFile struct{ *csv.Writer }

func newCSV(w io.Writer) (tableFile, error) {
	_, err := io.WriteString(w, "\ufeff") // a spreadsheet takes it for UTF-8
	return csvFile{csv.NewWriter(w)}, err
}

func (f csvFile) row(cells ...any) error {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = plaintext.Cell(fmt.Sprint(cmp.Or(cell, any(""))))
	}
	return f.Write(texts)
}

func (f csvFile) end(about ...any) error {
	_ = f.row(about...) // Error returns it
	f.Flush()
	return f.Error()
}

// xlsxFile is XLSX with the sheets List and About. Cells are typed: a label such as "0012" or
// "=A1" is a text and nothing else.
type xlsxFile struct {
	*zip.Writer
	sheet io.Writer // that is being written
	rows  int
}

// xlsxParts are the parts of every XLSX file.
//
//go:embed xlsx
var xlsxParts embed.FS

func newXLSX(w io.Writer) (tableFile, error) {
	f := &xlsxFile{Writer: zip.NewWriter(w)}
	var errs []error
	for _, part := range [][2]string{
		{"[Content_Types].xml", "types"},
		{"_rels/.rels", "package"},
		{"xl/_rels/workbook.xml.rels", "sheets"},
		{"xl/workbook.xml", "workbook"},
	} {
		content, err := xlsxParts.ReadFile("xlsx/" + part[1] + ".xml")
		errs = append(errs, err, f.begin(part[0], string(content)))
	}
	return f, errors.Join(append(errs, f.begin("xl/worksheets/sheet1.xml", sheetStart))...)
}

const (
	sheetStart = xml.Header +
		`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`
	sheetEnd = "</sheetData></worksheet>"
	maxRows  = 1 << 20 // of a sheet
)

// begin begins a part of the file.
func (f *xlsxFile) begin(name, content string) (err error) {
	if f.sheet, err = f.Create(name); err == nil {
		_, err = io.WriteString(f.sheet, content)
	}
	return err
}

// escape is what a spreadsheet takes for an escaped character.
var escape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

func (f *xlsxFile) row(cells ...any) error {
	var row bytes.Buffer
	for _, cell := range cells {
		switch cell := cell.(type) {
		case nil:
			row.WriteString("<c/>")
		case string:
			row.WriteString(`<c t="inlineStr"><is><t xml:space="preserve">`)
			_ = xml.EscapeText(&row, escape.ReplaceAll([]byte(cell), []byte("_x005F$0"))) // a buffer takes everything
			row.WriteString("</t></is></c>")
		default:
			_, _ = fmt.Fprintf(&row, "<c><v>%v</v></c>", cell)
		}
	}
	if f.rows++; f.rows > maxRows {
		return fmt.Errorf("a sheet has at most %d rows", maxRows)
	}
	_, err := fmt.Fprintf(f.sheet, "<row>%s</row>\n", &row)
	return err
}

func (f *xlsxFile) end(about ...any) error {
	_, err := io.WriteString(f.sheet, sheetEnd)
	f.rows = 0
	err = errors.Join(err, f.begin("xl/worksheets/sheet2.xml", sheetStart), f.row(about...))
	_, last := io.WriteString(f.sheet, sheetEnd)
	return errors.Join(err, last, f.Close())
}
