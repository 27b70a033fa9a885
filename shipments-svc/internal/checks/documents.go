package checks

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
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
	i := slices.IndexFunc(same, func(d shipments.Document) bool { return d.ID == doc.ID })
	return fmt.Sprintf("%s %d", typeName(doc.Type), i+1)
}

func typeName(t shipments.DocumentType) string { return strings.ReplaceAll(string(t), "_", " ") }

// identifying lists the facts of which a document of a type states one at least; of
// produce, a botanical name.
var identifying = map[shipments.DocumentType][]list.FactKind{
	shipments.PhytosanitaryCertificate: {list.PhytoFact, list.ProduceFact},
	shipments.CommercialInvoice:        {list.InvoiceFact},
	shipments.BillOfLading: {
		list.BillOfLadingFact, list.ContainerFact, list.VesselFact, list.PortOfLoadingFact,
		list.PortOfDischargeFact,
	},
}

// recognized reports whether a document may be what its type says: it states a fact of
// the type, or it was not read.
func recognized(doc shipments.Document) bool {
	kinds := identifying[doc.Type]
	return kinds == nil || doc.RowsRead == 0 || slices.ContainsFunc(doc.Facts, func(f list.Fact) bool {
		names, _ := reference.Species(f.Text)
		return slices.Contains(kinds, f.Kind) && (f.Kind != list.ProduceFact || names != nil)
	})
}

// packingListPresent fails without a packing list, which all other checks need.
func packingListPresent(s subject) finding {
	lists := documentsOf(s, shipments.PackingList)
	extracted := 0
	for _, doc := range lists {
		extracted += doc.PalletsExtracted
	}
	if len(lists) == 0 {
		return finding{result: shipments.Fail, details: "No packing list is attached.", count: 1}
	}
	text := fmt.Sprintf("%s with %s.", counted(len(lists), "packing list"), counted(extracted, "pallet"))
	return finding{}.or(shipments.Pass, text)
}

//go:embed remarks.csv
var remarksCSV string

// remark is the check that a remark belongs to, and its result there.
type remark struct {
	check  string
	result shipments.Result
}

// remarks is the table of remarks by code.
var remarks = func() map[string]remark {
	r := csv.NewReader(strings.NewReader(remarksCSV))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic(err)
	}
	all := map[string]remark{}
	for _, row := range rows[1:] {
		all[row[0]] = remark{row[1], shipments.Result(row[2])}
	}
	return all
}()

// reportRemarks adds the remarks on packing lists that belong to a check, failures
// first.
func (f *finding) reportRemarks(s subject, check string) {
	for _, result := range []shipments.Result{shipments.Fail, shipments.Warn} {
		for _, doc := range documentsOf(s, shipments.PackingList) {
			for _, r := range doc.Remarks {
				of, ok := remarks[r.Code]
				if !ok {
					of = remark{"packing_list_readable", shipments.Warn}
				}
				if of != (remark{check, result}) {
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
			why := strings.TrimSuffix(doc.Failure.Detail, ".")
			f.report(shipments.Fail, "the "+documentName(s, doc)+" could not be read: "+why)
		case shipments.Queued, shipments.BeingRead:
			waiting++
		default:
			rows += doc.RowsRead
		}
	}
	if f.problems == nil { // those of unread lists come first
		f.reportRemarks(s, "packing_list_readable")
	}
	if waiting > 0 {
		return f.or(shipments.Skip, "Not read yet: "+counted(waiting, "packing list")+".")
	}
	text := fmt.Sprintf("%s of %s read.", counted(rows, "row"), counted(len(lists), "packing list"))
	return f.or(shipments.Pass, text)
}

// numericValues fails where a packing list lacks a required number, and warns
// of ambiguous, implausible and imprecise numbers.
func numericValues(s subject) finding {
	var f finding
	f.reportRemarks(s, "numeric_values")
	if len(s.Pallets) == 0 {
		return f.or(shipments.Skip, "There are no pallets to check.")
	}
	return f.or(shipments.Pass, fmt.Sprintf("All numbers of %s are valid.", counted(len(s.Pallets), "pallet")))
}

// weightUnit warns where the unit or the meaning of weights was assumed, and
// fails where that makes most boxes implausibly light or heavy.
func weightUnit(s subject) finding {
	var f finding
	f.reportRemarks(s, "weight_unit")
	implausible := having(s.Pallets, func(p shipments.Pallet) bool {
		return p.BoxWeight > reference.HeaviestBox || p.BoxWeight > 0 && p.BoxWeight < reference.LightestBox
	})
	if f.problems != nil && len(implausible)*2 > len(s.Pallets) {
		return finding{result: shipments.Fail, pallets: implausible, details: sentence(fmt.Sprintf(
			"%s; a box would weigh %s, so the unit is probably another", f.problems[0],
			kilograms(implausible[0].BoxWeight)))}
	}
	if len(s.Pallets) == 0 {
		return f.or(shipments.Skip, "There are no pallets to check.")
	}
	return f.or(shipments.Pass, "The documents state the units of all weights.")
}
