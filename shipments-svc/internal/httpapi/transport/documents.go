package transport

import (
	"context"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

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
	Facts            []shipments.Fact         `json:"facts,omitempty"`
	Remarks          []shipments.Remark       `json:"remarks,omitempty"`
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
	Mappings []shipments.Mapping `json:"mappings,omitempty"`
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
	return shipments.DocumentOrder{Order: order, Document: document}, err
}

// encodeQueued is the reply to a request that has a document read again, at a path beneath it.
func encodeQueued(r *http.Request, d shipments.Document) reply {
	re := shown(http.StatusAccepted, "document", viewReadDocument)(r, d)
	re.Header = http.Header{"Location": {path.Dir(canonicalPath(r))}}
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
	if d.Declared != (shipments.Declared{}) {
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

func encodeContent(_ *http.Request, file shipments.StoredFile) reply {
	return reply{Status: http.StatusOK, file: &file, Header: http.Header{
		"Content-Type":            {file.ContentType},
		"Content-Disposition":     {Download(file.Filename)},
		"X-Content-Type-Options":  {"nosniff"},
		"Content-Security-Policy": {"sandbox; default-src 'none'"},
		"Cache-Control":           {"private, no-cache"},
		"Etag":                    {`"` + hex.EncodeToString(file.SHA256[:]) + `"`},
	}}
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

// writeFile sends a file, of which it never sends a range: none is larger than MaxFile. It
// returns an error, and sends nothing, if the file cannot be opened.
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
	maps.Copy(w.Header(), re.Header)
	w.Header().Set("Content-Length", strconv.FormatInt(re.file.Size, 10))
	w.WriteHeader(re.Status)
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, content) // the client is gone
	}
	return nil
}
