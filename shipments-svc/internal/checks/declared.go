package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// requiredFields fails where a pallet lacks a field that the API guarantees. A
// calibre is not required of produce that is sold without one.
func requiredFields(s subject) finding {
	if len(s.Pallets) == 0 {
		return skip("There are no pallets to check.")
	}
	var incomplete []shipments.Pallet
	var fields []string
	for _, p := range s.Pallets {
		missing := missingFields(p)
		if missing == nil {
			continue
		}
		incomplete = append(incomplete, p)
		for _, field := range missing {
			if !slices.Contains(fields, field) {
				fields = append(fields, field)
			}
		}
	}
	if incomplete == nil {
		return pass(fmt.Sprintf("%s, no field is missing.", counted(len(s.Pallets), "pallet")))
	}
	return finding{
		result: shipments.Fail, pallets: incomplete,
		details: fmt.Sprintf("Fields are missing on %s: %s.", rowsOf(s, incomplete...), strings.Join(fields, ", ")),
	}
}

func missingFields(p shipments.Pallet) (fields []string) {
	for _, f := range []struct {
		name    string
		missing bool
	}{
		{"pallet_number", p.Number == ""},
		{"produce_name", p.ProduceName == ""},
		{"calibre", p.Calibre == "" && !allUnsized(p)},
		{"boxes", p.Boxes < 1},
		{"box_weight_kg", p.BoxWeight < 1},
	} {
		if f.missing {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// allUnsized reports whether all produce of a pallet is sold without a calibre.
func allUnsized(p shipments.Pallet) bool {
	return !slices.ContainsFunc(produceOf(p), func(produce string) bool { return !reference.IsUnsized(produce) })
}
