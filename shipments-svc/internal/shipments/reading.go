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
	// document only facts. Assignments take precedence over the headings of a packing
	// list; the numbers of the list still verify them.
	Read(ctx context.Context, t DocumentType, kind Kind, content io.ReaderAt, size int64,
		given []Assignment) (Reading, error)
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

// UnreadableError means that a file cannot be read; a retry would fail, too, unless
// with another Assignment.
type UnreadableError struct {
	Failure
	Mappings []Mapping // how far the tables of a packing list were understood
}

// AmbiguousMapping is the code of the Failure of a packing list whose numbers agree
// with several mappings. The candidates are in its mappings.
const AmbiguousMapping = "ambiguous_mapping"

// Error implements error.
func (e *UnreadableError) Error() string { return e.Code + ": " + e.Detail }

// malformed is the failure of a reading that breaks the rules.
var malformed = Failure{Code: "malformed", Detail: "The file could not be understood."}

// valid reports whether a reading keeps the rules. Values of its pallets may be
// missing, which is for the checks to say.
func (r Reading) valid() bool {
	text := func(s string, limit int) bool {
		return len(s) <= 4*limit && !strings.ContainsFunc(s, plaintext.Refused) && utf8.ValidString(s)
	}
	also := func(p Particulars) bool {
		return p.NetWeight >= 0 && p.NetWeight <= MaxDeclaredWeight && p.GrossWeight >= 0 &&
			p.GrossWeight <= MaxDeclaredWeight &&
			!slices.ContainsFunc(p.texts(), func(t string) bool { return !text(t, MaxLot) })
	}
	line := func(produce, calibre string, boxes int, weight Grams) bool {
		return text(produce, MaxProduceName) && text(calibre, MaxCalibre) && boxes >= 0 && boxes <= MaxBoxes && weight >= 0 &&
			weight <= MaxBoxWeight
	}
	var f faults
	f.declared("", r.Declared)
	bad := f != nil || r.RowsRead < 0 || len(r.Mappings) > MaxMappings || len(r.Facts) > MaxFacts ||
		len(r.Remarks) > MaxRemarks ||
		slices.ContainsFunc(r.Mappings, func(m Mapping) bool { return !m.valid(text) }) ||
		slices.ContainsFunc(r.Facts, func(f Fact) bool {
			return !text(f.Text, MaxFactText) || !text(string(f.Kind), MaxFactText)
		}) ||
		slices.ContainsFunc(r.Remarks, func(r Remark) bool {
			return !text(r.Text, MaxFactText) || !text(r.Code+r.Stage+r.Rule, MaxFactText)
		}) ||
		slices.ContainsFunc(r.Pallets, func(p Pallet) bool {
			return !text(p.Number, MaxPalletNumber) || !line(p.ProduceName, p.Calibre, p.Boxes, p.BoxWeight) ||
				p.Source.Row < 1 || !also(p.Particulars) ||
				slices.ContainsFunc(p.Contents, func(c Content) bool {
					return !line(c.ProduceName, c.Calibre, c.Boxes, c.BoxWeight) || !also(c.Particulars)
				})
		})
	return !bad
}
