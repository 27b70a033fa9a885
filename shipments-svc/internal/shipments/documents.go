package shipments

import "time"

// DocumentID identifies a document of a shipment. Newer ones sort higher.
type DocumentID [16]byte

// DocumentType is the kind of a document.
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
var DocumentTypes = []DocumentType{
	PackingList, PhytosanitaryCertificate, CommercialInvoice, BillOfLading,
	OtherDocument,
}

// DocumentStatus is the progress of reading a document.
type DocumentStatus string

// The statuses of a document.
const (
	Queued    DocumentStatus = "queued"     // waits for its turn to be read
	BeingRead DocumentStatus = "processing" // is being read
	Processed DocumentStatus = "processed"  // its content is part of the shipment
	Failed    DocumentStatus = "failed"     // nothing of it is: see Failure
)

// DocumentStatuses lists every DocumentStatus in the order in which a document
// meets them.
var DocumentStatuses = []DocumentStatus{Queued, BeingRead, Processed, Failed}

// Document is one document of a shipment.
type Document struct {
	ID     DocumentID
	Type   DocumentType
	Status DocumentStatus
	// Run counts the requests to read it, from 1. 0: it is not read.
	Run int

	Filename    string   // as the client named the file; empty: it was given by its pallets
	ContentType string   // of the content, not as declared by the client; empty without a file
	Kind        Kind     // how the file is read; Unread: it is not
	Size        int64    // of the file, in bytes
	SHA256      [32]byte // of its content; no two of a shipment have the same

	RowsRead         int
	PalletsExtracted int
	Declared         Declared
	Facts            []Fact       // further statements, in their order
	Remarks          []Remark     // what was odd in reading it
	Failure          Failure      // zero unless Status is Failed
	Given            []Assignment // by a person, in place of what its headings say
	Mappings         []Mapping    // how its tables were understood; of one document alone

	CreatedAt   time.Time
	ProcessedAt time.Time // zero until it is Processed or Failed
}

// Unfinished reports whether the document is still to be read, or being read.
func (d Document) Unfinished() bool { return d.Status == Queued || d.Status == BeingRead }

// Failure is the reason why a document could not be read.
type Failure struct {
	Code   string `json:"code"`   // for programs: "no_text_layer"
	Detail string `json:"detail"` // for people
}

// Declared is the totals of a document, over all its pallets. A zero
// field is not declared. The tags are those of the stored form.
type Declared struct {
	Pallets         int    `json:"pallets,omitempty"`
	Boxes           int    `json:"boxes,omitempty"`
	NetWeight       Grams  `json:"net_weight_g,omitempty"`
	ContainerNumber string `json:"container_number,omitempty"` // as written
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
	Sheet string `json:"sheet,omitempty"` // empty: the document has no sheets
	Row   int    `json:"row,omitempty"`   // from 1
}
