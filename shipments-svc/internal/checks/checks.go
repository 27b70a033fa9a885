// Package checks looks a shipment over before a person decides on it: whether
// its pallets can be what the documents say they are.
//
// Each check is a pure function of the evidence, with its rule and its source
// beside it and what it compares with as a table. Guarantees: Run makes every
// check of the catalogue, in its order, whatever the evidence; a check that
// has nothing to look at is skipped and says why; details are sentences for
// people who pack, name the first places and say how many more there are;
// locations name the same places for programs.
//
// What is compared with: UNECE FFV-14 (citrus fruit, edition of 2017), FFV-26
// (peaches and nectarines), FFV-42 (avocados), FFV-50 (apples) and FFV-51
// (pears), the standards of produce without calibres that unsized names, ISPM
// 12, UN/LOCODE, Regulations (EU) 2016/2031 and 952/2013, Implementing
// Regulations (EU) 2019/2072 and 2015/2447, and the Agreement of 21 June 1999
// with Switzerland on agricultural products. Of these, the five fruits that the
// Union exempts from certificates were compared with what was published when
// the exemption began, in December 2019. A test compares the Union's members and
// the names of countries with Unicode's CLDR, and the countries of ports with ISO
// 3166-1. The size codes, the ports, the names of plants and what Great Britain
// exempts, which produce has no calibre and which places are outside of the
// Union's plant health territory were written down from general knowledge, and not compared with the
// texts; so what rests on them alone is a warning, but for a plant that a
// certificate does not name.
//
// It imports the standard library, the domain and package numbers.
package checks

import "github.com/quayside/quayside/shipments-svc/internal/shipments"

// finding is what a check has found.
type finding struct {
	result  shipments.Result
	details string
	at      []shipments.Pallet   // the pallets that are concerned
	where   []shipments.Location // and the places in documents
	count   int                  // how many things are wrong where those are no pallets
}

func pass(details string) finding { return finding{result: shipments.Pass, details: details} }
func skip(details string) finding { return finding{result: shipments.Skip, details: details} }

// catalogue is every check, in the order in which they are shown.
var catalogue = []struct {
	name string
	look func(subject) finding
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

// subject is what checks look at, with what several of them would otherwise
// find out once for each pallet.
type subject struct {
	shipments.Evidence
	sheets map[string]bool // on which pallets stand
}

func sheetsOf(pallets []shipments.Pallet) map[string]bool {
	sheets := map[string]bool{}
	for _, p := range pallets {
		sheets[p.Source.Sheet] = true
	}
	return sheets
}

// Run makes every check. It is a shipments.Judge.
func Run(given shipments.Evidence) []shipments.Check {
	e := subject{given, sheetsOf(given.Pallets)}
	all := make([]shipments.Check, len(catalogue))
	for i, c := range catalogue {
		f := c.look(e)
		all[i] = shipments.Check{Name: c.name, Result: f.result, Details: short(f.details), Count: max(f.count, len(f.at), len(f.where))}
		for _, p := range f.at[:min(len(f.at), shipments.MaxLocations)] {
			all[i].Locations = append(all[i].Locations, shipments.Location{Source: p.Source, PalletNumber: p.Number})
		}
		all[i].Locations = append(all[i].Locations, f.where[:min(len(f.where), shipments.MaxLocations-len(all[i].Locations))]...)
	}
	return all
}

var _ shipments.Judge = Run
