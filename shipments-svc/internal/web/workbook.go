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
	"time"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
)

// tableFile is a file for spreadsheets that is written row by row, without keeping any.
type tableFile interface {
	row(cells ...any) error
	end(about ...any) error // completes the file with a row that says what it contains
}

// sheetColumn is a column with its width in characters.
type sheetColumn struct {
	heading string
	width   int
}

// sheetColumns returns columns of a width.
func sheetColumns(width int, headings ...string) (columns []sheetColumn) {
	for _, heading := range headings {
		columns = append(columns, sheetColumn{heading, width})
	}
	return columns
}

// day is a cell with a date, as a time.Time is one with a time.
type day time.Time

// dayCell returns the cell of a date as it is stored: of one that is none a text.
func dayCell(text string) any {
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return day(at)
	}
	return text
}

// csvFile is CSV.
type csvFile struct{ *csv.Writer }

func newCSV(w io.Writer, columns []sheetColumn) (tableFile, error) {
	_, err := io.WriteString(w, "\ufeff") // a spreadsheet takes it for UTF-8
	f := csvFile{csv.NewWriter(w)}
	return f, errors.Join(err, f.row(headings(columns)...))
}

func headings(columns []sheetColumn) (cells []any) {
	for _, c := range columns {
		cells = append(cells, c.heading)
	}
	return cells
}

func (f csvFile) row(cells ...any) error {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		switch at := cell.(type) {
		case time.Time:
			cell = at.UTC().Format("2006-01-02 15:04")
		case day:
			cell = time.Time(at).Format(time.DateOnly)
		}
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
	sheet         io.Writer // that is being written
	columns, rows int       // of the sheet; columns are at most 26
	style         int       // of texts
}

// xlsxParts are the parts of every XLSX file.
//
//go:embed xlsx
var xlsxParts embed.FS

func newXLSX(w io.Writer, columns []sheetColumn) (tableFile, error) {
	f := &xlsxFile{Writer: zip.NewWriter(w), columns: len(columns)}
	var errs []error
	for _, part := range [][2]string{
		{"[Content_Types].xml", "types"},
		{"_rels/.rels", "package"},
		{"xl/_rels/workbook.xml.rels", "sheets"},
		{"xl/workbook.xml", "workbook"},
		{"xl/styles.xml", "styles"},
	} {
		content, err := xlsxParts.ReadFile("xlsx/" + part[1] + ".xml")
		errs = append(errs, err, f.begin(part[0], string(content)))
	}
	var start bytes.Buffer
	start.WriteString(sheetStart + `<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" ` +
		`activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`)
	for i, c := range columns {
		_, _ = fmt.Fprintf(&start, `<col min="%d" max="%[1]d" width="%d" customWidth="1"/>`, i+1, c.width)
	}
	errs = append(errs, f.begin("xl/worksheets/sheet1.xml", start.String()+"</cols><sheetData>"))
	f.style = headingStyle
	errs = append(errs, f.row(headings(columns)...))
	f.style = 0
	return f, errors.Join(errs...)
}

const (
	sheetStart = xml.Header + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`
	sheetEnd   = "</worksheet>"
	maxRows    = 1 << 20 // of a sheet
)

// Styles of cells, in xlsx/styles.xml.
const (
	headingStyle = 1
	dayStyle     = 2
	timeStyle    = 3
)

// serial returns a time as spreadsheets count it: in days since 30 December 1899.
func serial(t time.Time) float64 { return float64(t.Unix())/(24*60*60) + 25569 }

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
			_, _ = fmt.Fprintf(&row, `<c t="inlineStr" s="%d"><is><t xml:space="preserve">`, f.style)
			_ = xml.EscapeText(&row, escape.ReplaceAll([]byte(cell), []byte("_x005F$0"))) // a buffer takes everything
			row.WriteString("</t></is></c>")
		case day:
			_, _ = fmt.Fprintf(&row, `<c s="%d"><v>%v</v></c>`, dayStyle, serial(time.Time(cell)))
		case time.Time:
			_, _ = fmt.Fprintf(&row, `<c s="%d"><v>%v</v></c>`, timeStyle, serial(cell))
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
	corner := fmt.Sprintf("%c%d", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[f.columns-1], f.rows)
	_, err := fmt.Fprintf(f.sheet, `</sheetData><autoFilter ref="A1:%s"/>%s`, corner, sheetEnd)
	f.rows = 0
	err = errors.Join(err, f.begin("xl/worksheets/sheet2.xml", sheetStart+"<sheetData>"), f.row(about...))
	_, last := io.WriteString(f.sheet, "</sheetData>"+sheetEnd)
	return errors.Join(err, last, f.Close())
}
