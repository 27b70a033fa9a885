package packinglist

import (
	"testing"

	"github.com/go-pdf/fpdf"
	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// The formats that are read.
const (
	CSV  = tables.CSV
	XLSX = tables.XLSX
	PDF  = tables.PDF
)

// workbook builds a workbook.
type workbook struct {
	t     *testing.T
	f     *excelize.File
	sheet string
	row   int // the last row written
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
