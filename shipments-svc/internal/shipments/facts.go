package shipments

// Fact is a statement of a document about the shipment as a whole, to be
// compared with what others say.
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

// Remark is something in a document that was passed over or taken to mean
// what it does not quite say.
type Remark struct {
	Code string `json:"code"` // for programs: "row_skipped"
	Text string `json:"text"` // for people
	// Stage is the stage of reading that made the remark, and Rule the id of its rule.
	Stage string `json:"stage,omitempty"`
	Rule  string `json:"rule,omitempty"`
	Place
}

// Bounds of what is kept of a document's reading.
const (
	MaxFacts    = 200
	MaxRemarks  = 600
	MaxFactText = 300 // code points, of a fact or a remark
)
