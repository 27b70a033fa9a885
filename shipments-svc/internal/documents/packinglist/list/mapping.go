package list

import (
	"regexp"
	"strings"
)

// Mapping describes how one table was understood.
type Mapping struct {
	Sheet       string      `json:"sheet,omitempty"` // empty: the document has no sheets or pages
	Layout      Layout      `json:"layout,omitempty"`
	HeaderRow   int         `json:"header_row"` // the first row of its headings
	HeaderRows  int         `json:"header_rows"`
	NumberStyle NumberStyle `json:"number_style,omitempty"` // empty: no number shows it
	Fingerprint string      `json:"fingerprint,omitempty"`  // equal for lists with these headings and layout
	Source      Source      `json:"source,omitempty"`
	Template    string      `json:"template,omitempty"` // its name, where Source is FromTemplate
	Columns     []Column    `json:"columns"`            // never nil
	// Candidates are, of an ambiguous list, the mappings that agree with its numbers as well.
	Candidates []Candidate  `json:"candidates,omitempty"`
	Skipped    []SkippedRow `json:"skipped_rows"` // that are no lines of pallets; never nil
}

// Column is a column of a table and what it was taken for.
type Column struct {
	Column       string        `json:"column"` // "A"
	Heading      string        `json:"heading"`
	Field        string        `json:"field,omitempty"` // empty: its heading is not understood
	Unit         string        `json:"unit,omitempty"`  // of a weight that was used: kg, g, lb or t
	Used         bool          `json:"used"`
	Reason       string        `json:"reason,omitempty"`       // why it was not used
	Score        float64       `json:"score"`                  // of the field, from 0 to 1; 1 if it was given
	Rules        []string      `json:"rules,omitempty"`        // the ids of those that made the score
	Alternatives []Alternative `json:"alternatives,omitempty"` // the best first
	Samples      []string      `json:"samples,omitempty"`      // its first values
	Place        Place         `json:"-"`                      // of its heading, at which the Trace has its steps
}

// Alternative is another field that a column could have.
type Alternative struct {
	Field string   `json:"field"`
	Score float64  `json:"score"`
	Rules []string `json:"rules,omitempty"`
}

// Candidate is one of the readings of an ambiguous list.
type Candidate struct {
	Columns []AssignedColumn `json:"columns"` // of the pallet number, the boxes and the weights
	Text    string           `json:"text"`    // for people: what would be read
}

// Assignment gives the fields of the columns of a list: the correction of its mapping by a person, or a template.
// Columns that it does not name are read as without it.
type Assignment struct {
	Sheet       string           `json:"sheet,omitempty"`        // the table that it is for; empty: any
	Fingerprint string           `json:"fingerprint,omitempty"`  // likewise
	NumberStyle NumberStyle      `json:"number_style,omitempty"` // empty: as the numbers show
	Columns     []AssignedColumn `json:"columns"`
	Template    string           `json:"template,omitempty"` // the name of the template; empty: a person gave it
}

// AssignedColumn is the field of a column.
type AssignedColumn struct {
	Column string `json:"column"`          // "A"
	Field  string `json:"field,omitempty"` // empty: the column is not used
	Unit   string `json:"unit,omitempty"`  // of a weight: kg, g, lb or t; empty: as the column shows
}

// Fields are the fields that a column can have.
var Fields = []string{
	"pallet_number", "pallet_number_to", "pallets", "sscc", "gtin", "produce_name", "variety", "calibre",
	"boxes", "box_weight", "box_gross_weight", "net_weight", "gross_weight", "pack", "lot", "orchard",
	"puc", "phc", "ggn", "grower", "harvested_on", "packed_on", "temperature_recorder", "container_number",
	"seal_number",
}

// Layout is the structure of a table.
type Layout string

// The layouts.
const (
	LinesLayout   Layout = "lines"   // a row for each line of a pallet
	MatrixLayout  Layout = "matrix"  // a row for each pallet, and the boxes of each calibre in a column
	BlocksLayout  Layout = "blocks"  // the pallet stands above its lines
	CartonsLayout Layout = "cartons" // a row for each box
)

// NumberStyle is how numbers are written.
type NumberStyle string

// The styles of numbers.
const (
	PointStyle NumberStyle = "1,234.5"
	CommaStyle NumberStyle = "1.234,5"
)

// Source is where a mapping comes from.
type Source string

// The sources of mappings.
const (
	FromHeadings Source = "headings"
	FromTemplate Source = "template"
	FromPerson   Source = "person"
)

// SkippedRow is a row that was not read as a line of a pallet.
type SkippedRow struct {
	Row    int    `json:"row"`
	Reason string `json:"reason"`
}

// AmbiguousMapping is the code of the error of a list whose numbers agree with several mappings.
const AmbiguousMapping = "ambiguous_mapping"

// ssccMarks matches what people and scanners write around the digits of an SSCC: its name, the identifier of the symbol
// that was scanned (ISO/IEC 15424), separators, and the application identifier in brackets.
var ssccMarks = regexp.MustCompile(`^(?i:SSCC)|^\](?:C1|d2|Q3|e0)|[\s.:-]|\(00\)|\[00\]`)

// SSCC returns the eighteen digits of a label that is written like a Serial Shipping Container Code (GS1 General
// Specifications, 3.3.1): bare, with separators, after its name, as it was scanned, or after its application
// identifier, 00 or (00). Whether the check digit is correct is not checked. Any other label gives "".
func SSCC(label string) string {
	const length = 18
	if len(label) < length { // most labels
		return ""
	}
	digits := ssccMarks.ReplaceAllString(label, "")
	if len(digits) == length+2 {
		digits = strings.TrimPrefix(digits, "00")
	}
	if len(digits) != length || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return digits
}
