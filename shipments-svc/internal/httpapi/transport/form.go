package transport

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
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

// decodeForm reads a document that is sent as a form: type, file, and perhaps
// dry_run. The whole form is in memory, as its body has at most maxDocument bytes.
func decodeForm(r *http.Request, order shipments.Order) (shipments.Attachment, error) {
	//nolint:gosec // G120: Uploads bounds the body
	if err := r.ParseMultipartForm(maxDocument); errors.As(err, new(*http.MaxBytesError)) {
		return shipments.Attachment{}, err
	} else if err != nil {
		return shipments.Attachment{}, errForm
	}
	faults := formFaults(r)
	a := shipments.Attachment{Order: order, Type: shipments.DocumentType(formValue(r, "type"))}
	switch dryRun := formValue(r, "dry_run"); dryRun {
	case "", "true", "false":
		a.DryRun = dryRun == "true"
	default:
		faults = append(faults, formFault(jsonbody.InvalidValue, "dry_run", "dry_run must be true or false"))
	}
	files := r.MultipartForm.File["file"]
	if len(files) == 0 {
		a.File = &shipments.Upload{Filename: "-"}
		return a, invalid(append(faults, formFault(jsonbody.Required, "file", "file is required")), "", a.Faults())
	}
	if strings.EqualFold(files[0].Header.Get("Content-Transfer-Encoding"), "base64") { // RFC 7578, 4.7
		return a, invalid(append(faults, formFault(jsonbody.InvalidValue, "file",
			"file is in base64, which forms do not decode; send its bytes as they are")), "", nil)
	}
	if files[0].Size > shipments.MaxFile {
		return shipments.Attachment{}, errFileTooLarge
	}
	file, err := files[0].Open()
	if err != nil {
		return shipments.Attachment{}, err
	}
	a.File, err = newUpload(file, files[0].Size, jsonbody.Normal(files[0].Filename))
	if err != nil {
		return shipments.Attachment{}, err
	}
	return a, invalid(faults, "", a.Faults())
}

// formFaults returns the faults of the parts' names.
func formFaults(r *http.Request) (faults []jsonbody.Fault) {
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
		} else if count[name] > 1 {
			faults = append(faults, formFault(jsonbody.InvalidValue, name, name+" is given twice"))
		}
	}
	return faults
}

func formValue(r *http.Request, name string) string { return jsonbody.Normal(r.PostFormValue(name)) }

func formFault(code, name, detail string) jsonbody.Fault {
	return jsonbody.Fault{Code: code, Pointer: "/" + name, Detail: detail}
}

// newUpload returns the file with the name that the client declares.
func newUpload(content io.ReaderAt, size int64, filename string) (*shipments.Upload, error) {
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
