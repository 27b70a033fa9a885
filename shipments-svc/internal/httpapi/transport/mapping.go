package transport

import "github.com/quayside/quayside/shipments-svc/internal/shipments"

type mappingView struct {
	Sheet      string           `json:"sheet,omitempty"`
	HeaderRow  int              `json:"header_row"`
	HeaderRows int              `json:"header_rows"`
	Columns    []columnView     `json:"columns"`
	Skipped    []skippedRowView `json:"skipped_rows"`
}

type columnView struct {
	Column  string `json:"column"`
	Heading string `json:"heading"`
	Field   string `json:"field,omitempty"`
	Unit    string `json:"unit,omitempty"`
	Used    bool   `json:"used"`
	Reason  string `json:"reason,omitempty"`
}

type skippedRowView struct {
	Row    int    `json:"row"`
	Reason string `json:"reason"`
}

// viewMappings shows how the tables of a packing list were understood; nil
// where there are none.
func viewMappings(all []shipments.Mapping) (views []mappingView) {
	for _, m := range all {
		view := mappingView{Sheet: m.Sheet, HeaderRow: m.HeaderRow, HeaderRows: m.HeaderRows, Columns: []columnView{}, Skipped: []skippedRowView{}}
		for _, c := range m.Columns {
			view.Columns = append(view.Columns, columnView(c))
		}
		for _, row := range m.Skipped {
			view.Skipped = append(view.Skipped, skippedRowView(row))
		}
		views = append(views, view)
	}
	return views
}
