package packinglist

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pdf/fpdf"
	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// The formats that are read.
const (
	CSV  = tables.CSV
	XLSX = tables.XLSX
	PDF  = tables.PDF
)

// Kind is the format of a document.
type Kind = tables.Kind

// kindOf returns the format of a file.
func kindOf(file string) Kind {
	kind := Kind(strings.TrimPrefix(filepath.Ext(file), "."))
	return cmp.Or(map[Kind]Kind{"txt": CSV, "tsv": CSV, "xlsm": XLSX}[kind], kind)
}

// readAs reads a packing list, and returns what the service has of it.
func readAs[Content string | []byte](
	ctx context.Context, kind Kind, content Content, given ...list.Assignment,
) (shipments.Reading, error) {
	o := Options{Kind: kind, Size: int64(len(content)), Given: given}
	read, err := Read(ctx, strings.NewReader(string(content)), o)
	return served(read), err
}

// factsOf reads the facts of another document.
func factsOf[Content string | []byte](ctx context.Context, kind Kind, content Content) (shipments.Reading, error) {
	o := Options{Kind: kind, Size: int64(len(content)), Facts: true}
	read, err := Read(ctx, strings.NewReader(string(content)), o)
	return served(read), err
}

// served returns a reading with the types of the service, whose checks the tests make.
func served(read Reading) (of shipments.Reading) {
	text, err := json.Marshal(read)
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err != nil {
		panic(err)
	}
	for i, p := range read.Pallets {
		of.Pallets[i].Source = shipments.Source{Sheet: p.Source.Sheet, Row: p.Source.Row}
	}
	return of
}

// workbook builds a workbook.
type workbook struct {
	t     *testing.T
	f     *excelize.File
	sheet string
	row   int // the last row written
}

// newWorkbook returns an empty workbook, to which rows are added.
func newWorkbook(t *testing.T, rows ...[]any) *workbook {
	t.Helper()
	w := &workbook{t: t, f: excelize.NewFile(), sheet: "Sheet1"}
	w.add(rows...)
	return w
}

// bytes returns the file.
func (w *workbook) bytes() []byte {
	w.t.Helper()
	var b bytes.Buffer
	w.check(w.f.Write(&b))
	return b.Bytes()
}

func (w *workbook) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// add writes rows: nil is an empty cell.
func (w *workbook) add(rows ...[]any) {
	for _, row := range rows {
		w.row++
		for col, v := range row {
			if v == nil {
				continue
			}
			name, err := excelize.CoordinatesToCellName(col+1, w.row)
			w.check(err)
			w.check(w.f.SetCellValue(w.sheet, name, v))
		}
	}
}

func (w *workbook) merge(from, to string) { w.check(w.f.MergeCell(w.sheet, from, to)) }

// format gives a range of cells a number format.
func (w *workbook) format(from, to, format string) {
	style, err := w.f.NewStyle(&excelize.Style{CustomNumFmt: &format})
	w.check(err)
	w.check(w.f.SetCellStyle(w.sheet, from, to, style))
}

// page builds a PDF.
type page struct {
	*fpdf.Fpdf
	widths []float64
	utf8   func(string) string
}

func newPDF() page {
	p := page{Fpdf: fpdf.New("L", "mm", "A4", "")}
	p.utf8 = p.UnicodeTranslatorFromDescriptor("")
	p.SetFont("Helvetica", "", 8)
	p.AddPage()
	return p
}

// text writes a line of text.
func (p page) text(line string) { p.CellFormat(0, 5, p.utf8(line), "", 1, "L", false, 0, "") }
