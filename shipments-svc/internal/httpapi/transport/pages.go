package transport

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/admission"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// This file is what the pages for people share with the API.

// Uploads admits bodies with documents, of the API and of pages together.
type Uploads struct{ receiving, reading *admission.Admission }

// NewUploads returns Uploads. A process has one.
func NewUploads() *Uploads {
	return &Uploads{admission.New(maxReceived, maxReceivedOf), admission.New(maxReading, maxReadingOf)}
}

// Form reads a document that is sent as a form. The request must have passed
// Admitted, and is admitted until its handler has returned.
func (u *Uploads) Form(
	w http.ResponseWriter, r *http.Request, org shipments.OrgID, order shipments.Order,
) (shipments.Attachment, error) {
	extendDeadlines(w)
	if err := u.receiving.Enter(r.Context(), org, bodySize(r)); err != nil {
		return shipments.Attachment{}, err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxDocument)
	a, err := decodeForm(r, order)
	if err == nil && a.DryRun {
		err = u.reading.Enter(r.Context(), org, 1)
	}
	return a, err
}

// Admitted lets requests enter admissions until their handler has returned.
func Admitted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, end := admission.Begin(r.Context())
		defer end()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// extendDeadlines gives the connection of a large request the time that it may take.
func extendDeadlines(w http.ResponseWriter) {
	control, until := http.NewResponseController(w), time.Now().Add(uploadTimeout)
	// Writers without deadlines are accepted.
	_, _ = control.SetReadDeadline(until), control.SetWriteDeadline(until.Add(answerTimeout))
}

// SendFile sends the file of a document. An error means that nothing was sent.
func SendFile(w http.ResponseWriter, r *http.Request, file shipments.StoredFile) error {
	return encodeContent(r, file).write(w, r)
}

// Problem returns the problem of an error, as the API shows it.
func Problem(err error) problem.Problem { return problemOf(err) }

// ShipmentID reads the id of a shipment; a malformed one is ErrNotFound.
func ShipmentID(text string) (shipments.ID, error) {
	return parseID[shipments.ID](text, shipmentPrefix, shipments.ErrNotFound)
}

// DocumentID reads the id of a document; a malformed one is ErrNoDocument.
func DocumentID(text string) (shipments.DocumentID, error) {
	return parseID[shipments.DocumentID](text, documentPrefix, shipments.ErrNoDocument)
}

// TemplateID reads the id of a mapping template; a malformed one is ErrNoTemplate.
func TemplateID(text string) (shipments.TemplateID, error) {
	return parseID[shipments.TemplateID](text, templatePrefix, shipments.ErrNoTemplate)
}

// FormatID returns the public id of a shipment.
func FormatID(id shipments.ID) string { return publicid.Format(shipmentPrefix, uuid.UUID(id)) }

// FormatDocumentID returns the public id of a document.
func FormatDocumentID(id shipments.DocumentID) string {
	return publicid.Format(documentPrefix, uuid.UUID(id))
}

// FormatEventID returns the public id of an event.
func FormatEventID(id shipments.EventID) string { return publicid.Format(eventPrefix, uuid.UUID(id)) }

// FormatTemplateID returns the public id of a mapping template.
func FormatTemplateID(id shipments.TemplateID) string {
	return publicid.Format(templatePrefix, uuid.UUID(id))
}

// WebhookID reads the id of a webhook endpoint; a malformed one is webhooks.ErrNotFound.
func WebhookID(text string) (webhooks.ID, error) {
	return parseID[webhooks.ID](text, endpointPrefix, webhooks.ErrNotFound)
}

// FormatWebhookID returns the public id of a webhook endpoint.
func FormatWebhookID(id webhooks.ID) string { return publicid.Format(endpointPrefix, uuid.UUID(id)) }

// EventID reads the id of an event; a malformed one is shipments.ErrNotFound.
func EventID(text string) (shipments.EventID, error) {
	return parseID[shipments.EventID](text, eventPrefix, shipments.ErrNotFound)
}

func parseID[ID ~[16]byte](text, prefix string, unknown error) (ID, error) {
	id, ok := publicid.Parse(prefix, text)
	if !ok {
		return ID(uuid.Nil), unknown
	}
	return ID(id), nil
}
