// Package checks checks a shipment before it is reviewed: whether its pallets
// are complete and plausible, and agree with its documents.
//
// Each check is a pure function, with its rule beside it; the tables that they compare
// with are those of package reference. Guarantees: Run makes every check of the
// catalogue, in its order, for any evidence; a check without data is skipped, with the
// reason; details are sentences that name the first places, or the produce of many
// pallets, and what was compared with; locations name the same places for programs.
//
// Findings that rest on tables alone that were not verified are warnings, except
// produce that no phytosanitary certificate names.
package checks

import (
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// catalogue lists every check in the order of the API, with the standard or table that
// it compares with.
var catalogue = []struct {
	name  string
	basis string
	check func(subject) finding
}{
	{"packing_list_present", "", packingListPresent},
	{"packing_list_readable", "", packingListReadable},
	{"required_fields", "", requiredFields},
	{"numeric_values", "", numericValues},
	{"weight_unit", "", weightUnit},
	{"duplicate_pallets", "", duplicatePallets},
	{"sscc_check_digit", "GS1 General Specifications, 7.9.1", ssccCheckDigit},
	{"pallet_reuse", "GS1 General Specifications, 4.1", palletReuse},
	{"pallet_count_declared", "", palletCount.check},
	{"box_total_declared", "", boxTotal.check},
	{"net_weight_declared", "", netWeight.check},
	{"boxes_per_pallet_outlier", "", boxesPerPallet.check},
	{"box_weight_consistent", "", boxWeights.check},
	{"pallet_weight_plausible", "safe working load of EPAL 1", palletWeightPlausible},
	{"container_payload", "ISO 668:2020", containerPayload},
	{"container_number", "ISO 6346", containerNumber},
	{"calibre_known", reference.SizingsSource, calibreKnown},
	{"produce_vs_phyto", "ISPM 12, 5; " + reference.CommoditiesSource, produceVsPhyto},
	{"documents_consistent", "", documentsConsistent},
	{"location_codes", reference.PortsSource, locationCodes},
	{"required_documents", reference.RequirementsSource, requiredDocuments},
}

// subject is the evidence with an index that several checks need.
type subject struct {
	shipments.Evidence
	sheets map[string]bool // names of the sheets with pallets
}

// Run makes every check. It is a shipments.RunChecks.
func Run(evidence shipments.Evidence) []shipments.Check {
	s := subject{evidence, map[string]bool{}}
	for _, p := range evidence.Pallets {
		s.sheets[p.Source.Sheet] = true
	}
	all := make([]shipments.Check, len(catalogue))
	for i, c := range catalogue {
		f := c.check(s)
		basis := ""
		if c.basis != "" && f.result != shipments.Skip {
			basis = " Basis: " + c.basis + "."
		}
		count := max(f.count, len(f.pallets), len(f.places))
		all[i] = shipments.Check{Name: c.name, Result: f.result, Details: limited(f.details, basis), Count: count}
		for _, p := range f.pallets[:min(len(f.pallets), shipments.MaxLocations)] {
			f.places = append(f.places, shipments.Location{Source: p.Source, PalletNumber: p.Number})
		}
		all[i].Locations = f.places[:min(len(f.places), shipments.MaxLocations)]
		all[i].Suggestions = f.suggestions
	}
	return all
}

// finding is the result of one check.
type finding struct {
	result   shipments.Result
	details  string
	problems []string             // that report added
	pallets  []shipments.Pallet   // affected
	places   []shipments.Location // affected places of documents
	count    int                  // of problems without pallets

	suggestions []shipments.Suggestion
}

func skip(details string) finding { return finding{result: shipments.Skip, details: details} }

// report adds a problem and the pallets that it affects.
func (f *finding) report(r shipments.Result, problem string, pallets ...shipments.Pallet) {
	f.result, f.problems, f.pallets = worse(f.result, r), append(f.problems, problem), append(f.pallets, pallets...)
	if len(pallets) == 0 {
		f.count++
	}
}

// or returns the finding with its problems as details, or one with this result if it has none.
func (f finding) or(result shipments.Result, details string) finding {
	if f.problems == nil {
		return finding{result: result, details: details}
	}
	f.details = summary(f.problems)
	return f
}

// worse returns the worse of two results of pass, warn and fail.
func worse(a, b shipments.Result) shipments.Result {
	if a == shipments.Fail || b == shipments.Pass {
		return a
	}
	return b
}

var _ shipments.RunChecks = Run
