// Package list has the types of a packing list that was read.
package list

import "cmp"

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

// Content is a line of a pallet, whose Boxes are the sum of its lines' and whose BoxWeight is
// their average, weighted by boxes.
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
