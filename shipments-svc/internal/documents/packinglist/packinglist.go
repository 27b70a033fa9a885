// Package packinglist reads packing lists as exporters write them into
// pallets, and from other papers the facts that packing lists are compared
// with.
//
// A list is a table somewhere in a document, below a letterhead and above a
// signature. Read finds its header row, maps columns to fields by their headings
// in English, Spanish, French, Portuguese, Afrikaans and Turkish, takes numbers
// and units as they are written there, and makes of the lines that a pallet has
// one pallet.
//
// Guarantees: whatever the bytes, a list is read or refused with an Unreadable
// that says why, and nothing panics. Every value has the place where it was
// read. Nothing is dropped or guessed without a Remark, which also names each
// column that may have been meant and was not used. The pallets keep to
// the domain's bounds, but a value that the document lacks, or that is none,
// is left empty: what is made of that is not decided here.
//
// It imports the domain and packages tables and numbers.
package packinglist

import (
	"context"
	"io"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Kind is the format of a document.
type Kind = tables.Kind

// The formats that are read.
const (
	CSV  = tables.CSV
	XLSX = tables.XLSX
	PDF  = tables.PDF
)

// MaxLines is how many lines of pallets a list may have.
const MaxLines = 20_000

// Place is where something stands in a document.
type Place = tables.Place

// Unreadable says why a document cannot be read.
type Unreadable = tables.Unreadable

// The codes of Unreadable, beside those of package tables.
const (
	NoHeaderRow    = "no_header_row"
	NoPallets      = "no_pallets"
	TooManyPallets = "too_many_pallets"
)

// Mixed is the calibre of a pallet that has more than its field can name.
const Mixed = "mixed"

// The codes of remarks, beside those of notes of package tables.
const (
	RowSkipped        = "row_skipped"         // no line of a pallet
	HeaderRepeated    = "header_repeated"     //
	SheetSkipped      = "sheet_skipped"       // it has no list
	LineWithoutPallet = "line_without_pallet" // nor one above it
	LineWithoutBoxes  = "line_without_boxes"  //
	NotANumber        = "not_a_number"
	OutOfRange        = "out_of_range"
	NumberAmbiguous   = "number_ambiguous"    // 1.234 may be 1234
	UnitAssumed       = "unit_assumed"        // kilograms, because nothing says another
	UnitConverted     = "unit_converted"      // from pounds, grams or tonnes
	UnitsMixed        = "units_mixed"         // several in one column
	WeightKindAssumed = "weight_kind_assumed" // of a box or of a pallet
	GrossWeightUsed   = "gross_weight_used"   // there is no net weight
	WeightFromPack    = "weight_from_pack"    // out of a text such as "CTN 4.5KG"
	WeightFromHead    = "weight_from_head"    // said once for the whole list
	ProduceFromHead   = "produce_from_head"   // said once for the whole list
	DateInCalibre     = "date_in_calibre"     // a spreadsheet made a date of 10-12
	TextShortened     = "text_shortened"      // to what a pallet's field can hold
	PalletRepeated    = "pallet_repeated"     // kept as another pallet
	PalletRanges      = "pallet_range_spread" // a row stands for several pallets
	ColumnUnused      = "column_unused"       // it may have been meant
	ColumnChosen      = "column_chosen"       // of several with such a heading, by the numbers of others
	TableSkipped      = "table_skipped"       // it has numbers, and no pallets
	WeightImplausible = "weight_implausible"  // for a box
	WeightsDiffer     = "weights_differ"      // boxes times their weight are not the weight of the pallet
	RemarksLeftOut    = "remarks_left_out"    // there are more

	maxRemarkText = 300 // characters
)

// Read reads a packing list. What is none, or cannot be read, gives
// Unreadable; any other error is the context's or that of content.
func Read(ctx context.Context, kind Kind, content io.ReaderAt, size int64) (shipments.Reading, error) {
	book, err := tables.Read(ctx, kind, content, size)
	if err != nil {
		return shipments.Reading{}, err
	}
	return interpret(ctx, book)
}
