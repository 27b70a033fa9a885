package transport

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// maxFormValue is how many bytes a value of a form may have that is no file.
	maxFormValue = 1 << 10
	// maxFormRest is how many bytes a form may have before its file, and after it:
	// headers, values and boundaries.
	maxFormRest = 64 << 10
)

// formError means that a body is not a well-formed form.
type formError struct{ reason string }

// Error implements error.
func (e *formError) Error() string { return e.reason }

// form is a form that is being read, with its faults.
type form struct {
	order    shipments.Order
	values   map[string]string
	file     *content
	filename string
	declared string // the media type that the client gives the file
	faults   []shipments.Fault
	body     formBody
}

// formBody is the body of a form, of which at most left bytes are read besides the
// file.
type formBody struct {
	io.Reader
	left   int
	inFile bool
}

// Read implements io.Reader.
func (b *formBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.inFile {
		return n, err
	}
	if b.left -= n; b.left < 0 {
		return 0, &formError{fmt.Sprintf("the form has more than %d bytes besides its file", maxFormRest)}
	}
	return n, err
}

// decodeForm reads a document that is sent as a form: type, file, and perhaps
// dry_run.
func decodeForm(r *http.Request, order shipments.Order) (shipments.Attachment, error) {
	if err := notEncoded(r.Header); err != nil {
		return shipments.Attachment{}, err
	}
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return shipments.Attachment{}, &formError{"the form has no boundary"}
	}
	f := form{order: order, values: map[string]string{}, body: formBody{Reader: r.Body, left: maxFormRest}}
	parts := multipart.NewReader(&f.body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF { //nolint:errorlint // one that is wrapped is an end without its boundary
			break
		}
		if err == nil {
			err = f.read(r, part)
		}
		if err = readingError(err); errors.Is(err, errCutShort) {
			err = &formError{
				"the form is not whole: it ends early, a part has a malformed header, or Content-Type names another boundary",
			}
		}
		if err != nil {
			return shipments.Attachment{}, err
		}
	}
	return f.attachment(r)
}

// read reads a part of the form.
func (f *form) read(r *http.Request, part *multipart.Part) error {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	name := params["name"]
	if err != nil || name == "" {
		return &formError{"a part of the form has no name"}
	}
	if _, again := f.values[name]; again || name == "file" && f.file != nil {
		f.fault(shipments.InvalidValue, name, "%s is given twice", name)
		return nil
	}
	switch name {
	case "file":
		// As it was sent: what FileName returns has lost its directories.
		f.filename, f.declared = jsonbody.Normal(params["filename"]), part.Header.Get("Content-Type")
		f.file = &content{max: shipments.MaxFile, expected: r.ContentLength}
		f.body.inFile = true
		_, err = io.Copy(f.file, part)
		f.body.inFile, f.body.left = false, maxFormRest
		return err
	case "type", "dry_run":
		value, err := io.ReadAll(io.LimitReader(part, maxFormValue+1))
		if len(value) > maxFormValue {
			f.fault(shipments.TooLong, name, "%s is too long", name)
			value = nil
		}
		f.values[name] = jsonbody.Normal(string(value))
		return err
	default:
		f.fault(shipments.UnknownField, name, "%s", spelling.Unknown("part", name, []string{"type", "file", "dry_run"}))
		return nil
	}
}

// attachment returns the request of the form.
func (f *form) attachment(r *http.Request) (shipments.Attachment, error) {
	a := shipments.Attachment{
		Order:  f.order,
		Type:   shipments.DocumentType(f.values["type"]),
		DryRun: f.values["dry_run"] == "true",
	}
	if value := f.values["dry_run"]; value != "" && value != "true" && value != "false" {
		f.fault(shipments.InvalidValue, "dry_run", "dry_run must be true or false")
	}
	if f.file == nil {
		f.fault(shipments.Required, "file", "file is required")
		a.File = &shipments.Upload{Filename: "-"}
	} else {
		var refused []shipments.Fault
		var err error
		if a.File, refused, err = f.file.upload(f.filename, f.declared, "/file"); err != nil {
			return shipments.Attachment{}, err
		}
		f.faults = append(f.faults, refused...)
	}
	f.fingerprint(r, a)
	return a, invalid(f.faults, "", a.Faults())
}

// fingerprint is that of the form's values: a retry has another boundary.
func (f *form) fingerprint(r *http.Request, a shipments.Attachment) {
	if body, ok := r.Body.(*idempotency.Body); ok {
		body.SetFingerprint(
			sha256.Sum256(fmt.Appendf(nil, "form %q %q %q %t %x", a.Type, f.filename, f.declared, a.DryRun, a.File.SHA256)),
		)
	}
}

func (f *form) fault(code shipments.FaultCode, name, format string, args ...any) {
	f.faults = append(f.faults, shipments.Fault{Code: code, Pointer: "/" + name, Detail: fmt.Sprintf(format, args...)})
}
