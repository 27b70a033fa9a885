package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// papersOf returns the documents of a type.
func papersOf(e subject, t shipments.DocumentType) (all []shipments.Document) {
	for _, doc := range e.Documents {
		if doc.Type == t {
			all = append(all, doc)
		}
	}
	return all
}

// paper names a document: "packing list", and which of several.
func paper(e subject, doc shipments.Document) string {
	name := strings.ReplaceAll(string(doc.Type), "_", " ")
	same := papersOf(e, doc.Type)
	if len(same) < 2 {
		return name
	}
	return fmt.Sprintf("%s %d", name, 1+slices.IndexFunc(same, func(d shipments.Document) bool { return d.ID == doc.ID }))
}

// packingListPresent fails without a packing list: it is what everything else
// is compared with.
func packingListPresent(e subject) finding {
	lists := papersOf(e, shipments.PackingList)
	if len(lists) == 0 {
		return finding{result: shipments.Fail, details: "No packing list is attached.", count: 1}
	}
	extracted := 0
	for _, doc := range lists {
		extracted += doc.PalletsExtracted
	}
	return pass(fmt.Sprintf("%s with %s.", counted(len(lists), "packing list"), counted(extracted, "pallet")))
}

// The codes of remarks by what they are about. Other remarks tell what was
// understood, such as a repeated heading.
var (
	// unread: something that a person sees, or may have meant, was not taken.
	unread = []string{
		"line_without_pallet", "hidden_sheet_skipped", "hidden_rows_skipped", "text_cut", "text_shortened",
		"quotes_unbalanced", "date_in_calibre", "pallet_repeated", "remarks_left_out", "hidden_columns_skipped",
		"column_unused", "column_chosen", "table_skipped", "pallet_range_spread",
	}
	// notNumbers: there is no number where one belongs.
	notNumbers = []string{"not_a_number", "out_of_range", "line_without_boxes"}
	// doubtful: there is one, and it may not be what was meant.
	doubtful = []string{"weight_implausible", "weights_differ", "number_ambiguous", "imprecise_number", "formula_without_value", "error_value"}
	// guessed: of what a weight is, or in which unit.
	guessed = []string{"unit_assumed", "units_mixed", "weight_kind_assumed", "gross_weight_used", "weight_from_pack", "weight_from_head"}
)

// remarked returns what readers remarked of the packing lists under the given
// codes, as parts of a sentence, and where.
func remarked(e subject, codes []string) (said []string, where []shipments.Location) {
	for _, doc := range papersOf(e, shipments.PackingList) {
		for _, r := range doc.Remarks {
			if !slices.Contains(codes, r.Code) {
				continue
			}
			at := shipments.Source{Document: doc.ID, Sheet: r.Sheet, Row: r.Row}
			text := r.Text
			if r.Row > 0 {
				text += " (" + spots(e, []shipments.Source{at}) + ")"
				where = append(where, shipments.Location{Source: at})
			}
			said = append(said, text)
		}
	}
	return said, where
}

// packingListReadable fails where a packing list could not be read, and warns
// where a part of one was not.
func packingListReadable(e subject) finding {
	lists := papersOf(e, shipments.PackingList)
	if len(lists) == 0 {
		return skip("There is no packing list to read.")
	}
	var failed []string
	rows, waiting := 0, 0
	for _, doc := range lists {
		switch doc.Status {
		case shipments.Failed:
			failed = append(failed, fmt.Sprintf("the %s could not be read: %s", paper(e, doc), strings.TrimSuffix(doc.Failure.Detail, ".")))
		case shipments.Queued, shipments.BeingRead:
			waiting++
		default:
			rows += doc.RowsRead
		}
	}
	said, where := remarked(e, unread)
	switch {
	case failed != nil:
		return finding{result: shipments.Fail, count: len(failed), details: sentence(strings.Join(first(failed), "; "))}
	case said != nil:
		return finding{result: shipments.Warn, count: len(said), where: where, details: sentence(strings.Join(first(said), "; "))}
	case waiting > 0:
		return skip(counted(waiting, "packing list") + " still to be read.")
	default:
		return pass(fmt.Sprintf("%s of %s read.", counted(rows, "row"), counted(len(lists), "packing list")))
	}
}

// numericValues fails where a packing list has no number where one belongs,
// and warns where one can be read in two ways or was not stored whole.
func numericValues(e subject) finding {
	wrong, at := remarked(e, notNumbers)
	odd, near := remarked(e, doubtful)
	switch {
	case wrong != nil:
		return finding{result: shipments.Fail, count: len(wrong) + len(odd), where: append(at, near...), details: sentence(strings.Join(first(append(wrong, odd...)), "; "))}
	case odd != nil:
		return finding{result: shipments.Warn, count: len(odd), where: near, details: sentence(strings.Join(first(odd), "; "))}
	case len(e.Pallets) == 0:
		return skip("There are no pallets whose numbers could be looked at.")
	default:
		return pass(fmt.Sprintf("The numbers of %s are numbers.", counted(len(e.Pallets), "pallet")))
	}
}

// Bounds of what a box of produce weighs, in whatever unit it was meant: fruit
// is packed in boxes of half a kilogram, berries, to 25 kg, which is what one
// person may lift (ISO 11228-1).
const (
	lightestBox = shipments.Grams(100)
	heaviestBox = shipments.Grams(50_000)
)

// weightUnit warns where a packing list does not say in which unit its weights
// are, or of what; it fails where what was assumed gives boxes that nobody
// could lift or feel.
func weightUnit(e subject) finding {
	said, where := remarked(e, guessed)
	var wrong []shipments.Pallet
	for _, p := range e.Pallets {
		if p.BoxWeight > heaviestBox || p.BoxWeight > 0 && p.BoxWeight < lightestBox {
			wrong = append(wrong, p)
		}
	}
	switch {
	case said != nil && len(wrong)*2 > len(e.Pallets):
		return finding{result: shipments.Fail, at: wrong, details: sentence(fmt.Sprintf("%s; a box would weigh %s, which no box of produce does: the unit is probably another",
			said[0], kilograms(wrong[0].BoxWeight)))}
	case said != nil:
		return finding{result: shipments.Warn, count: len(said), where: where, details: sentence(strings.Join(first(said), "; "))}
	case len(e.Pallets) == 0:
		return skip("There are no pallets whose weights could be looked at.")
	default:
		return pass("The weights are in units that the documents name.")
	}
}
