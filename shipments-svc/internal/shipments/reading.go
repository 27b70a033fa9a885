package shipments

import (
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
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

// Reader reads files. Its errors are UnreadableError where the file is at
// fault, or the context's; with any other it is worth to try again.
type Reader interface {
	// Read returns the content of a file: of a packing list its pallets, of another
	// document only facts.
	Read(ctx context.Context, t DocumentType, kind Kind, content io.ReaderAt, size int64) (Reading, error)
}

// Reading is the content of a file.
type Reading struct {
	Pallets  []Pallet // the documents of their Sources are not set
	Declared Declared
	Facts    []Fact
	Remarks  []Remark
	RowsRead int
	Mappings []Mapping // how each table of a packing list was understood
}

// UnreadableError means that a file cannot be read; a retry would fail, too.
type UnreadableError struct{ Failure }

// Error implements error.
func (e *UnreadableError) Error() string { return e.Code + ": " + e.Detail }

// garbled is the failure of a reading that breaks the rules.
var garbled = Failure{Code: "malformed", Detail: "The file could not be understood."}

// sound reports whether a reading keeps the rules. Values of its pallets may be
// missing, which is for the checks to say.
func (r Reading) sound() bool {
	text := func(s string, limit int) bool {
		return len(s) <= 4*limit && !strings.ContainsFunc(s, plaintext.Refused) && utf8.ValidString(s)
	}
	line := func(produce, calibre string, boxes int, weight Grams) bool {
		return text(produce, MaxProduceName) && text(calibre, MaxCalibre) && boxes >= 0 && boxes <= MaxBoxes && weight >= 0 && weight <= MaxBoxWeight
	}
	var f faults
	f.declared("", r.Declared)
	bad := f != nil || len(r.Mappings) > MaxMappings || slices.ContainsFunc(r.Mappings, func(m Mapping) bool { return !m.sound(text) }) || len(r.Facts) > MaxFacts || len(r.Remarks) > MaxRemarks || r.RowsRead < 0 ||
		slices.ContainsFunc(r.Facts, func(f Fact) bool { return !text(f.Text, MaxFactText) || !text(string(f.Kind), MaxFactText) }) ||
		slices.ContainsFunc(r.Remarks, func(r Remark) bool { return !text(r.Text, MaxFactText) || !text(r.Code, MaxFactText) }) ||
		slices.ContainsFunc(r.Pallets, func(p Pallet) bool {
			return !text(p.Number, MaxPalletNumber) || !line(p.ProduceName, p.Calibre, p.Boxes, p.BoxWeight) || p.Source.Row < 1 ||
				slices.ContainsFunc(p.Contents, func(c Content) bool {
					return !line(c.ProduceName, c.Calibre, c.Boxes, c.BoxWeight) || !text(c.Lot, MaxLot) || !text(c.Orchard, MaxLot)
				})
		})
	return !bad
}
