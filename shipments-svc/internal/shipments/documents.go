package shipments

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// Sum is the SHA-256 of content. Its text is that of a bytea in SQL.
type Sum [32]byte

// MarshalText implements encoding.TextMarshaler.
func (s Sum) MarshalText() ([]byte, error) { return fmt.Appendf(nil, `\x%x`, s[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Sum) UnmarshalText(text []byte) error {
	digits, ok := bytes.CutPrefix(text, []byte(`\x`))
	if !ok || len(digits) != hex.EncodedLen(len(s)) {
		return fmt.Errorf("%q is not the SHA-256 of content", text)
	}
	_, err := hex.Decode(s[:], digits)
	return err
}

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

// FileNames are patterns of names, in any case, that suggest the type of a file. Those of later types come first, and a
// file with text is a packing list unless they match: one that is not fails visibly, and its type can be corrected.
var FileNames = map[DocumentType]string{
	BillOfLading:             `lading|(^|[^a-z])[hm]?b[-_ ]?o?l([^a-z]|$)`,
	CommercialInvoice:        `invoice|(^|[^a-z])inv([^a-z]|$)`,
	PhytosanitaryCertificate: `phyto|sanitary`,
	PackingList:              `pack|(^|[^a-z])pl([^a-z]|$)|\.(xls[xm]|csv|tsv|txt|pdf)$`,
}

// SuggestType returns the type that the name of a file suggests.
func SuggestType(filename string) DocumentType {
	for _, t := range slices.Backward(DocumentTypes) {
		if pattern := FileNames[t]; pattern != "" && regexp.MustCompile("(?i)"+pattern).MatchString(filename) {
			return t
		}
	}
	return OtherDocument
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
	ID     DocumentID     `json:"id"`
	Type   DocumentType   `json:"type"`
	Status DocumentStatus `json:"status"`
	// Run counts the requests to read it, from 1. 0: it is not read.
	Run int `json:"run"`

	Filename    string `json:"filename"`     // as the client named the file; empty: it was given by its pallets
	ContentType string `json:"content_type"` // of the content, not as declared by the client; empty without a file
	Kind        Kind   `json:"kind"`         // how the file is read; Unread: it is not
	Size        int64  `json:"size_bytes"`   // of the file
	SHA256      Sum    `json:"sha256"`       // of its content; no two of a shipment have the same

	RowsRead         int           `json:"rows_read"`
	PalletsExtracted int           `json:"pallets_extracted"`
	Declared         list.Declared `json:"declared"`
	Facts            []list.Fact   `json:"facts,omitempty"`   // further statements, in their order
	Remarks          []list.Remark `json:"remarks,omitempty"` // what was odd in reading it
	Failure          Failure       `json:"failure,omitzero"`  // zero unless Status is Failed
	Given            []Assignment  `json:"given,omitempty"`   // by a person, in place of what its headings say
	// Mappings tell how its tables were understood; of one document alone.
	Mappings []list.Mapping `json:"mappings,omitempty"`

	CreatedAt   time.Time `json:"created_at"`
	ProcessedAt time.Time `json:"processed_at,omitzero"` // zero until it is Processed or Failed
}

// Unfinished reports whether the document is still to be read, or being read.
func (d Document) Unfinished() bool { return d.Status == Queued || d.Status == BeingRead }

// Failure is the reason why a document could not be read.
type Failure struct {
	Code   string `json:"code"`   // for programs: "no_text_layer"
	Detail string `json:"detail"` // for people
}

// Source is where a pallet was read, or something found.
type Source struct {
	Document DocumentID `json:"document_id,omitzero"`
	Sheet    string     `json:"source_sheet"`        // empty: the document has no sheets
	Row      int        `json:"source_row,omitzero"` // from 1
}

// MaxStated bounds the bytes of all facts and remarks that are kept of a document's reading.
const MaxStated = 64 << 10
