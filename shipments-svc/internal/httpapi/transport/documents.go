package transport

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type documentView struct {
	ID string `json:"id"`
	previewDocumentView
	CreatedAt   string `json:"created_at"`
	ProcessedAt string `json:"processed_at,omitempty"`
}

// previewDocumentView is a document of a dry run, which is not stored.
type previewDocumentView struct {
	Type             shipments.DocumentType   `json:"type"`
	Status           shipments.DocumentStatus `json:"status"`
	Error            shipments.Failure        `json:"error,omitzero"`
	Filename         string                   `json:"filename,omitempty"`
	ContentType      string                   `json:"content_type,omitempty"`
	Size             int64                    `json:"size_bytes,omitempty"`
	SHA256           string                   `json:"sha256"`
	RowsRead         int                      `json:"rows_read"`
	PalletsExtracted int                      `json:"pallets_extracted"`
	Declared         *declaredView            `json:"declared,omitempty"`
	Facts            []list.Fact              `json:"facts,omitempty"`
	Remarks          []list.Remark            `json:"remarks,omitempty"`
}

type declaredView struct {
	Pallets         int     `json:"pallets,omitempty"`
	Boxes           int     `json:"boxes,omitempty"`
	NetWeight       float64 `json:"net_weight_kg,omitempty"`
	ContainerNumber string  `json:"container_number,omitempty"`
}

// readDocumentView is a document by itself, with its mappings.
type readDocumentView struct {
	documentView
	Mappings []list.Mapping `json:"mappings,omitempty"`
}

func viewReadDocument(d shipments.Document) readDocumentView {
	return readDocumentView{viewDocument(d), d.Mappings}
}

func decodeDocumentOrder(r *http.Request) (shipments.DocumentOrder, error) {
	order, err := decodeOrder(r)
	if err != nil {
		return shipments.DocumentOrder{}, err
	}
	document, err := DocumentIDs.Parse(r.PathValue("document"))
	o := shipments.DocumentOrder{Order: order, Document: document}
	if o.Order.Expects = nil; order.Expects != nil { // an entity-tag of the document, or of its shipment
		o.ExpectsEither = func(version int64, d shipments.Document) bool {
			return precondition.Failed(r, append(tagsOf(version), tagOfDocument(d))...) == 0
		}
	}
	return o, err
}

func decodeDocumentEdit(r *http.Request) (shipments.DocumentEdit, error) {
	order, err := decodeDocumentOrder(r)
	return decodeJSON(r, err, "/document", func(o *jsonbody.Object) shipments.DocumentEdit {
		return shipments.DocumentEdit{
			DocumentOrder: order, Type: shipments.DocumentType(o.Object("document").Text("type")),
		}
	}, shipments.DocumentEdit.Faults, mergePatch)
}

// encodeDocument shows a document by itself, with its content only for tokens that may read documents.
func encodeDocument(status int) func(*http.Request, shipments.Document) reply {
	return func(r *http.Request, d shipments.Document) reply {
		if !may(r, ReadDocuments) {
			d.Facts, d.Remarks, d.Mappings = nil, nil, nil
		}
		re := shown(status, "document", viewReadDocument)(r, d)
		re.header = http.Header{"Etag": {tagOfDocument(d)}}
		return re
	}
}

// encodeQueued is the reply to a request that has a document read again, at a path beneath it.
func encodeQueued(r *http.Request, d shipments.Document) reply {
	re := encodeDocument(http.StatusAccepted)(r, d)
	re.header.Set("Location", path.Dir(canonicalPath(r)))
	return re
}

func viewDocument(d shipments.Document) documentView {
	view := documentView{
		ID: DocumentIDs.Format(d.ID), CreatedAt: viewTime(d.CreatedAt), ProcessedAt: viewTime(d.ProcessedAt),
		previewDocumentView: previewDocumentView{
			Type: d.Type, Status: d.Status, Error: d.Failure, Filename: d.Filename, ContentType: d.ContentType,
			Size: d.Size, SHA256: hex.EncodeToString(d.SHA256[:]), RowsRead: d.RowsRead,
			PalletsExtracted: d.PalletsExtracted, Facts: d.Facts, Remarks: d.Remarks,
		},
	}
	if d.Declared != (list.Declared{}) {
		view.Declared = &declaredView{
			d.Declared.Pallets,
			d.Declared.Boxes,
			d.Declared.NetWeight.Kilograms(),
			d.Declared.ContainerNumber,
		}
	}
	return view
}

// downloadTimeout is how long sending a file may take.
const downloadTimeout = 2 * time.Minute

// fileReply is the reply with a file that came from a client, or a picture of it: nothing in it is run.
func fileReply(file shipments.StoredFile, tag string) reply {
	return reply{status: http.StatusOK, file: &file, header: http.Header{
		"Content-Type":            {file.ContentType},
		"X-Content-Type-Options":  {"nosniff"},
		"Content-Security-Policy": {"sandbox; default-src 'none'"},
		"Cache-Control":           {"private, no-cache, no-transform"}, // ranges are of the file, not of a compressed form
		"Etag":                    {`"` + tag + `"`},
	}}
}

func encodeContent(_ *http.Request, file shipments.StoredFile) reply {
	re := fileReply(file, hex.EncodeToString(file.SHA256[:]))
	re.header.Set("Content-Disposition", Download(file.Filename))
	return re
}

// SendFile sends the file of a document. An error means that nothing was sent.
func SendFile(w http.ResponseWriter, r *http.Request, file shipments.StoredFile) error {
	return encodeContent(r, file).write(w, r)
}

// Download is a Content-Disposition that has a browser store what it gets
// (RFC 6266), under a name in the two forms of RFC 8187.
func Download(filename string) string {
	filename = strings.NewReplacer("/", "-", `\`, "-").Replace(filename)
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '%' {
			return '_'
		}
		return r
	}, filename)
	return `attachment; filename="` + plain + `"; filename*=UTF-8''` + strings.ReplaceAll(
		url.QueryEscape(filename), "+", "%20",
	)
}

// errRange means that a range begins after the end of a file.
var errRange = errors.New("the range begins after the end of the file")

// writeFile sends a file or a range of it, so that a download that was cut can go on. It returns an error, and sends
// nothing, if the file cannot be opened, or has nothing of the range.
func (re reply) writeFile(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), downloadTimeout)
	defer cancel()
	content, err := re.file.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	// A writer without deadlines is accepted.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTimeout))
	maps.Copy(w.Header(), re.header)
	r = r.Clone(ctx) // its preconditions were evaluated
	for _, name := range []string{"If-Match", "If-None-Match"} {
		r.Header.Del(name)
	}
	ranged := &rangeWriter{ResponseWriter: w}
	http.ServeContent(ranged, r, "", time.Time{}, content)
	if ranged.refused {
		for name := range re.header { // of the file, not of the problem
			w.Header().Del(name)
		}
		return errRange
	}
	return nil
}

// rangeWriter leaves a refusal of a range to the API, whose errors are problems.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

func (w *rangeWriter) WriteHeader(status int) {
	if w.refused = status == http.StatusRequestedRangeNotSatisfiable; !w.refused {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *rangeWriter) Write(b []byte) (int, error) {
	if w.refused {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}
