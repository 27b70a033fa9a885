// Package remarks collects what the stages of reading remark.
package remarks

import (
	"fmt"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// List is the remarks of a stage.
type List struct {
	Stage string
	All   []shipments.Remark
}

// MaxText is the maximum length of a remark in characters.
const MaxText = 300

// Add adds a remark. The rule's id is that of the code, with what follows a slash: the
// code "unit_assumed" by the rule "unit_assumed/heading".
func (l *List) Add(rule string, at tables.Place, format string, args ...any) {
	if l == nil || len(l.All) > shipments.MaxRemarks { // one more, so that the end is noticed
		return
	}
	code := rule
	for i := range rule {
		if rule[i] == '/' {
			code = rule[:i]
			break
		}
	}
	text, _ := Shortened(fmt.Sprintf(format, args...), MaxText)
	l.All = append(l.All, shipments.Remark{Code: code, Stage: l.Stage, Rule: rule, Text: text, Place: Place(at)})
}

// Place returns a place as the domain has it.
func Place(at tables.Place) shipments.Place { return shipments.Place{Sheet: at.Sheet, Row: at.Row} }

// Shortened returns the first limit characters of a text, and whether it had more.
func Shortened(text string, limit int) (string, bool) {
	n := 0
	for i := range text {
		if n == limit {
			return text[:i], true
		}
		n++
	}
	return text, false
}

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
	LineReversed          = "line_reversed"       // takes boxes from another line
	CartonsCounted        = "cartons_counted"     // a row is a box
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
	TemplateContradicted  = "template_contradicted"
	RemarksLeftOut        = "remarks_left_out" // more than the maximum
)
