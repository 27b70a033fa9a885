package checks

import (
	"fmt"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// label is what two spellings of one label have in common: the digits of an
// SSCC, or the text without spaces and regardless of case.
func label(number string) string {
	if sscc, ok := shipments.SSCC(number); ok {
		return sscc
	}
	return strings.ToUpper(strings.Join(strings.Fields(number), ""))
}

// duplicatePallets fails where two pallets have one label: a pallet that is
// listed twice is shipped once.
func duplicatePallets(e subject) finding {
	if len(e.Pallets) == 0 {
		return skip("There are no pallets to compare.")
	}
	by := map[string][]shipments.Pallet{}
	var order []string // in which labels are met a second time
	for _, p := range e.Pallets {
		key := label(p.Number)
		if by[key] = append(by[key], p); len(by[key]) == 2 {
			order = append(order, key)
		}
	}
	if order == nil {
		return pass(fmt.Sprintf("%s, no label twice.", counted(len(e.Pallets), "pallet")))
	}
	f := finding{result: shipments.Fail}
	var said []string
	for _, key := range order {
		same := by[key]
		f.at = append(f.at, same...)
		said = append(said, fmt.Sprintf("pallet %s appears on %s", same[0].Number, places(e, same)))
	}
	f.details = sentence(strings.Join(first(said), "; "))
	return f
}

// first returns the first of several sentences, and how many more there are.
func first(said []string) []string {
	if more := len(said) - shown; more > 0 {
		return append(append([]string{}, said[:shown]...), "and "+grouped(more)+" more")
	}
	return said
}

// checkDigit returns the check digit of a GS1 key's other digits: weights 3
// and 1 in turn from the right, completed to a multiple of ten (GS1 General
// Specifications, 7.9.1).
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

// ssccCheckDigit fails where the last digit of an SSCC is not its check digit:
// someone mistyped it, and no scanner will find the pallet.
func ssccCheckDigit(e subject) finding {
	var wrong []shipments.Pallet
	looked := 0
	for _, p := range e.Pallets {
		sscc, ok := shipments.SSCC(p.Number)
		if !ok {
			continue
		}
		looked++
		if last := len(sscc) - 1; checkDigit(sscc[:last]) != sscc[last] {
			wrong = append(wrong, p)
		}
	}
	switch {
	case looked == 0:
		return skip("No label is an SSCC of 18 digits.")
	case wrong == nil:
		return pass(counted(looked, "SSCC") + ", every check digit is right.")
	default:
		return finding{result: shipments.Fail, at: wrong, details: "The check digit is wrong of " + labels(e, wrong) + "."}
	}
}

// palletReuse fails where an SSCC is that of a pallet in another shipment: it
// belongs to one pallet and is not given again for a year (GS1 General
// Specifications, 4.1). Other labels start anew with each shipment.
func palletReuse(e subject) finding {
	mine := map[string][]shipments.Pallet{}
	for _, p := range e.Pallets {
		if sscc, ok := shipments.SSCC(p.Number); ok {
			mine[sscc] = append(mine[sscc], p)
		}
	}
	if len(mine) == 0 {
		return skip("No label is an SSCC of 18 digits; others may recur.")
	}
	f := finding{result: shipments.Pass, details: counted(len(mine), "SSCC") + ", none in another shipment of the last 12 months."}
	var said []string
	seen := map[string]bool{}
	for _, use := range e.Elsewhere {
		pallets, ok := mine[use.SSCC]
		if !ok {
			continue
		}
		said = append(said, fmt.Sprintf("pallet %s is in shipment %s, too", pallets[0].Number, use.Reference))
		if !seen[use.SSCC] {
			seen[use.SSCC] = true
			f.at = append(f.at, pallets...)
		}
	}
	if said != nil {
		f.result, f.details = shipments.Fail, sentence(strings.Join(first(said), "; "))
	}
	return f
}
