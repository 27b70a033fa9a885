package shipments

import "slices"

// Mapping describes how one table of a packing list was interpreted.
type Mapping struct {
	Sheet      string         `json:"sheet,omitempty"` // empty: the document has no sheets or pages
	HeaderRow  int            `json:"header_row"`      // the first row of its headings
	HeaderRows int            `json:"header_rows"`
	Columns    []MappedColumn `json:"columns"`      // never nil
	Skipped    []SkippedRow   `json:"skipped_rows"` // rows below the headings that are no lines of pallets; never nil
}

// MappedColumn is a column of a table and what it was taken for.
type MappedColumn struct {
	Column  string `json:"column"` // "A"
	Heading string `json:"heading"`
	Field   string `json:"field,omitempty"` // empty: its heading is not understood
	Unit    string `json:"unit,omitempty"`  // of a weight that was used: kg, g, lb or t
	Used    bool   `json:"used"`
	Reason  string `json:"reason,omitempty"` // why it was not used
}

// SkippedRow is a row that was not read as a line of a pallet.
type SkippedRow struct {
	Row    int    `json:"row"`
	Reason string `json:"reason"`
}

// Bounds of what is kept of a document's mappings.
const (
	MaxMappings      = 20
	MaxMappedColumns = 200 // of a mapping
	MaxSkippedRows   = 200 // of a mapping
)

// sound reports whether a mapping is valid; text checks its texts.
func (m Mapping) sound(text func(string, int) bool) bool {
	return text(m.Sheet, MaxFactText) && m.HeaderRow > 0 && m.HeaderRows > 0 && len(m.Columns) <= MaxMappedColumns && len(m.Skipped) <= MaxSkippedRows &&
		!slices.ContainsFunc(m.Columns, func(c MappedColumn) bool {
			return !text(c.Column, MaxFactText) || !text(c.Heading, MaxFactText) || !text(c.Field, MaxFactText) || !text(c.Unit, MaxFactText) || !text(c.Reason, MaxFactText)
		}) &&
		!slices.ContainsFunc(m.Skipped, func(s SkippedRow) bool { return s.Row < 1 || !text(s.Reason, MaxFactText) })
}
