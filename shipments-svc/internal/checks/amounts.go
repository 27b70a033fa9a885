package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// group is the pallets of one kind.
type group struct {
	name    string
	pallets []shipments.Pallet
}

// groups groups pallets by a text without regard to case, in the order in which
// the texts first appear.
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

// having returns the pallets for which a condition holds.
func having(pallets []shipments.Pallet, condition func(shipments.Pallet) bool) []shipments.Pallet {
	return slices.DeleteFunc(slices.Clone(pallets), func(p shipments.Pallet) bool { return !condition(p) })
}

// median returns the middle value; of an even number, the lower one.
func median[T int | shipments.Grams](pallets []shipments.Pallet, value func(shipments.Pallet) T) T {
	values := make([]T, len(pallets))
	for i, p := range pallets {
		values[i] = value(p)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// minSample is how many pallets a median of boxes needs.
const minSample = 4

// boxesPerPalletOutlier warns of pallets with less than half or more than one
// and a half times the median number of boxes of their produce and box weight.
// The last pallet of a load is often half full.
func boxesPerPalletOutlier(s subject) finding {
	f, compared := finding{}, 0
	loaded := having(s.Pallets, func(p shipments.Pallet) bool { return p.Boxes > 0 })
	byWeight := func(p shipments.Pallet) string { return p.ProduceName + " in boxes of " + kilograms(p.BoxWeight) }
	for _, g := range groups(loaded, byWeight) {
		if len(g.pallets) < minSample {
			continue
		}
		compared += len(g.pallets)
		usual := median(g.pallets, func(p shipments.Pallet) int { return p.Boxes })
		for _, p := range g.pallets {
			if 2*p.Boxes < usual || 2*p.Boxes > 3*usual {
				f.report(shipments.Warn, fmt.Sprintf("%s has %s (usual for %s: %s)",
					named(s, p), counted(p.Boxes, "box"), g.name, shipments.Figure(usual)), p)
			}
		}
	}
	if compared == 0 {
		return skip(fmt.Sprintf("Fewer than %d pallets have the same produce and box weight.", minSample))
	}
	return f.or(pass(fmt.Sprintf("%s compared, no outliers.", counted(compared, "pallet"))))
}

// boxWeightConsistent warns of box weights that differ by more than a tenth
// from the median of their produce and calibre.
func boxWeightConsistent(s subject) finding {
	f, compared := finding{}, 0
	weighed := having(s.Pallets, func(p shipments.Pallet) bool { return p.BoxWeight > 0 })
	for _, g := range groups(weighed, func(p shipments.Pallet) string { return p.ProduceName + " " + p.Calibre }) {
		if len(g.pallets) < 2 {
			continue
		}
		compared += len(g.pallets)
		usual := median(g.pallets, func(p shipments.Pallet) shipments.Grams { return p.BoxWeight })
		for _, p := range g.pallets {
			if difference := max(p.BoxWeight, usual) - min(p.BoxWeight, usual); difference*10 > usual {
				f.report(shipments.Warn, fmt.Sprintf("%s has a box weight of %s (usual for %s: %s)",
					named(s, p), kilograms(p.BoxWeight), g.name, kilograms(usual)), p)
			}
		}
	}
	if compared == 0 {
		return skip("No two pallets have the same produce and calibre.")
	}
	return f.or(pass(fmt.Sprintf("%s compared, box weights are consistent.", counted(compared, "pallet"))))
}

// palletWeightPlausible fails where a pallet exceeds its safe working load, and
// warns where it is implausibly light.
func palletWeightPlausible(s subject) finding {
	weighed := having(s.Pallets, func(p shipments.Pallet) bool { return palletWeight(p) > 0 })
	if len(weighed) == 0 {
		return skip("There are no pallets with a weight.")
	}
	var f finding
	for _, p := range weighed {
		switch w := palletWeight(p); {
		case w < reference.LightestPallet:
			f.report(shipments.Warn, fmt.Sprintf("%s weighs %s net, less than %s",
				named(s, p), kilograms(w), kilograms(reference.LightestPallet)), p)
		case w > reference.HeaviestPallet:
			f.report(shipments.Fail, fmt.Sprintf("%s weighs %s net, more than the safe working load of %s",
				named(s, p), kilograms(w), kilograms(reference.HeaviestPallet)), p)
		}
	}
	lightest, heaviest := palletWeight(slices.MinFunc(weighed, lighter)), palletWeight(slices.MaxFunc(weighed, lighter))
	return f.or(
		pass(fmt.Sprintf("%s, from %s to %s.", counted(len(weighed), "pallet"), kilograms(lightest), kilograms(heaviest))),
	)
}

func lighter(a, b shipments.Pallet) int { return int(palletWeight(a) - palletWeight(b)) }

// containerPayload compares the total weight with the payload of the containers
// that documents name, or of one where they name none.
func containerPayload(s subject) finding {
	if len(s.Pallets) == 0 {
		return skip("There are no pallets with a weight.")
	}
	total := weight(s.Pallets)
	containers := len(containersOf(s))
	if containers == 0 && total > reference.UsualPayload {
		return skip(kilograms(total) + " exceeds the payload of one container, and no document names the containers.")
	}
	n := shipments.Grams(max(containers, 1))
	all := counted(int(n), "container")
	if total > n*reference.HeaviestPayload {
		return finding{result: shipments.Fail, count: 1, details: fmt.Sprintf("%s exceeds the maximum payload of %s, %s.",
			kilograms(total), all, kilograms(n*reference.HeaviestPayload))}
	}
	if total > n*reference.UsualPayload {
		return finding{result: shipments.Warn, count: 1, details: fmt.Sprintf("%s exceeds the usual payload of %s, about %s.",
			kilograms(total), all, kilograms(n*reference.UsualPayload))}
	}
	return pass(fmt.Sprintf("%s in %s with a payload of about %s.", kilograms(total), all,
		kilograms(n*reference.UsualPayload)))
}
