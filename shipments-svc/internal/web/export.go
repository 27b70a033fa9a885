package web

import (
	"context"
	"net/http"

	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// workbook is a table that people open in a spreadsheet. Cells are typed: a label such as
// "0012" or "=A1" is a text and nothing else, which it would not be in CSV.
type workbook struct {
	name string // of the file, in ASCII
	rows [][]any
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
			net := c.NetWeight
			if net == 0 {
				net = shipments.Grams(c.Boxes) * c.BoxWeight
			}
			rows = append(rows, []any{
				p.Number, c.ProduceName, c.Calibre, c.Boxes, c.BoxWeight.Kilograms(), net.Kilograms(), weightCell(c.GrossWeight),
				c.SSCC, c.GTIN, c.Lot, c.Orchard, c.PUC, c.PHC, c.GGN, c.Grower, c.HarvestedOn, c.PackedOn, c.Recorder,
				c.Container, c.Seal,
			})
		}
	}
	return answer{workbook: &workbook{transport.FormatID(found.ID) + ".xlsx", rows}}, nil
}

// weightCell leaves the cell of an unknown weight empty.
func weightCell(g shipments.Grams) any {
	if g == 0 {
		return nil
	}
	return g.Kilograms()
}

// send writes the workbook as a download. An error means that nothing was sent.
func (b *workbook) send(w http.ResponseWriter) error {
	file := excelize.NewFile()
	sheet, err := file.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	for i, row := range b.rows {
		cell, err := excelize.CoordinatesToCellName(1, i+1)
		if err != nil {
			return err
		}
		if err := sheet.SetRow(cell, row); err != nil {
			return err
		}
	}
	if err := sheet.Flush(); err != nil {
		return err
	}
	content, err := file.WriteToBuffer()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
	w.Header().Set("Content-Disposition", `attachment; filename="`+b.name+`"`)
	_, _ = content.WriteTo(w) // the client is gone
	return nil
}
