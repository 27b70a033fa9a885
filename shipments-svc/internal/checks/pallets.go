package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// palletKey returns what is unique among pallets: the digits of an SSCC, or else the
// container and the number, in upper case without spaces.
func palletKey(p shipments.Pallet) string {
	if sscc, ok := p.Label(); ok {
		return sscc
	}
	return strings.ToUpper(strings.Join(strings.Fields(p.Container+"\x00"+p.Number), ""))
}

// duplicatePallets fails where two pallets of a container have the same number, or two
// pallets the same SSCC.
func duplicatePallets(s subject) finding {
	if len(s.Pallets) == 0 {
		return skip("There are no pallets to check.")
	}
	byKey := map[string][]shipments.Pallet{}
	var duplicates []string // keys in the order in which they repeat
	for _, p := range s.Pallets {
		key := palletKey(p)
		if byKey[key] = append(byKey[key], p); len(byKey[key]) == 2 {
			duplicates = append(duplicates, key)
		}
	}
	var f finding
	for _, key := range duplicates {
		same := byKey[key]
		f.report(shipments.Fail, fmt.Sprintf("pallet %s appears on %s", same[0].Number, rowsOf(s, same...)), same...)
	}
	return f.or(pass(fmt.Sprintf("%s, no duplicate pallet numbers.", counted(len(s.Pallets), "pallet"))))
}

// checkDigit returns the check digit of a GS1 key without its last digit:
// weights 3 and 1 alternately from the right, completed to a multiple of ten.
func checkDigit(digits string) byte {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			n *= 3
		}
		sum += n
	}
	return '0' + byte((10-sum%10)%10)
}

// ssccCheckDigit fails where an SSCC has a wrong check digit.
func ssccCheckDigit(s subject) finding {
	f, ssccs := finding{}, 0
	for _, p := range s.Pallets {
		sscc, ok := p.Label()
		if !ok {
			continue
		}
		ssccs++
		last := len(sscc) - 1
		if want := checkDigit(sscc[:last]); sscc[last] != want {
			f.report(shipments.Fail, fmt.Sprintf("SSCC %s (%s): check digit is %c, expected %c",
				sscc, rowsOf(s, p), sscc[last], want), p)
		}
	}
	if ssccs == 0 {
		return skip("No pallet has an SSCC (18 digits).")
	}
	return f.or(pass(counted(ssccs, "SSCC") + " checked, no check digit is wrong."))
}

// palletReuse fails where an SSCC is also in another shipment: it may not be
// reused within a year. Other pallet numbers may be reused.
func palletReuse(s subject) finding {
	bySSCC := map[string][]shipments.Pallet{}
	for _, p := range s.Pallets {
		if sscc, ok := p.Label(); ok {
			bySSCC[sscc] = append(bySSCC[sscc], p)
		}
	}
	if len(bySSCC) == 0 {
		return skip("No pallet has an SSCC (18 digits); other numbers may be reused.")
	}
	f, listed := finding{result: shipments.Fail}, map[string]bool{}
	for _, use := range s.Reused {
		pallets := bySSCC[use.SSCC]
		if pallets == nil {
			continue
		}
		f.problems = append(f.problems, fmt.Sprintf("pallet %s is also in shipment %s", pallets[0].Number, use.Reference))
		if !listed[use.SSCC] {
			listed[use.SSCC] = true
			f.pallets = append(f.pallets, pallets...)
		}
	}
	return f.or(pass(counted(len(bySSCC), "SSCC") + " checked, none used in another shipment of the last 12 months."))
}

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
