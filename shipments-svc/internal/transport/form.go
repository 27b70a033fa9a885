package transport

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/quayside/quayside/shipments-svc/internal/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// maxFormValue is how many bytes a value of a form may have that is no file.
const maxFormValue = 1 << 10

// formError says that a body is not a form as it is wanted.
type formError struct{ reason string }

// Error implements error.
func (e *formError) Error() string { return e.reason }

// form is a form that is being read, with all that is wrong with it.
type form struct {
	order    shipments.Order
	values   map[string]string
	file     *spool
	filename string
	declared string // the media type that the client gives the file
	faults   []shipments.Fault
}

// decodeForm reads a document that is sent as a form: type, file, and perhaps
// dry_run.
func decodeForm(r *http.Request, order shipments.Order) (shipments.Attachment, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return shipments.Attachment{}, &formError{"the form has no boundary"}
	}
	f := form{order: order, values: map[string]string{}}
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF { //nolint:errorlint // one that is wrapped is an end without its boundary
			break
		}
		if err == nil {
			err = f.read(r, part)
		}
		if err = readingError(err); errors.Is(err, errCutShort) {
			err = &formError{"the form is not whole: it ends early, a part has a malformed header, or Content-Type names another boundary"}
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
		if f.file, err = newSpool(r); err == nil {
			_, err = io.Copy(f.file, part)
		}
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
		f.fault(shipments.UnknownField, name, "%s", jsonbody.Unknown("part", name, []string{"type", "file", "dry_run"}))
		return nil
	}
}

// attachment returns what the form asks for.
func (f *form) attachment(r *http.Request) (shipments.Attachment, error) {
	a := shipments.Attachment{Order: f.order, Type: shipments.DocumentType(f.values["type"]), DryRun: f.values["dry_run"] == "true"}
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

// fingerprint makes the request known by what the form says: whoever sends it
// again makes another boundary.
func (f *form) fingerprint(r *http.Request, a shipments.Attachment) {
	if body, ok := r.Body.(*hashedBody); ok {
		sum := sha256.Sum256(fmt.Appendf(nil, "form %q %q %q %t %x", a.Type, f.filename, f.declared, a.DryRun, a.File.SHA256))
		body.instead = &sum
	}
}

func (f *form) fault(code shipments.FaultCode, name, format string, args ...any) {
	f.faults = append(f.faults, shipments.Fault{Code: code, Pointer: "/" + name, Detail: fmt.Sprintf(format, args...)})
}
