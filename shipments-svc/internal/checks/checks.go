// Package checks checks a shipment before it is reviewed: whether its pallets
// are complete and plausible, and agree with its documents.
//
// Each check is a pure function, with its rule and source beside it and its
// reference data as a table. Guarantees: Run makes every check of the catalogue,
// in its order, for any evidence; a check without data is skipped, with the reason;
// details are sentences that name the first places and the number of the others;
// locations name the same places for programs.
//
// Reference data: UNECE FFV-14 (citrus fruit, edition of 2017), FFV-26 (peaches
// and nectarines), FFV-42 (avocados), FFV-50 (apples) and FFV-51 (pears), the
// standards named in unsized, ISPM 12, UN/LOCODE, Regulations (EU) 2016/2031 and
// 952/2013, Implementing Regulations (EU) 2019/2072 and 2015/2447, and the
// Agreement of 21 June 1999 with Switzerland on agricultural products.
//
// Verified: the five fruits that the Union exempts from certificates, with the
// announcement of December 2019; the Union's members and the names of countries,
// by a test, with Unicode's CLDR; the countries of ports, by a test, with ISO
// 3166-1. Not verified against the published texts: size codes, ports, botanical
// names, Great Britain's exemptions, produce without a calibre, and places
// outside the Union's plant health territory. Findings that rest on these alone
// are warnings, except produce that no phytosanitary certificate names.
//
// It imports the standard library, the domain and package numbers.
package checks

import "github.com/quayside/quayside/shipments-svc/internal/shipments"

// finding is the result of one check.
type finding struct {
	result   shipments.Result
	details  string
	problems []string             // that report added
	pallets  []shipments.Pallet   // affected
	places   []shipments.Location // affected places of documents
	count    int                  // of problems without pallets
}

// report adds a problem and the pallets that it affects.
func (f *finding) report(r shipments.Result, problem string, pallets ...shipments.Pallet) {
	f.result, f.problems, f.pallets = worse(f.result, r), append(f.problems, problem), append(f.pallets, pallets...)
	if len(pallets) == 0 {
		f.count++
	}
}

// or returns a finding whose details are its problems, or another one if it has none.
func (f finding) or(other finding) finding {
	if f.problems == nil {
		return other
	}
	f.details = summary(f.problems)
	return f
}

func pass(details string) finding { return finding{result: shipments.Pass, details: details} }
func skip(details string) finding { return finding{result: shipments.Skip, details: details} }

// catalogue lists every check in the order of the API.
var catalogue = []struct {
	name  string
	check func(subject) finding
}{
	{"packing_list_present", packingListPresent},
	{"packing_list_readable", packingListReadable},
	{"required_fields", requiredFields},
	{"numeric_values", numericValues},
	{"weight_unit", weightUnit},
	{"duplicate_pallets", duplicatePallets},
	{"sscc_check_digit", ssccCheckDigit},
	{"pallet_reuse", palletReuse},
	{"pallet_count_declared", palletCountDeclared},
	{"box_total_declared", boxTotalDeclared},
	{"net_weight_declared", netWeightDeclared},
	{"boxes_per_pallet_outlier", boxesPerPalletOutlier},
	{"box_weight_consistent", boxWeightConsistent},
	{"pallet_weight_plausible", palletWeightPlausible},
	{"container_payload", containerPayload},
	{"container_number", containerNumber},
	{"calibre_known", calibreKnown},
	{"produce_vs_phyto", produceVsPhyto},
	{"documents_consistent", documentsConsistent},
	{"location_codes", locationCodes},
	{"required_documents", requiredDocuments},
}

// subject is the evidence with an index that several checks need.
type subject struct {
	shipments.Evidence
	sheets map[string]bool // names of the sheets with pallets
}

func sheetsOf(pallets []shipments.Pallet) map[string]bool {
	sheets := map[string]bool{}
	for _, p := range pallets {
		sheets[p.Source.Sheet] = true
	}
	return sheets
}

// Run makes every check. It is a shipments.RunChecks.
func Run(evidence shipments.Evidence) []shipments.Check {
	s := subject{evidence, sheetsOf(evidence.Pallets)}
	all := make([]shipments.Check, len(catalogue))
	for i, c := range catalogue {
		f := c.check(s)
		all[i] = shipments.Check{Name: c.name, Result: f.result, Details: limited(f.details), Count: max(f.count, len(f.pallets), len(f.places))}
		for _, p := range f.pallets[:min(len(f.pallets), shipments.MaxLocations)] {
			f.places = append(f.places, shipments.Location{Source: p.Source, PalletNumber: p.Number})
		}
		all[i].Locations = f.places[:min(len(f.places), shipments.MaxLocations)]
	}
	return all
}

var _ shipments.RunChecks = Run
