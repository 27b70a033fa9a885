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

// PackingList lists the pallets of a shipment.
const PackingList DocumentType = "packing_list"

// DocumentTypes lists every DocumentType.
var DocumentTypes = []DocumentType{PackingList}

// DocumentStatus says how far a document has been read.
type DocumentStatus string

// Processed is a document whose pallets are part of the shipment.
const Processed DocumentStatus = "processed"

// Document is one document of a shipment.
type Document struct {
	ID               DocumentID
	Type             DocumentType
	Status           DocumentStatus
	SHA256           [32]byte // of its content; no two of a shipment have the same
	RowsRead         int
	PalletsExtracted int
	Declared         Declared
	CreatedAt        time.Time
	ProcessedAt      time.Time
}

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

// Source is where a pallet was read. The zero Source is that of a pallet
// which an operator loaded.
type Source struct {
	Document DocumentID
	Row      int // from 1
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
		f.add(InvalidValue, "/type", "type must be one of %s", list(DocumentTypes))
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
