// Package sniff says what a file is, by its content alone, and refuses what is
// not taken.
//
// Guarantees: what a client says of a file is believed only where the content
// agrees; of an archive, such as an XLSX file, nothing is unpacked to judge it,
// and one that would unpack to more than may be read is refused by what its
// directory says.
package sniff

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"mime"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Type is what a file is.
type Type struct {
	ContentType string
	Kind        shipments.Kind

	name       string   // for people, with its article
	extensions []string // of files of this type
	also       []string // other media types that programs send for it
}

// Media types that are named more than once.
const (
	csv  = "text/csv"
	xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
)

// types lists what is taken. The order is of no meaning.
var types = []Type{
	{"application/pdf", shipments.PDF, "a PDF", []string{".pdf"}, []string{"application/x-pdf"}},
	{xlsx, shipments.XLSX, "an XLSX file", []string{".xlsx", ".xlsm"}, []string{"application/vnd.ms-excel", "application/zip"}},
	// Browsers on machines with Excel say that CSV is Excel's.
	{csv, shipments.CSV, "a CSV or text file", []string{".csv", ".tsv", ".tab", ".txt"}, []string{"text/plain", "application/csv", "application/vnd.ms-excel"}},
	{"application/vnd.ms-excel", shipments.Unread, "an XLS file", []string{".xls"}, nil},
	{"application/vnd.oasis.opendocument.spreadsheet", shipments.Unread, "an ODS file", []string{".ods"}, nil},
	{docx, shipments.Unread, "a DOCX file", []string{".docx"}, nil},
	{"application/msword", shipments.Unread, "a DOC file", []string{".doc"}, nil},
	{"image/jpeg", shipments.Unread, "a JPEG image", []string{".jpg", ".jpeg"}, []string{"image/jpg"}},
	{"image/png", shipments.Unread, "a PNG image", []string{".png"}, nil},
	{"image/tiff", shipments.Unread, "a TIFF image", []string{".tif", ".tiff"}, nil},
	{"image/webp", shipments.Unread, "a WebP image", []string{".webp"}, nil},
	{"image/heic", shipments.Unread, "a HEIC image", []string{".heic", ".heif"}, []string{"image/heif"}},
}

const (
	// headBytes is how much of a file tells what it is.
	headBytes = 8 << 10
	// maxUnzipped is how many bytes an archive may unpack to.
	maxUnzipped = 64 << 20
	// maxEntries is how many files an archive may hold.
	maxEntries = 10_000
)

// RefusedError says why a file is not taken.
type RefusedError struct{ Reason string }

// Error implements error.
func (e *RefusedError) Error() string { return e.Reason }

// File returns what a file of so many bytes is. Its error is a *RefusedError,
// or that of reading it.
func File(content io.ReaderAt, size int64) (Type, error) {
	head := make([]byte, min(size, headBytes))
	if n, err := content.ReadAt(head, 0); n < len(head) {
		return Type{}, fmt.Errorf("sniff: %w", err)
	}
	found := mimetype.Detect(head)
	media, _, _ := mime.ParseMediaType(found.String())
	if slices.Contains([]string{"text/plain", csv, "text/tab-separated-values"}, media) {
		media = csv // text is CSV unless it is known to be something else, such as HTML
	}
	if found.Is("application/zip") || found.Parent() != nil && found.Parent().Is("application/zip") {
		z, err := zip.NewReader(content, size)
		if err != nil {
			return Type{}, &RefusedError{"the file is damaged: " + strings.TrimPrefix(err.Error(), "zip: ")}
		}
		if err := bounded(z); err != nil {
			return Type{}, err
		}
		media = office(z, media)
	}
	i := slices.IndexFunc(types, func(t Type) bool { return t.ContentType == media })
	if i < 0 {
		return Type{}, &RefusedError{fmt.Sprintf("%s is not taken; send a PDF, an XLSX or CSV file, another office document or an image", media)}
	}
	return types[i], nil
}

// office returns the media type of an archive whose first bytes did not tell:
// programs differ in which of its files comes first.
func office(z *zip.Reader, media string) string {
	for _, f := range z.File {
		switch f.Name {
		case "xl/workbook.xml":
			return xlsx
		case "word/document.xml":
			return docx
		}
	}
	return media
}

// bounded judges an archive by its directory.
func bounded(z *zip.Reader) error {
	var sum uint64
	for _, f := range z.File {
		if sum += f.UncompressedSize64; f.UncompressedSize64 > maxUnzipped || sum > maxUnzipped {
			return &RefusedError{fmt.Sprintf("the file unpacks to more than %d MiB", maxUnzipped>>20)}
		}
	}
	if len(z.File) > maxEntries {
		return &RefusedError{fmt.Sprintf("the file holds more than %d others", maxEntries)}
	}
	return nil
}

// Agrees returns a *RefusedError where a client calls the file what it is not,
// by the ending of its name or by a media type. Endings that nothing is known
// of and media types that say nothing are no claim.
func (t Type) Agrees(filename, declared string) error {
	ending := strings.ToLower(filepath.Ext(filename))
	claimed := slices.ContainsFunc(types, func(t Type) bool { return slices.Contains(t.extensions, ending) })
	if claimed && !slices.Contains(t.extensions, ending) {
		return &RefusedError{fmt.Sprintf("the name ends in %s, but the content is %s", ending, t.name)}
	}
	media, _, err := mime.ParseMediaType(declared)
	if declared == "" || media == "application/octet-stream" {
		return nil
	}
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || media != t.ContentType && !slices.Contains(t.also, media) {
		return &RefusedError{fmt.Sprintf("the file is sent as %q, but the content is %s", declared, t.name)}
	}
	return nil
}
