package web

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// workbook is a table that people open in a spreadsheet. It is sent as its rows are read, so that
// any number of them takes no memory and no disk.
type workbook struct {
	name    string // of the file, without its extension
	columns []sheetColumn
	rows    iter.Seq2[[]any, error]
	about   string // what the rows are
	csv     bool   // it is sent as CSV, and otherwise as XLSX
}

// palletColumns are those of exportPallets, in the order of its cells.
var palletColumns = slices.Concat(
	sheetColumns(22, "Pallet", "Produce"), sheetColumns(9, "Calibre", "Boxes"),
	sheetColumns(16, "Box weight, kg", "Net weight, kg", "Gross weight, kg"), sheetColumns(22, "SSCC"),
	sheetColumns(16, "GTIN", "Lot", "Orchard"), sheetColumns(9, "PUC", "PHC"), sheetColumns(18, "GGN", "Grower"),
	sheetColumns(12, "Harvested", "Packed"), sheetColumns(16, "Recorder", "Container", "Seal"),
)

// exportPallets returns a row for each line of each pallet of the shipment in the path.
func (s *site) exportPallets(ctx context.Context, v *visit) (answer, error) {
	head, err := s.Service.Head(ctx, v.org, v.shipment)
	if err != nil {
		return answer{}, err
	}
	rows := func(yield func([]any, error) bool) { //nolint:contextcheck // it is that of the request
		q := shipments.PageQuery{ID: head.ID, Page: 1}
		for ; ; q.Page++ {
			page, err := s.Service.Pallets(v.Context(), v.org, q) // it lasts longer than ctx
			if err == nil && page.Version != head.Version {
				err = shipments.ErrVersion
			}
			if err != nil {
				page.Release()
				yield(nil, err)
				return
			}
			more := exportLines(page.Pallets, yield)
			if page.Release(); !more || page.Page*page.PerPage >= page.Total {
				return
			}
		}
	}
	return answer{send: workbook{
		name: head.Reference + " pallets", columns: palletColumns, rows: rows,
		about: fmt.Sprintf("every line of the %s of shipment %s, version %d",
			counted(head.PalletsCount, "pallet"), head.Reference, head.Version),
	}.send}, nil
}

// exportLines yields the rows of pallets, and reports whether more are wanted.
func exportLines(pallets []shipments.PalletPart, yield func([]any, error) bool) bool {
	for _, p := range pallets {
		for _, c := range p.Pallet.Lines() {
			row := []any{
				p.Number, c.ProduceName, c.Calibre, c.Boxes, c.BoxWeight.Kilograms(), c.Net().Kilograms(),
				weightCell(c.GrossWeight), c.SSCC, c.GTIN, c.Lot, c.Orchard, c.PUC, c.PHC, c.GGN, c.Grower,
				dayCell(c.HarvestedOn), dayCell(c.PackedOn), c.Recorder, c.Container, c.Seal,
			}
			if !yield(row, nil) {
				return false
			}
		}
	}
	return true
}

// weightCell leaves the cell of an unknown weight empty.
func weightCell(g list.Grams) any {
	if g == 0 {
		return nil
	}
	return g.Kilograms()
}

// exportColumn is a column of exportList.
type exportColumn struct {
	sheetColumn
	cell func(shipments.Shipment) any
}

var exportColumns = slices.Concat(
	textColumns(shipments.TextFields[:1]),
	[]exportColumn{{sheetColumn{"Status", 17}, func(s shipments.Shipment) any { return words(s.Status) }}},
	textColumns(shipments.TextFields[1:]),
	[]exportColumn{
		{sheetColumn{"Pallets", 9}, func(s shipments.Shipment) any { return s.PalletsCount }},
		{sheetColumn{"Created (UTC)", 17}, func(s shipments.Shipment) any { return s.CreatedAt }},
		{sheetColumn{"Updated (UTC)", 17}, func(s shipments.Shipment) any { return s.UpdatedAt }},
		{sheetColumn{"Approved (UTC)", 17}, func(s shipments.Shipment) any {
			if s.ApprovedAt.IsZero() {
				return nil
			}
			return s.ApprovedAt
		}},
		{sheetColumn{"Id", 32}, func(s shipments.Shipment) any { return transport.ShipmentIDs.Format(s.ID) }},
	},
)

// textColumns are headed by labels without their alternatives: "Vessel".
func textColumns(texts []shipments.TextField) (all []exportColumn) {
	for _, t := range texts {
		heading, _, _ := strings.Cut(label(t.Name), " or ")
		all = append(all, exportColumn{sheetColumn{heading, 26}, func(s shipments.Shipment) any { return t.Of(s.Draft) }})
	}
	return all
}

// exportList returns a row for each shipment that meets the filters of the list.
func (s *site) exportList(ctx context.Context, v *visit) (answer, error) {
	filter, err := v.filter()
	if err != nil {
		return answer{}, err
	}
	var columns []sheetColumn
	for _, column := range exportColumns {
		columns = append(columns, column.sheetColumn)
	}
	rows := func(yield func([]any, error) bool) {
		for one, err := range s.Service.All(ctx, v.org, filter) {
			row := make([]any, len(exportColumns))
			for i, column := range exportColumns {
				row[i] = column.cell(one)
			}
			if !yield(row, err) {
				return
			}
		}
	}
	every := "every shipment"
	if v.test {
		every = "every test shipment"
	}
	return answer{send: workbook{
		name: "shipments", columns: columns, rows: rows,
		about: every + selection(v.URL.Query()), csv: strings.HasSuffix(v.URL.Path, ".csv"),
	}.send}, nil
}

// selection says which filters a list has: " with status approved, vessel anna".
func selection(query url.Values) string {
	var filters []string
	for _, name := range append([]string{"status"}, filterNames...) {
		if text := query.Get(name); text != "" {
			filters = append(filters, name+" "+text)
		}
	}
	if filters == nil {
		return ""
	}
	return " with " + strings.Join(filters, ", ")
}

// partTimeout is how long a client may take to receive partRows rows.
const (
	partTimeout = 30 * time.Second
	partRows    = 1000
)

// send sends the workbook as a download. An error means that nothing was sent. A later one aborts
// the response, so that the client sees that the file is not complete.
func (b workbook) send(w http.ResponseWriter) error {
	next, stop := iter.Pull2(b.rows)
	defer stop()
	cells, err, more := next()
	if err != nil {
		return err
	}
	create, media, extension := newXLSX, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"
	if b.csv {
		create, media, extension = newCSV, "text/csv; charset=utf-8", ".csv"
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Disposition", transport.Download(b.name+extension))
	file, err := create(w, b.columns)
	n := 0
	for ; more && err == nil; n++ {
		if n%partRows == 0 { // a writer without deadlines is accepted
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(partTimeout))
		}
		if err = file.row(cells...); err == nil {
			cells, err, more = next()
		}
	}
	about := make([]any, len(b.columns)) // rows of CSV have as many cells each
	about[0] = counted(n, "row") + ": " + b.about + ". Nothing is left out."
	if err == nil {
		err = file.end(about...)
	}
	if err != nil {
		httpserver.Explain(w, err)
		panic(http.ErrAbortHandler)
	}
	return nil
}
