package shipments

import (
	"crypto/sha256"
	"fmt"
	"time"
)

// DocumentID identifies a document of a shipment. Newer ones sort higher.
type DocumentID [16]byte

// DocumentType says what kind of paper a document is.
type DocumentType string

// The types of documents.
const (
	PackingList              DocumentType = "packing_list" // lists the pallets of a shipment
	PhytosanitaryCertificate DocumentType = "phytosanitary_certificate"
	CommercialInvoice        DocumentType = "commercial_invoice"
	BillOfLading             DocumentType = "bill_of_lading"
	OtherDocument            DocumentType = "other" // kept, and not read
)

// DocumentTypes lists every DocumentType.
var DocumentTypes = []DocumentType{PackingList, PhytosanitaryCertificate, CommercialInvoice, BillOfLading, OtherDocument}

// DocumentStatus says how far a document has been read.
type DocumentStatus string

// The statuses of a document.
const (
	Queued    DocumentStatus = "queued"     // waits for its turn to be read
	Reading   DocumentStatus = "processing" // is being read
	Processed DocumentStatus = "processed"  // what it says is part of the shipment
	Failed    DocumentStatus = "failed"     // nothing of it is: Failure says why
)

// DocumentStatuses lists every DocumentStatus in the order in which a document
// meets them.
var DocumentStatuses = []DocumentStatus{Queued, Reading, Processed, Failed}

// Document is one document of a shipment.
type Document struct {
	ID     DocumentID
	Type   DocumentType
	Status DocumentStatus
	// Run counts how often reading it was asked for, from 1. 0: it is not one
	// that is read.
	Run int

	Filename    string   // as the client named the file; empty: it was given by its pallets
	ContentType string   // what the content is, whatever the client called it; empty without a file
	Size        int64    // of the file, in bytes
	SHA256      [32]byte // of its content; no two of a shipment have the same

	RowsRead         int
	PalletsExtracted int
	Declared         Declared
	Facts            []Fact   // what it says besides, in the order in which it says so
	Remarks          []Remark // what was odd in reading it
	Failure          Failure  // zero unless Status is Failed

	CreatedAt   time.Time
	ProcessedAt time.Time // zero until it is Processed or Failed
}

// Failure says why a document could not be read.
type Failure struct {
	Code   string // for programs: "no_text_layer"
	Detail string // for people
}

// Fact is something that a document says about the shipment as a whole, to be
// compared with what others say.
type Fact struct {
	Kind FactKind
	Text string // as written
	Place
}

// FactKind says what a Fact is about.
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
	Code string // for programs: "row_skipped"
	Text string // for people
	Place
}

// Bounds of what is kept of a document's reading.
const (
	MaxFacts    = 200
	MaxRemarks  = 200
	MaxFactText = 200
)

// Declared is what a document says about the whole of its pallets. A zero
// field is not declared.
type Declared struct {
	Pallets         int
	Boxes           int
	NetWeight       Grams
	ContainerNumber string // as written
}

// Bounds of what a document may declare.
const (
	MaxDeclaredBoxes   = MaxPallets * MaxBoxes
	MaxDeclaredWeight  = Grams(1_000_000_000_000) // 10⁹ kg
	MaxContainerNumber = 20
)

// Source is where a pallet was read, or something found. The zero Source is
// that of a pallet which an operator loaded.
type Source struct {
	Document DocumentID
	Sheet    string // empty: the document has no sheets
	Row      int    // from 1
}

// Place is where in a document something was read. The zero Place is unknown.
type Place struct {
	Sheet string // empty: the document has no sheets
	Row   int    // from 1
}

// Attachment asks to attach a document, given by its pallets.
type Attachment struct {
	Order
	Type     DocumentType
	Pallets  []Pallet // at least one; their Source is not looked at
	Declared Declared
	DryRun   bool // only say what would become of it
}

// Attached is what became of an Attachment.
type Attached struct {
	Shipment ID
	Document Document // without ID and times after a dry run
	Checks   []Check  // of the shipment with the document
	DryRun   bool
}

// Detachment asks to delete a document.
type Detachment struct {
	Order
	Document DocumentID
}

// DocumentQuery says which document of which shipment is wanted.
type DocumentQuery struct {
	Shipment ID
	Document DocumentID
}

// ErrNoDocument is an ErrNotFound: the shipment has no such document.
var ErrNoDocument = fmt.Errorf("%w: no such document", ErrNotFound)

// DuplicateError says that the shipment has a document of the same content.
type DuplicateError struct{ ID DocumentID }

// Error implements error.
func (e *DuplicateError) Error() string {
	return "the shipment has a document with exactly this content already"
}

// Faults returns what is wrong with the attachment, with pointers from it.
func (a Attachment) Faults() []Fault {
	var f faults
	if a.Type == "" {
		f.add(Required, "/type", "type is required")
	} else if a.Type != PackingList {
		f.add(InvalidValue, "/type", "a document that is given by its pallets is a %s", PackingList)
	}
	if len(a.Pallets) == 0 {
		f.add(Required, "/pallets", "pallets must have at least one element")
	}
	f.pallets("/pallets", a.Pallets)
	f.declared("/declared", a.Declared)
	return f
}

func (f *faults) declared(at string, d Declared) {
	within := func(name string, value, limit int) {
		if value < 0 || value > limit {
			f.add(OutOfRange, at+"/"+name, "%s must be from 0 to %d", name, limit)
		}
	}
	within("pallets", d.Pallets, MaxPallets)
	within("boxes", d.Boxes, MaxDeclaredBoxes)
	if d.NetWeight < 0 || d.NetWeight > MaxDeclaredWeight {
		f.add(OutOfRange, at+"/net_weight_kg", "net_weight_kg must be from 0 to %d", MaxDeclaredWeight/1000)
	}
	if d.ContainerNumber != "" {
		f.text(at, "container_number", d.ContainerNumber, MaxContainerNumber)
	}
}

// sum is the fingerprint of what is attached.
func (a Attachment) sum() (sum [32]byte) {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %d %d %d %q\n", a.Type, a.Declared.Pallets, a.Declared.Boxes, a.Declared.NetWeight, a.Declared.ContainerNumber)
	for _, p := range a.Pallets {
		_, _ = fmt.Fprintf(h, "%q %q %q %d %d\n", p.Number, p.ProduceName, p.Calibre, p.Boxes, p.BoxWeight)
	}
	h.Sum(sum[:0])
	return sum
}
