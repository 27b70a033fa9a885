package shipments

import (
	"context"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// Kind is the format of a file.
type Kind string

// The kinds of files.
const (
	Unread Kind = "" // it is only kept
	CSV    Kind = "csv"
	XLSX   Kind = "xlsx"
	PDF    Kind = "pdf"
)

// Media types of files that are read.
const (
	CSVMedia  = "text/csv"
	XLSXMedia = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	PDFMedia  = "application/pdf"
)

// Kinds are the kinds of media types. Those of others are Unread.
var Kinds = map[string]Kind{CSVMedia: CSV, XLSXMedia: XLSX, PDFMedia: PDF}

// Reader reads files. Its errors are UnreadableError where the file is at
// fault, or the context's; with any other it is worth to try again.
type Reader interface {
	// Read returns the content of a file: of a packing list its pallets, of another
	// document only facts. Assignments take precedence over the headings of a packing
	// list; the numbers of the list still verify them.
	Read(ctx context.Context, t DocumentType, kind Kind, content io.ReaderAt, size int64,
		given []Assignment) (Reading, error)
}

// Assignment is the correction of the mapping of a packing list by a person, or a template.
type Assignment struct {
	list.Assignment
	Keep *Template `json:"keep,omitempty"` // stored once the list was read with the assignment
}

// Reading is the content of a file.
type Reading struct {
	Pallets  []Pallet // the documents of their Sources are not set
	Declared list.Declared
	Facts    []list.Fact
	Remarks  []list.Remark
	RowsRead int            `json:"rows_read"`
	Mappings []list.Mapping // how each table of a packing list was understood
}

// UnreadableError means that a file cannot be read; a retry would fail, too, unless
// with another Assignment.
type UnreadableError struct {
	Failure
	Mappings []list.Mapping // how far the tables of a packing list were understood
	// Interrupted means that reading did not come to an end, which says little about the file: what was read of it
	// before stays.
	Interrupted bool `json:"-"`
}

// Error implements error.
func (e *UnreadableError) Error() string { return e.Code + ": " + e.Detail }

// valid reports whether all texts of a reading can be stored and shown, and no number of
// it is negative. Its sizes are the reader's, and missing values are for the checks.
func (r Reading) valid() bool {
	valid := true
	leaves(reflect.ValueOf(r), func(v reflect.Value) {
		switch v.Kind() { //nolint:exhaustive // others are always valid
		case reflect.String:
			valid = valid && utf8.ValidString(v.String()) && !strings.ContainsFunc(v.String(), plaintext.Refused)
		case reflect.Int:
			valid = valid && v.Int() >= 0
		}
	})
	return valid
}
