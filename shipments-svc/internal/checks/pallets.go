package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// duplicatePallets fails where two pallets have the same SSCC or, without one, two pallets of a
// container the same number, without regard to case and spaces.
func duplicatePallets(s subject) finding {
	if len(s.Pallets) == 0 {
		return skip("There are no pallets to check.")
	}
	var f finding
	for _, g := range groups(s.Pallets, func(p shipments.Pallet) string {
		return cmp.Or(p.Label(), strings.Join(strings.Fields(p.Container+"\x00"+p.Number), ""))
	}) {
		if len(g.pallets) > 1 {
			number, rows := g.pallets[0].Number, rowsOf(s, g.pallets...)
			f.report(shipments.Fail, fmt.Sprintf("pallet %s appears on %s", number, rows), g.pallets...)
		}
	}
	return f.or(shipments.Pass, fmt.Sprintf("%s, no duplicate pallet numbers.", counted(len(s.Pallets), "pallet")))
}

// ssccCheckDigit fails where an SSCC has a wrong check digit.
func ssccCheckDigit(s subject) finding {
	f, ssccs := finding{}, 0
	for _, p := range s.Pallets {
		sscc := p.Label()
		if sscc == "" {
			continue
		}
		ssccs++
		last := len(sscc) - 1
		if want := list.CheckDigit(sscc[:last]); sscc[last] != want {
			f.report(shipments.Fail, fmt.Sprintf("SSCC %s (%s): check digit is %c, expected %c",
				sscc, rowsOf(s, p), sscc[last], want), p)
		}
	}
	if ssccs == 0 {
		return skip("No pallet has an SSCC (18 digits).")
	}
	return f.or(shipments.Pass, counted(ssccs, "SSCC")+" checked, no check digit is wrong.")
}

// palletReuse fails where an SSCC is also in another shipment: it may not be
// reused within a year. Other pallet numbers may be reused.
func palletReuse(s subject) finding {
	bySSCC := map[string][]shipments.Pallet{}
	for _, p := range s.Pallets {
		if sscc := p.Label(); sscc != "" {
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
		problem := fmt.Sprintf("pallet %s is also in shipment %s", pallets[0].Number, use.Reference)
		f.problems = append(f.problems, problem)
		if !listed[use.SSCC] {
			listed[use.SSCC] = true
			f.pallets = append(f.pallets, pallets...)
		}
	}
	text := counted(len(bySSCC), "SSCC") + " checked, none used in another shipment of the last 12 months."
	return f.or(shipments.Pass, text)
}

// required are the fields that the API guarantees of each pallet. A calibre is not required of
// produce that is sold without one.
var required = []struct {
	name    string
	missing func(shipments.Pallet) bool
}{
	{"pallet_number", func(p shipments.Pallet) bool { return p.Number == "" }},
	{"produce_name", func(p shipments.Pallet) bool { return p.ProduceName == "" }},
	{"calibre", func(p shipments.Pallet) bool {
		return p.Calibre == "" && slices.ContainsFunc(produceOf(p), reference.IsSized)
	}},
	{"boxes", func(p shipments.Pallet) bool { return p.Boxes < 1 }},
	{"box_weight_kg", func(p shipments.Pallet) bool { return p.BoxWeight < 1 }},
}

// requiredFields fails where a pallet lacks a required field.
func requiredFields(s subject) finding {
	if len(s.Pallets) == 0 {
		return skip("There are no pallets to check.")
	}
	var incomplete []shipments.Pallet
	var fields []string
	for _, p := range s.Pallets {
		complete := true
		for _, field := range required {
			if !field.missing(p) {
				continue
			}
			complete = false
			if !slices.Contains(fields, field.name) {
				fields = append(fields, field.name)
			}
		}
		if !complete {
			incomplete = append(incomplete, p)
		}
	}
	if incomplete == nil {
		return finding{}.or(shipments.Pass, fmt.Sprintf("%s, no field is missing.", counted(len(s.Pallets), "pallet")))
	}
	return finding{
		result: shipments.Fail, pallets: incomplete,
		details: fmt.Sprintf("Fields are missing on %s: %s.", palletsOf(s, incomplete...), strings.Join(fields, ", ")),
	}
}
