// Package packinglist reads the pallets of packing lists, and the facts of other
// documents that packing lists are compared with.
//
// A packing list is a table in a document, below a letterhead and above a
// signature. Read finds its header row, maps columns to fields by their headings
// in English, Spanish, French, Portuguese, Afrikaans and Turkish, parses numbers
// and units in the style of the document, and merges the lines of a pallet.
//
// Guarantees: any content is read or refused with an Unreadable, without a panic.
// Every pallet has the place where it was read. Whatever is skipped or assumed has
// a Remark, including each unused column that may be relevant. Pallets keep the
// domain's limits; missing and invalid values are zero.
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

// Place is a place in a document.
type Place = tables.Place

// Unreadable is the error of a document that cannot be read.
type Unreadable = tables.Unreadable

// The codes of Unreadable, beside those of package tables.
const (
	NoHeaderRow    = "no_header_row"
	NoPallets      = "no_pallets"
	TooManyPallets = "too_many_pallets"
)

// Mixed is the calibre of a pallet with more calibres than its field can hold.
const Mixed = "mixed"

// The codes of remarks, beside those of the notes of package tables.
const (
	RowContinued          = "row_continued"       // the end of a row of the page before
	RowSkipped            = "row_skipped"         // not a line of a pallet
	RowUnread             = "row_unread"          // likewise, but it has numbers
	HeaderRepeated        = "header_repeated"     //
	SheetSkipped          = "sheet_skipped"       // it has no packing list
	LineWithoutPallet     = "line_without_pallet" // nor does the line above
	LineWithoutBoxes      = "line_without_boxes"  //
	LineIncomplete        = "line_incomplete"     // unlike others of its pallet
	NotANumber            = "not_a_number"
	OutOfRange            = "out_of_range"
	NumberAmbiguous       = "number_ambiguous"    // 1.234 may be 1234
	UnitAssumed           = "unit_assumed"        // kilograms
	UnitConverted         = "unit_converted"      // from pounds, grams or tonnes
	UnitsMixed            = "units_mixed"         // several in one column
	WeightKindAssumed     = "weight_kind_assumed" // whether of a box or of a pallet
	GrossWeightUsed       = "gross_weight_used"   // there is no net weight
	WeightFromPack        = "weight_from_pack"    // from a text such as "CTN 4.5KG"
	WeightFromLetterhead  = "weight_from_head"    // given once for the whole list
	ProduceFromLetterhead = "produce_from_head"   // given once for the whole list
	DateInCalibre         = "date_in_calibre"     // a spreadsheet converted 10-12 to a date
	DateInPallet          = "date_in_pallet"      // likewise of 1/10
	TextShortened         = "text_shortened"      // to the maximum length of its field
	PalletRepeated        = "pallet_repeated"     // kept as a separate pallet
	PalletRanges          = "pallet_range_spread" // a row is several pallets
	ColumnUnused          = "column_unused"       // it may be relevant
	ColumnChosen          = "column_chosen"       // one of several with this heading, by comparing numbers
	ColumnAssumed         = "column_assumed"      // used, although its heading has an unknown word
	TableSkipped          = "table_skipped"       // it has numbers but no pallets
	NotShipped            = "not_shipped"         // by its words
	WeightImplausible     = "weight_implausible"  // for a box
	WeightsDiffer         = "weights_differ"      // boxes × box weight differ from the net weight
	RemarksLeftOut        = "remarks_left_out"    // more than the maximum

	maxRemarkText = 300 // characters
)

// Read reads a packing list. It returns Unreadable for content that is not a
// packing list or cannot be read; other errors are those of ctx and content.
func Read(ctx context.Context, kind Kind, content io.ReaderAt, size int64, _ ...shipments.Assignment) (shipments.Reading, error) {
	book, err := tables.Read(ctx, kind, content, size)
	if err != nil {
		return shipments.Reading{}, err
	}
	return interpret(ctx, book)
}
