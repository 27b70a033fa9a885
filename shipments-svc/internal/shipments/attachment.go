package shipments

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// Attachment is a request to attach a document, given by a file or by its pallets.
type Attachment struct {
	Order
	Type     DocumentType
	File     *Upload       // nil: it is given by its pallets
	Pallets  []Pallet      // at least one without a file, none with one; their Source is ignored
	Declared list.Declared // by pallets
	DryRun   bool          // preview: nothing is stored
}

// Upload is a file as it came in.
type Upload struct {
	Field       string // pointer of the request to the content, for faults; empty: /file
	Filename    string // as the client names it
	ContentType string // what the content is
	Format      string // and for people: "an ODS file"
	Kind        Kind   // Unread: it is kept as it is
	Refused     string // why a file of its kind is not taken; empty: it is
	Size        int64
	SHA256      Sum
	Content     io.ReaderAt
}

// Attached is the result of an Attachment.
type Attached struct {
	Shipment ID
	Document Document // without ID and times after a dry run
	Checks   []Check  // of the shipment with the document
	DryRun   bool
	Pallets  []Pallet `json:"-"` // of the document, of a dry run
}

// DocumentOrder is a request for a document, or for an action on it.
type DocumentOrder struct {
	Order
	Document DocumentID
	// ExpectsEither reports whether the action is meant for this version of the shipment, or for the document as it is.
	// nil: it is for any.
	ExpectsEither func(version int64, d Document) bool
}

// document returns the document of an order, and its place among those of the shipment.
func (r *Revision) document(o DocumentOrder) (Document, int, error) {
	i, ok := r.find(o.Document)
	if !ok {
		return Document{}, 0, ErrNoDocument
	}
	if o.ExpectsEither != nil && !o.ExpectsEither(r.From.Version, r.documents[i]) {
		return Document{}, 0, ErrVersion
	}
	return r.documents[i], i, nil
}

// ErrNoDocument is an ErrNotFound: the shipment has no such document.
var ErrNoDocument = fmt.Errorf("%w: no such document", ErrNotFound)

// ErrNotReadAgain means that a document has no file that could be read again.
var ErrNotReadAgain = errors.New("the document has no file that is read")

// DuplicateError means that the shipment has a document of the same content.
type DuplicateError struct{ ID DocumentID }

// Error implements error.
func (e *DuplicateError) Error() string {
	return "the shipment has a document with exactly this content already"
}

// Bounds of documents.
const (
	MaxDocuments = 50       // of a shipment
	MaxFile      = 10 << 20 // bytes
	MaxFilename  = 200      // code points
)

// Faults returns what is wrong with the attachment, with pointers from it.
func (a Attachment) Faults() []Fault {
	var f faults
	switch {
	case a.Type == "":
		f.add(Required, "/type", "type is required")
	case !slices.Contains(DocumentTypes, a.Type):
		f.add(InvalidValue, "/type", "type must be one of %s", Join(DocumentTypes))
	case a.File == nil && a.Type != PackingList:
		f.add(InvalidValue, "/type", "a document that is given by its pallets is a %s", PackingList)
	}
	if a.File == nil {
		if len(a.Pallets) == 0 {
			f.add(Required, "/pallets", "a document has a file, or pallets: at least one")
		}
		f.pallets("/pallets", a.Pallets)
		f.declared("/declared", a.Declared)
		return f
	}
	content := cmp.Or(a.File.Field, "/file")
	f.text("", "filename", a.File.Filename, MaxFilename)
	// The service never uses the name as a path, but a client that downloads the file may.
	if name := a.File.Filename; name == "." || name == ".." || strings.ContainsAny(name, `/\`) {
		f.add(InvalidText, "/filename", "filename must be a name without directories")
	}
	switch {
	case a.Pallets != nil:
		f.add(InvalidValue, "/pallets", "a document has a file or pallets, not both")
	case a.Declared != list.Declared{}:
		f.add(InvalidValue, "/declared", "what a file declares is read in the file")
	case a.File.Size == 0:
		f.add(Required, content, "the file is empty")
	case a.File.Refused != "":
		f.add(UnsupportedDocument, content, "%s", a.File.Refused)
	case a.Type == PackingList && a.File.Kind == Unread:
		f.add(UnsupportedDocument, content, "a packing list is a CSV or XLSX file or a PDF with text, and this is %s; "+
			"send the file that it was printed from, or save it as one of these", a.File.Format)
	}
	return f
}

// Times of a request that attaches.
const (
	// storeTimeout is how much longer it may take for its file, or for as many pallets as there may be.
	storeTimeout = 2 * time.Second
	// attachWait is changeWait of such a request, whose answer the gateway waits longer for.
	attachWait = 25 * time.Second
	// ReadTimeout bounds the reading of a file: by a worker, or in a dry run.
	ReadTimeout = 30 * time.Second
)

// Waits returns how much longer than others the request may take.
func (a Attachment) Waits() time.Duration {
	if a.DryRun && a.File != nil {
		return ReadTimeout
	}
	return storeTimeout + attachWait
}

func (f *faults) declared(at string, d list.Declared) {
	within := func(name string, value, limit int) {
		if value < 0 || value > limit {
			f.add(OutOfRange, at+"/"+name, "%s must be from 0 to %d", name, limit)
		}
	}
	within("pallets", d.Pallets, list.MaxPallets)
	within("boxes", d.Boxes, list.MaxDeclaredBoxes)
	if d.NetWeight < 0 || d.NetWeight > list.MaxDeclaredWeight {
		f.add(OutOfRange, at+"/net_weight_kg", "net_weight_kg must be from 0 to %d", list.MaxDeclaredWeight/1000)
	}
	if d.ContainerNumber != "" {
		f.text(at, "container_number", d.ContainerNumber, list.MaxContainerNumber)
	}
}

// document returns the document that is attached, without ID and times.
func (a Attachment) document() Document {
	doc := Document{Type: a.Type, Status: Processed}
	if a.File == nil {
		doc.SHA256, doc.Declared = a.sum(), a.Declared
		doc.RowsRead, doc.PalletsExtracted = len(a.Pallets), len(a.Pallets)
		return doc
	}
	doc.Filename, doc.ContentType, doc.Size = a.File.Filename, a.File.ContentType, a.File.Size
	doc.SHA256 = a.File.SHA256
	if a.File.Kind != Unread && a.Type != OtherDocument { // it is read before it is part of the shipment
		doc.Status, doc.Kind, doc.Run = Queued, a.File.Kind, 1
	}
	return doc
}

// sum is the fingerprint of a document that is given by its pallets.
func (a Attachment) sum() (sum Sum) {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %d %d %d %q\n", a.Type, a.Declared.Pallets, a.Declared.Boxes, a.Declared.NetWeight,
		a.Declared.ContainerNumber)
	for _, p := range a.Pallets {
		_, _ = fmt.Fprintf(h, "%q %q %q %d %d\n", p.Number, p.ProduceName, p.Calibre, p.Boxes, p.BoxWeight)
	}
	h.Sum(sum[:0])
	return sum
}
