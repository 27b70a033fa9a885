package web

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// workbook is a table that people open in a spreadsheet. Cells of XLSX are typed: a label
// such as "0012" or "=A1" is a text and nothing else.
type workbook struct {
	name  string // of the file, without its extension
	sheet string
	rows  [][]any
	csv   bool // it is sent as CSV, and otherwise as XLSX
}

// palletHeadings are those of exportPallets, in the order of its cells.
var palletHeadings = []any{
	"Pallet", "Produce", "Calibre", "Boxes", "Box weight, kg", "Net weight, kg", "Gross weight, kg", "SSCC", "GTIN", "Lot",
	"Orchard", "PUC", "PHC", "GGN", "Grower", "Harvested", "Packed", "Recorder", "Container", "Seal",
}

// exportPallets returns a row for each line of each pallet of the shipment in the path.
func (s *site) exportPallets(ctx context.Context, v *visit) (answer, error) {
	found, err := s.get(ctx, v)
	if err != nil {
		return answer{}, err
	}
	rows := [][]any{palletHeadings}
	for _, p := range found.Pallets {
		lines := p.Contents
		if lines == nil {
			lines = []shipments.Content{p.Content()}
		}
		for _, c := range lines {
			rows = append(rows, []any{
				p.Number, c.ProduceName, c.Calibre, c.Boxes, c.BoxWeight.Kilograms(), c.Net().Kilograms(),
				weightCell(c.GrossWeight), c.SSCC, c.GTIN, c.Lot, c.Orchard, c.PUC, c.PHC, c.GGN, c.Grower,
				c.HarvestedOn, c.PackedOn, c.Recorder, c.Container, c.Seal,
			})
		}
	}
	return answer{send: workbook{found.Reference + " pallets", "Pallets", rows, false}.send}, nil
}

// weightCell leaves the cell of an unknown weight empty.
func weightCell(g shipments.Grams) any {
	if g == 0 {
		return nil
	}
	return g.Kilograms()
}

// maxExported is how many shipments an export has at most.
const maxExported = 10_000

// exportList returns a row for each shipment that meets the filters of the list.
func (s *site) exportList(ctx context.Context, v *visit) (answer, error) {
	rows := [][]any{{
		"Id", "Reference", "Status", "Vessel", "Voyage", "From", "To", "Pallets", "Created", "Approved",
	}}
	filter, err := v.filter()
	if err != nil {
		return answer{}, err
	}
	query := shipments.Query{Filter: filter, PerPage: shipments.MaxPerPage}
	for total := int64(1); int64(len(rows)) <= total && len(rows) <= maxExported; {
		query.Page++
		ctx, cancel := context.WithTimeout(ctx, s.Timeout)
		page, err := s.Service.List(ctx, v.org, query)
		if cancel(); err != nil {
			return answer{}, err
		}
		for _, one := range page.Elements {
			approved := ""
			if !one.ApprovedAt.IsZero() {
				approved = one.ApprovedAt.Format(time.RFC3339)
			}
			rows = append(rows, []any{
				transport.ShipmentIDs.Format(one.ID), one.Reference, string(one.Status), one.Vessel, one.Voyage,
				one.Origin, one.Destination, one.PalletsCount, one.CreatedAt.Format(time.RFC3339), approved,
			})
		}
		if total = page.Total; len(page.Elements) == 0 {
			break
		}
	}
	return answer{send: workbook{"shipments", "Shipments", rows, strings.HasSuffix(v.URL.Path, ".csv")}.send}, nil
}

// send sends the workbook as a download. An error means that nothing was sent.
func (b workbook) send(w http.ResponseWriter) error {
	write, media, extension := b.xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"
	if b.csv {
		write, media, extension = b.asCSV, "text/csv; charset=utf-8", ".csv"
	}
	content, err := write()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Disposition", transport.Download(b.name+extension))
	_, _ = content.WriteTo(w) // the client is gone
	return nil
}

func (b workbook) xlsx() (*bytes.Buffer, error) {
	file := excelize.NewFile()
	if err := file.SetSheetName("Sheet1", b.sheet); err != nil {
		return nil, err
	}
	sheet, err := file.NewStreamWriter(b.sheet)
	if err != nil {
		return nil, err
	}
	for i, row := range b.rows {
		cell, err := excelize.CoordinatesToCellName(1, i+1)
		if err != nil {
			return nil, err
		}
		if err := sheet.SetRow(cell, row); err != nil {
			return nil, err
		}
	}
	if err := sheet.Flush(); err != nil {
		return nil, err
	}
	return file.WriteToBuffer()
}

// asCSV writes CSV for spreadsheets.
func (b workbook) asCSV() (*bytes.Buffer, error) {
	content := bytes.NewBufferString("\ufeff") // a spreadsheet takes it for UTF-8
	out := csv.NewWriter(content)
	for _, row := range b.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = plaintext.Cell(fmt.Sprint(cell))
		}
		if err := out.Write(cells); err != nil {
			return nil, err
		}
	}
	out.Flush()
	return content, out.Error()
}
