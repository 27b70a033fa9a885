package transport

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
	"github.com/quayside/quayside/shipments-svc/internal/documents/sniff"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// errForm means that a body is not a well-formed form.
var errForm = errors.New("the form is not whole: it ends early, a part has a malformed header, or Content-Type names " +
	"another boundary")

// errFileTooLarge means that a file has more bytes than are accepted.
var errFileTooLarge = fmt.Errorf("the file may have at most %d bytes", shipments.MaxFile)

// decodeForm reads documents that are sent as a form: type, file, and perhaps dry_run. Of a page it may have several
// files, which are not validated here, and none or an empty type. The whole form is in memory, as its body has at most
// maxDocument bytes.
func decodeForm(r *http.Request, order shipments.Order, ofPage bool) (all []shipments.Attachment, err error) {
	//nolint:gosec // G120: Uploads bounds the body
	if err := r.ParseMultipartForm(maxDocument); errors.As(err, new(*http.MaxBytesError)) {
		return nil, err
	} else if err != nil {
		return nil, errForm
	}
	files := r.MultipartForm.File["file"]
	faults := formFaults(r, ofPage)
	a := shipments.Attachment{Order: order, Type: shipments.DocumentType(formValue(r, "type"))}
	switch dryRun := formValue(r, "dry_run"); dryRun {
	case "", "true", "false":
		a.DryRun = dryRun == "true"
	default:
		faults = append(faults, formFault(jsonbody.InvalidValue, "dry_run", "dry_run must be true or false"))
	}
	if len(files) == 0 {
		a.File = &shipments.Upload{Filename: "-"}
		return nil, invalid(append(faults, formFault(jsonbody.Required, "file", "file is required")), "", a.Faults())
	}
	if ofPage && (len(files) > shipments.MaxDocuments || a.DryRun && len(files) > 1) {
		faults = append(faults, formFault(jsonbody.InvalidValue, "file", fmt.Sprintf(
			"file must be one for a preview, and otherwise at most %d", shipments.MaxDocuments)))
	}
	for _, part := range files {
		if a.File, err = formFile(part); err != nil {
			return nil, err
		}
		one := a
		if ofPage && a.Type == "" {
			one.Type = shipments.SuggestType(a.File.Filename)
		}
		all = append(all, one)
	}
	if ofPage {
		return all, invalid(faults, "", nil)
	}
	return all, invalid(faults, "", a.Faults())
}

// formFile returns the file of a part.
func formFile(part *multipart.FileHeader) (*shipments.Upload, error) {
	if strings.EqualFold(part.Header.Get("Content-Transfer-Encoding"), "base64") { // RFC 7578, 4.7
		return nil, invalid([]jsonbody.Fault{formFault(jsonbody.InvalidValue, "file",
			"file is in base64, which forms do not decode; send its bytes as they are")}, "", nil)
	}
	if part.Size > shipments.MaxFile {
		return nil, errFileTooLarge
	}
	file, err := part.Open()
	if err != nil {
		return nil, err
	}
	return NewUpload(file, part.Size, jsonbody.Normal(part.Filename))
}

// formFaults returns the faults of the parts' names.
func formFaults(r *http.Request, ofPage bool) (faults []jsonbody.Fault) {
	count := map[string]int{}
	for name, values := range r.MultipartForm.Value {
		count[name] += len(values)
	}
	for name, files := range r.MultipartForm.File {
		count[name] += len(files)
	}
	known := []string{"type", "file", "dry_run"}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if !slices.Contains(known, name) {
			faults = append(faults, formFault(jsonbody.UnknownField, name, spelling.Unknown("part", name, known)))
		} else if count[name] > 1 && (!ofPage || name != "file") {
			faults = append(faults, formFault(jsonbody.InvalidValue, name, name+" is given twice"))
		}
	}
	return faults
}

func formValue(r *http.Request, name string) string { return jsonbody.Normal(r.PostFormValue(name)) }

func formFault(code, name, detail string) jsonbody.Fault {
	return jsonbody.Fault{Code: code, Pointer: "/" + name, Detail: detail}
}

// NewUpload returns a file with the name that the client declares.
func NewUpload(content io.ReaderAt, size int64, filename string) (*shipments.Upload, error) {
	u := &shipments.Upload{Filename: filename, Size: size, Content: content}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(content, 0, size)); err != nil || size == 0 {
		return u, err
	}
	sum.Sum(u.SHA256[:0])
	found, err := sniff.File(content, size, filename)
	u.ContentType, u.Kind, u.Format, u.Refused = found.ContentType, found.Kind, found.Name, found.Refused
	return u, err
}
