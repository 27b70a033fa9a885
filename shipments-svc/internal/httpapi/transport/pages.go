package transport

import (
	"net/http"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/admission"
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
