// Package sniff detects the type of a file by its content, and refuses types that
// are not supported.
//
// Guarantees: what is text for package tables is a CSV file; the extension of a name agrees with the content, so no
// name is that of a page, a script or a program; archives, such as XLSX files, are not
// unpacked, and refused if their directory exceeds the limits.
package sniff

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Type is the type of a file.
type Type struct {
	ContentType string
	Kind        shipments.Kind
	Name        string // for people, with its article
	Refused     string // why the file is not accepted; empty: it is
}

// supported is a type that is accepted.
type supported struct {
	contentType string
	name        string   // with its article
	extensions  []string // of files of this type
}

// Media types.
const (
	csv  = shipments.CSVMedia
	xlsx = shipments.XLSXMedia
	xlsb = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
	docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
)

// types lists the supported types, in no order.
var types = []supported{
	{shipments.PDFMedia, "a PDF", []string{".pdf"}},
	{xlsx, "an XLSX file", []string{".xlsx", ".xlsm"}},
	{csv, "a CSV or text file", []string{".csv", ".tsv", ".tab", ".txt"}},
	{"application/vnd.ms-excel", "an XLS file", []string{".xls"}},
	{"application/vnd.oasis.opendocument.spreadsheet", "an ODS file", []string{".ods"}},
	{xlsb, "an XLSB file", []string{".xlsb"}},
	{docx, "a DOCX file", []string{".docx"}},
	{"application/msword", "a DOC file", []string{".doc"}},
	{"image/jpeg", "a JPEG image", []string{".jpg", ".jpeg"}},
	{"image/png", "a PNG image", []string{".png"}},
	{"image/tiff", "a TIFF image", []string{".tif", ".tiff"}},
	{"image/webp", "a WebP image", []string{".webp"}},
	{"image/heic", "a HEIC image", []string{".heic", ".heif"}},
}

// ole is the type of compound files that are none of types; encrypted is the name of the stream that encrypted office
// documents have, in UTF-16 ([MS-OFFCRYPTO], 2.3.4).
const (
	ole       = "application/x-ole-storage"
	encrypted = "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
)

// messages are how EDI messages begin (ISO 9735, X12).
var messages = []string{"UNA:", "UNB+", "ISA*"}

// names are the names of types that are not supported, for people.
var names = map[string]string{
	"text/html": "a web page", "text/xml": "an XML file", "application/json": "a JSON file",
	"application/zip": "an archive", ole: "an old office document", "application/octet-stream": "a file of unknown type",
	"message/rfc822": "an e-mail",
}

const (
	// headBytes is the size of the part that is examined.
	headBytes = 8 << 10
	// maxUnzipped limits the unpacked size of an archive.
	maxUnzipped = 64 << 20
	// maxEntries limits the number of files in an archive.
	maxEntries = 10_000
)

// File returns the type of a file with this name, or why it is refused. Its error is that of content.
func File(content io.ReaderAt, size int64, filename string) (Type, error) {
	head := make([]byte, min(size, headBytes))
	if n, err := content.ReadAt(head, 0); n < len(head) {
		return Type{}, fmt.Errorf("sniff: %w", err)
	}
	if text := strings.TrimLeft(string(head), "\ufeff \t\r\n"); slices.ContainsFunc(
		messages, func(begin string) bool { return strings.HasPrefix(text, begin) },
	) {
		return Type{
			Refused: "an EDI message is not supported; send the list as an XLSX or CSV file, or as a PDF with text",
		}, nil
	}
	found := mimetype.Detect(bytes.TrimRight(head, "\x1a")) // the end of a text of DOS
	media, _, _ := mime.ParseMediaType(found.String())
	plain := []string{"text/plain", csv, "text/tab-separated-values"} // HTML and others have a media type of their own
	if slices.Contains(plain, media) || media == "application/octet-stream" && tables.IsText(head) {
		media = csv
	}
	if found.Is(ole) && count(content, size, encrypted) > 0 {
		return Type{Refused: "the document is protected by a password; save it without one and send it again"}, nil
	}
	if found.Is("application/zip") || found.Parent() != nil && found.Parent().Is("application/zip") {
		if count(content, size, entryHeader) > maxEntries {
			return Type{Refused: fmt.Sprintf("the file contains more than %d files", maxEntries)}, nil
		}
		z, err := zip.NewReader(content, size)
		if err != nil {
			return Type{Refused: "the file is damaged: " + strings.TrimPrefix(err.Error(), "zip: ")}, nil
		}
		if fault := tooLarge(z); fault != "" {
			return Type{Refused: fault}, nil
		}
		media = office(z, media)
	}
	i := slices.IndexFunc(types, func(t supported) bool { return t.contentType == media })
	if i < 0 {
		return Type{Refused: cmp.Or(names[media], media) +
			" is not supported; send a PDF, an XLSX or CSV file, another office document or an image"}, nil
	}
	t := Type{ContentType: media, Kind: shipments.Kinds[media], Name: types[i].name}
	extension := strings.ToLower(filepath.Ext(strings.TrimRight(filename, ". "))) // as Windows stores it
	if extension != "" && !slices.Contains(types[i].extensions, extension) {
		t.Refused = fmt.Sprintf("the name ends in %s, but the content is %s; its name ends in %s or has no extension",
			extension, types[i].name, strings.Join(types[i].extensions, ", "))
	}
	return t, nil
}

// offices are the types of archives by the names of their main parts, which some programs number.
var offices = map[string]string{"xl/workbook*.xml": xlsx, "xl/workbook*.bin": xlsb, "word/document*.xml": docx}

// entryHeader is how an entry of the directory of an archive begins (APPNOTE.TXT, 4.3.12). The directory takes several
// times its size in memory, and its own count of entries may be false.
const entryHeader = "PK\x01\x02"

// office returns the media type of an archive by its files, whose order differs
// between programs.
func office(z *zip.Reader, media string) string {
	for _, f := range z.File {
		for pattern, media := range offices {
			if is, _ := path.Match(pattern, f.Name); is {
				return media
			}
		}
	}
	return media
}

// count returns how often a text is in content, without having all of it in memory.
func count(content io.ReaderAt, size int64, text string) (n int) {
	piece := make([]byte, 64<<10+len(text)-1)
	for at := int64(0); at < size; at += 64 << 10 {
		read, _ := content.ReadAt(piece, at)
		n += bytes.Count(piece[:read], []byte(text))
	}
	return n
}

// tooLarge returns how the directory of an archive exceeds the limits, or "".
func tooLarge(z *zip.Reader) string {
	var sum uint64
	for _, f := range z.File {
		if sum += f.UncompressedSize64; f.UncompressedSize64 > maxUnzipped || sum > maxUnzipped {
			return fmt.Sprintf("the file unpacks to more than %d MiB", maxUnzipped>>20)
		}
	}
	return ""
}
