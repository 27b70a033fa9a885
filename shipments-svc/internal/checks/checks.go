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
// It imports the standard library and the domain.
package checks

import "github.com/quayside/quayside/shipments-svc/internal/shipments"

// finding is what a check has found.
type finding struct {
	result  shipments.Result
	details string
	at      []shipments.Pallet // the pallets that are concerned
	count   int                // how many things are wrong where those are no pallets
}

func pass(details string) finding { return finding{result: shipments.Pass, details: details} }
func skip(details string) finding { return finding{result: shipments.Skip, details: details} }

// catalogue is every check, in the order in which they are shown.
var catalogue = []struct {
	name string
	look func(shipments.Evidence) finding
}{
	{"packing_list_present", packingListPresent},
	{"required_fields", requiredFields},
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
	{"location_codes", locationCodes},
}

// Run makes every check. It is a shipments.Judge.
func Run(e shipments.Evidence) []shipments.Check {
	all := make([]shipments.Check, len(catalogue))
	for i, c := range catalogue {
		f := c.look(e)
		all[i] = shipments.Check{Name: c.name, Result: f.result, Details: f.details, Count: max(f.count, len(f.at))}
		for _, p := range f.at[:min(len(f.at), shipments.MaxLocations)] {
			all[i].Locations = append(all[i].Locations, shipments.Location{Source: p.Source, PalletNumber: p.Number})
		}
	}
	return all
}

var _ shipments.Judge = Run
