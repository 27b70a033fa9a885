package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// documentsOf returns the documents of a type.
func documentsOf(s subject, t shipments.DocumentType) []shipments.Document {
	return slices.DeleteFunc(slices.Clone(s.Documents), func(doc shipments.Document) bool { return doc.Type != t })
}

// documentName returns "packing list", or "packing list 2" of several.
func documentName(s subject, doc shipments.Document) string {
	same := documentsOf(s, doc.Type)
	if len(same) < 2 {
		return typeName(doc.Type)
	}
	return fmt.Sprintf("%s %d", typeName(doc.Type), 1+slices.IndexFunc(same, func(d shipments.Document) bool { return d.ID == doc.ID }))
}

func typeName(t shipments.DocumentType) string { return strings.ReplaceAll(string(t), "_", " ") }

// packingListPresent fails without a packing list, which all other checks need.
func packingListPresent(s subject) finding {
	lists := documentsOf(s, shipments.PackingList)
	if len(lists) == 0 {
		return finding{result: shipments.Fail, details: "No packing list is attached.", count: 1}
	}
	extracted := 0
	for _, doc := range lists {
		extracted += doc.PalletsExtracted
	}
	return pass(fmt.Sprintf("%s with %s.", counted(len(lists), "packing list"), counted(extracted, "pallet")))
}

// Codes of remarks by the check that reports them. Other remarks, such as a
// repeated header row, are informational.
var (
	// unread: content was not used although it may be relevant.
	unread = []string{
		"line_without_pallet", "line_incomplete", "row_unread", "row_continued", "hidden_sheet_skipped", "hidden_rows_skipped", "text_cut", "text_shortened",
		"quotes_unbalanced", "encoding_unclear", "date_in_calibre", "date_in_pallet", "pallet_repeated", "remarks_left_out", "hidden_columns_skipped",
		"column_unused", "column_chosen", "table_skipped", "pallet_range_spread", "not_shipped", "struck_through", "invisible_text",
	}
	// notNumbers: a required number is missing or invalid.
	notNumbers = []string{"not_a_number", "out_of_range", "line_without_boxes"}
	// uncertain: a number is ambiguous or implausible.
	uncertain = []string{"weight_implausible", "weights_differ", "number_ambiguous", "imprecise_number", "formula_without_value", "error_value"}
	// assumed: a unit or the meaning of a weight was assumed.
	assumed = []string{"unit_assumed", "units_mixed", "column_assumed", "weight_kind_assumed", "gross_weight_used", "weight_from_pack", "weight_from_head"}
)

// reportRemarks adds the remarks on packing lists with one of the codes.
func (f *finding) reportRemarks(s subject, result shipments.Result, codes []string) {
	for _, doc := range documentsOf(s, shipments.PackingList) {
		for _, r := range doc.Remarks {
			if !slices.Contains(codes, r.Code) {
				continue
			}
			at := shipments.Source{Document: doc.ID, Sheet: r.Sheet, Row: r.Row}
			text := r.Text
			if r.Row > 0 {
				text += " (" + sourceRows(s, []shipments.Source{at}) + ")"
				f.places = append(f.places, shipments.Location{Source: at})
			}
			f.report(result, text)
		}
	}
}

// packingListReadable fails where a packing list could not be read, and warns
// where a part of one was not used.
func packingListReadable(s subject) finding {
	lists := documentsOf(s, shipments.PackingList)
	if len(lists) == 0 {
		return skip("There is no packing list to read.")
	}
	var f finding
	rows, waiting := 0, 0
	for _, doc := range lists {
		switch doc.Status {
		case shipments.Failed:
			f.report(shipments.Fail, fmt.Sprintf("the %s could not be read: %s", documentName(s, doc), strings.TrimSuffix(doc.Failure.Detail, ".")))
		case shipments.Queued, shipments.BeingRead:
			waiting++
		default:
			rows += doc.RowsRead
		}
	}
	if f.problems == nil { // those of unread lists come first
		f.reportRemarks(s, shipments.Warn, unread)
	}
	if waiting > 0 {
		return f.or(skip("Not read yet: " + counted(waiting, "packing list") + "."))
	}
	return f.or(pass(fmt.Sprintf("%s of %s read.", counted(rows, "row"), counted(len(lists), "packing list"))))
}

// numericValues fails where a packing list lacks a required number, and warns
// of ambiguous, implausible and imprecise numbers.
func numericValues(s subject) finding {
	var f finding
	f.reportRemarks(s, shipments.Fail, notNumbers)
	f.reportRemarks(s, shipments.Warn, uncertain)
	if len(s.Pallets) == 0 {
		return f.or(skip("There are no pallets to check."))
	}
	return f.or(pass(fmt.Sprintf("All numbers of %s are valid.", counted(len(s.Pallets), "pallet"))))
}

// Limits of the weight of a box in any unit: berries are packed in boxes of
// 0.5 kg and more, and 25 kg is the most that one person should lift (ISO
// 11228-1).
const (
	lightestBox = shipments.Grams(100)
	heaviestBox = shipments.Grams(50_000)
)

// weightUnit warns where the unit or the meaning of weights was assumed, and
// fails where that makes most boxes implausibly light or heavy.
func weightUnit(s subject) finding {
	var f finding
	f.reportRemarks(s, shipments.Warn, assumed)
	implausible := having(s.Pallets, func(p shipments.Pallet) bool {
		return p.BoxWeight > heaviestBox || p.BoxWeight > 0 && p.BoxWeight < lightestBox
	})
	if f.problems != nil && len(implausible)*2 > len(s.Pallets) {
		return finding{result: shipments.Fail, pallets: implausible, details: sentence(fmt.Sprintf("%s; a box would weigh %s, so the unit is probably another",
			f.problems[0], kilograms(implausible[0].BoxWeight)))}
	}
	if len(s.Pallets) == 0 {
		return f.or(skip("There are no pallets to check."))
	}
	return f.or(pass("The documents state the units of all weights."))
}
