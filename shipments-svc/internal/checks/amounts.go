package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Limits of what is carried.
const (
	// maxPallet is the safe working load of an EUR-pallet, EPAL 1 (European
	// Pallet Association, product data sheet: 1,500 kg).
	maxPallet = shipments.Grams(1_500_000)
	// minPallet is less than a single layer of any produce weighs: a pallet of
	// less is probably a line in which boxes and pallets were mixed up.
	minPallet = shipments.Grams(50_000)
	// usualPayload is what a 40 ft high-cube reefer of 34,000 kg gross and
	// about 4,500 kg tare takes, as carriers publish it.
	usualPayload = shipments.Grams(29_500_000)
	// maxPayload is what none takes: ISO 668:2020 allows 36,000 kg gross, and
	// no 40 ft reefer has a tare below 4,000 kg.
	maxPayload = shipments.Grams(32_000_000)
)

// group is the pallets of one kind.
type group struct {
	name    string
	pallets []shipments.Pallet
}

// groups sorts pallets by a text, in the order in which the texts appear.
func groups(pallets []shipments.Pallet, by func(shipments.Pallet) string) []group {
	var all []group
	index := map[string]int{}
	for _, p := range pallets {
		name := by(p)
		key := strings.ToLower(name)
		i, ok := index[key]
		if !ok {
			i = len(all)
			index[key] = i
			all = append(all, group{name: name})
		}
		all[i].pallets = append(all[i].pallets, p)
	}
	return all
}

// having returns the pallets of which something holds: those that lack a
// value are for required_fields to tell.
func having(pallets []shipments.Pallet, holds func(shipments.Pallet) bool) []shipments.Pallet {
	return slices.DeleteFunc(slices.Clone(pallets), func(p shipments.Pallet) bool { return !holds(p) })
}

// median returns the middle of the values; of an even number, the lower.
func median[T int | shipments.Grams](pallets []shipments.Pallet, value func(shipments.Pallet) T) T {
	values := make([]T, len(pallets))
	for i, p := range pallets {
		values[i] = value(p)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// enough is how many pallets of a kind show what is usual for it.
const enough = 4

// boxesPerPalletOutlier warns of pallets that have less than half or more than
// one and a half times as many boxes as is usual for their produce and box: a
// last pallet is often short, a digit too many never right.
func boxesPerPalletOutlier(e subject) finding {
	f, compared := finding{result: shipments.Warn}, 0
	var said []string
	for _, g := range groups(having(e.Pallets, func(p shipments.Pallet) bool { return p.Boxes > 0 }), func(p shipments.Pallet) string {
		return fmt.Sprintf("%s in boxes of %s", p.ProduceName, kilograms(p.BoxWeight))
	}) {
		if len(g.pallets) < enough {
			continue
		}
		compared += len(g.pallets)
		usual := median(g.pallets, func(p shipments.Pallet) int { return p.Boxes })
		for _, p := range g.pallets {
			if 2*p.Boxes < usual || 2*p.Boxes > 3*usual {
				f.at = append(f.at, p)
				said = append(said, fmt.Sprintf("pallet %s (%s) has %s, where %d are usual for %s",
					p.Number, places(e, []shipments.Pallet{p}), counted(p.Boxes, "box"), usual, g.name))
			}
		}
	}
	switch {
	case compared == 0:
		return skip(fmt.Sprintf("No produce has %d pallets of like boxes to compare.", enough))
	case said == nil:
		return pass(fmt.Sprintf("%s compared, none stands out.", counted(compared, "pallet")))
	}
	f.details = sentence(strings.Join(first(said), "; "))
	return f
}

// boxWeightConsistent warns of boxes that weigh over a tenth more or less than
// is usual for their produce and calibre.
func boxWeightConsistent(e subject) finding {
	f, compared := finding{result: shipments.Warn}, 0
	var said []string
	for _, g := range groups(having(e.Pallets, func(p shipments.Pallet) bool { return p.BoxWeight > 0 }), func(p shipments.Pallet) string { return p.ProduceName + " " + p.Calibre }) {
		if len(g.pallets) < 2 {
			continue
		}
		compared += len(g.pallets)
		usual := median(g.pallets, func(p shipments.Pallet) shipments.Grams { return p.BoxWeight })
		for _, p := range g.pallets {
			if off := max(p.BoxWeight, usual) - min(p.BoxWeight, usual); off*10 > usual {
				f.at = append(f.at, p)
				said = append(said, fmt.Sprintf("a box of pallet %s (%s) weighs %s, where %s is usual for %s",
					p.Number, places(e, []shipments.Pallet{p}), kilograms(p.BoxWeight), kilograms(usual), g.name))
			}
		}
	}
	switch {
	case compared == 0:
		return skip("No two pallets have the same produce and calibre.")
	case said == nil:
		return pass(fmt.Sprintf("%s compared, like boxes weigh alike.", counted(compared, "pallet")))
	}
	f.details = sentence(strings.Join(first(said), "; "))
	return f
}

// palletWeightPlausible fails where a pallet weighs more than a pallet bears,
// and warns where it weighs next to nothing.
func palletWeightPlausible(e subject) finding {
	known := having(e.Pallets, func(p shipments.Pallet) bool { return palletWeight(p) > 0 })
	if len(known) == 0 {
		return skip("There are no pallets to weigh.")
	}
	f := finding{result: shipments.Pass}
	var said []string
	for _, p := range known {
		w := palletWeight(p)
		if w >= minPallet && w <= maxPallet {
			continue
		}
		bound := "less than " + kilograms(minPallet)
		if w > maxPallet {
			bound, f.result = "more than the "+kilograms(maxPallet)+" that a pallet bears", shipments.Fail
		} else if f.result == shipments.Pass {
			f.result = shipments.Warn
		}
		f.at = append(f.at, p)
		said = append(said, fmt.Sprintf("pallet %s (%s) comes to %s, %s", p.Number, places(e, []shipments.Pallet{p}), kilograms(w), bound))
	}
	if said == nil {
		return pass(fmt.Sprintf("%s, from %s to %s.", counted(len(known), "pallet"),
			kilograms(palletWeight(slices.MinFunc(known, lighter))), kilograms(palletWeight(slices.MaxFunc(known, lighter)))))
	}
	f.details = sentence(strings.Join(first(said), "; "))
	return f
}

func lighter(a, b shipments.Pallet) int { return int(palletWeight(a) - palletWeight(b)) }

// containerPayload compares the whole weight with what the declared containers
// take, or one where none is declared.
func containerPayload(e subject) finding {
	if len(e.Pallets) == 0 {
		return skip("There are no pallets to weigh.")
	}
	containers := len(containersOf(e))
	if containers == 0 && weight(e.Pallets) > usualPayload {
		return skip(fmt.Sprintf("%s is more than one container takes, and no document says how many there are.", kilograms(weight(e.Pallets))))
	}
	n := shipments.Grams(max(containers, 1))
	f := finding{result: shipments.Pass, details: fmt.Sprintf("%s in %s, which can take about %s.",
		kilograms(weight(e.Pallets)), counted(int(n), "container"), kilograms(n*usualPayload))}
	switch total := weight(e.Pallets); {
	case total > n*maxPayload:
		f.result, f.count = shipments.Fail, 1
		f.details = fmt.Sprintf("%s is more than %s can take: at most %s.", kilograms(total), counted(int(n), "container"), kilograms(n*maxPayload))
	case total > n*usualPayload:
		f.result, f.count = shipments.Warn, 1
		f.details = fmt.Sprintf("%s is more than most reefers take: about %s in %s.", kilograms(total), kilograms(n*usualPayload), counted(int(n), "container"))
	}
	return f
}
