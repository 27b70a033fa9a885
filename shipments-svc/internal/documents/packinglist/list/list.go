// Package list has the types of a packing list that was read.
package list

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Place is where in a document something stands. Rows and columns count from 1; the zero Place is unknown.
type Place struct {
	Sheet  string `json:"sheet,omitempty"` // its name, "page 3" of a PDF; empty: the document has no sheets
	Row    int    `json:"row,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Reading is what was read of a document.
type Reading struct {
	Pallets  []Pallet  `json:"pallets"`
	Declared Declared  `json:"declared"`
	Facts    []Fact    `json:"facts"`
	Remarks  []Remark  `json:"remarks"`
	RowsRead int       `json:"rows_read"`
	Mappings []Mapping `json:"mappings"` // how each table was understood
	Trace    Trace     `json:"-"`
}

// Pallet is one pallet. Containers may number their pallets alike.
type Pallet struct {
	Number      string    `json:"pallet_number"`
	ProduceName string    `json:"produce_name"`
	Calibre     string    `json:"calibre"` // as written: "18", "1XX", "75-80 mm"
	Boxes       int       `json:"boxes"`
	BoxWeight   Grams     `json:"box_weight_g"`
	Source      Place     `json:"place"`              // where it begins
	Places      Places    `json:"places,omitzero"`    // of values that were read elsewhere in the document
	Contents    []Content `json:"contents,omitempty"` // the lines that it was put together from; nil: one
	Particulars `json:"particulars,omitzero"`
}

// Places is where the values of a pallet were read. A zero Place means the pallet's Source.
type Places struct {
	ProduceName Place `json:"produce_name,omitzero"`
	Calibre     Place `json:"calibre,omitzero"`
	Boxes       Place `json:"boxes,omitzero"`
	BoxWeight   Place `json:"box_weight_kg,omitzero"`
}

// Content is a line of a pallet. Boxes of the pallet are their sum, its BoxWeight their average by boxes.
type Content struct {
	ProduceName string `json:"produce_name"`
	Calibre     string `json:"calibre"`
	Boxes       int    `json:"boxes"`
	BoxWeight   Grams  `json:"box_weight_g"`
	Particulars
	Place `json:"place"`
}

// Net returns the net weight as the document states it, or else by its boxes.
func (c Content) Net() Grams { return cmp.Or(c.NetWeight, Grams(c.Boxes)*c.BoxWeight) }

// Particulars is what a list says of a pallet, or of a line of it, beside its five fields. Empty or zero: it does not
// say. Of a pallet whose lines differ, texts that differ are empty, and weights are sums.
type Particulars struct {
	NetWeight   Grams `json:"net_weight_g,omitempty"`   // of all boxes
	GrossWeight Grams `json:"gross_weight_g,omitempty"` // of all boxes
	Labels
}

// Labels are the texts of Particulars.
type Labels struct {
	SSCC        string `json:"sscc,omitempty"` // 18 digits (GS1)
	GTIN        string `json:"gtin,omitempty"` // of the boxes
	Lot         string `json:"lot,omitempty"`
	Orchard     string `json:"orchard,omitempty"` // or block
	PUC         string `json:"puc,omitempty"`     // code of the production unit
	PHC         string `json:"phc,omitempty"`     // code of the packhouse
	GGN         string `json:"ggn,omitempty"`     // GLOBALG.A.P. number
	Grower      string `json:"grower,omitempty"`
	HarvestedOn string `json:"harvested_on,omitempty"` // a date as in ISO 8601, or as written where it is ambiguous
	PackedOn    string `json:"packed_on,omitempty"`    // likewise
	Recorder    string `json:"temperature_recorder,omitempty"`
	Container   string `json:"container_number,omitempty"`
	Seal        string `json:"seal_number,omitempty"`
}

// Declared is the totals of a document, over all its pallets. A zero field is not declared.
type Declared struct {
	Pallets         int    `json:"pallets,omitempty"`
	Boxes           int    `json:"boxes,omitempty"`
	NetWeight       Grams  `json:"net_weight_g,omitempty"`
	ContainerNumber string `json:"container_number,omitempty"` // as written
}

// Fact is a statement of a document about the shipment as a whole.
type Fact struct {
	Kind FactKind `json:"kind"`
	Text string   `json:"text"` // as written
	Place
}

// FactKind is the subject of a Fact.
type FactKind string

// The kinds of facts.
const (
	ReferenceFact       FactKind = "reference" // an order, a booking, a file number
	VesselFact          FactKind = "vessel"
	VoyageFact          FactKind = "voyage"
	ContainerFact       FactKind = "container_number"
	SealFact            FactKind = "seal_number"
	InvoiceFact         FactKind = "invoice_number"
	PhytoFact           FactKind = "phyto_number"
	BillOfLadingFact    FactKind = "bl_number"
	ProduceFact         FactKind = "produce_name"
	PortOfLoadingFact   FactKind = "port_of_loading"
	PortOfDischargeFact FactKind = "port_of_discharge"
	OriginFact          FactKind = "origin"
	DestinationFact     FactKind = "destination"
	ExporterFact        FactKind = "exporter"
	ConsigneeFact       FactKind = "consignee"
	PalletsFact         FactKind = "pallets"
	BoxesFact           FactKind = "boxes"
	NetWeightFact       FactKind = "net_weight"
	GrossWeightFact     FactKind = "gross_weight"
)

// FactKinds are all kinds of facts.
var FactKinds = []FactKind{
	ReferenceFact, VesselFact, VoyageFact, ContainerFact, SealFact, InvoiceFact, PhytoFact, BillOfLadingFact,
	ProduceFact, PortOfLoadingFact, PortOfDischargeFact, OriginFact, DestinationFact, ExporterFact, ConsigneeFact,
	PalletsFact, BoxesFact, NetWeightFact, GrossWeightFact,
}

// Remark is something that was passed over or taken to mean what it does not quite say.
type Remark struct {
	Code  string `json:"code"` // for programs: "row_skipped"
	Text  string `json:"text"` // for people
	Stage string `json:"stage,omitempty"`
	Rule  string `json:"rule,omitempty"` // its id
	Place
}

// Limits of a list. Texts are counted in characters.
const (
	MaxPallets         = 10_000
	MaxLines           = 20_000
	MaxPalletNumber    = 40
	MaxProduceName     = 100
	MaxCalibre         = 20
	MaxLot             = 100 // a text of Particulars
	MaxBoxes           = 10_000
	MaxBoxWeight       = Grams(1_000_000)
	MaxDeclaredBoxes   = MaxPallets * MaxBoxes
	MaxDeclaredWeight  = Grams(1_000_000_000_000)
	MaxContainerNumber = 20
	MaxFacts           = 200
	MaxRemarks         = 600
	MaxFactText        = 300
	MaxMappings        = 20
	MaxMappedColumns   = 200 // of a mapping
	MaxAlternatives    = 5   // of a column
	MaxCandidates      = 5   // of a mapping
	MaxSkippedRows     = 200 // of a mapping
)

// Step is a decision of a stage of reading. Steps are added and never changed.
type Step struct {
	Stage  Stage   `json:"stage"`
	Where  Place   `json:"where"`
	Field  string  `json:"field,omitempty"` // that the step gives a column
	Rule   string  `json:"rule"`            // its id
	Before float64 `json:"before"`          // the score
	After  float64 `json:"after"`
	Rival  *Rival  `json:"rival,omitempty"` // what came second
	Kept   bool    `json:"kept"`            // nothing overruled it
	Note   string  `json:"note,omitempty"`  // for people
}

// Rival is what came second.
type Rival struct {
	Where Place   `json:"where"`
	Score float64 `json:"score"`
}

// Stage is a stage of reading.
type Stage string

// The stages, in their order.
const (
	TablesStage    Stage = "tables"
	LayoutStage    Stage = "layout"
	MappingStage   Stage = "mapping"
	LinesStage     Stage = "lines"
	ReconcileStage Stage = "reconcile"
)

// Trace is the steps of a reading in their order.
type Trace []Step

// With returns the trace with further steps; this one is not changed.
func (t Trace) With(steps ...Step) Trace { return append(slices.Clip(t), steps...) }

// Of returns the steps of a stage at a place, whose row or column may be 0: any.
func (t Trace) Of(stage Stage, at Place) (steps Trace) {
	for _, s := range t {
		row, column := at.Row == 0 || at.Row == s.Where.Row, at.Column == 0 || at.Column == s.Where.Column
		if s.Stage == stage && s.Where.Sheet == at.Sheet && row && column {
			steps = append(steps, s)
		}
	}
	return steps
}

// Has reports whether a rule made one of the steps.
func (t Trace) Has(rule string) bool {
	return slices.ContainsFunc(t, func(s Step) bool { return s.Rule == rule })
}

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

// Header is where its headings begin.
func (m Mapping) Header() Place { return Place{Sheet: m.Sheet, Row: m.HeaderRow} }

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

// Assignment gives columns of a list fields: the correction of a mapping by a person, or a template.
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

// CheckDigit returns the check digit of a GS1 key without its last digit (GS1 General Specifications, 7.9.1):
// weights 3 and 1 alternately from the right, completed to a multiple of ten.
func CheckDigit(digits string) byte {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			n *= 3
		}
		sum += n
	}
	return '0' + byte((10-sum%10)%10)
}
