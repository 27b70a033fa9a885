package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
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

// spread is a value that pallets of a kind have much alike.
type spread struct {
	value   func(shipments.Pallet) int // 0: the pallet is not compared
	kind    func(shipments.Pallet) string
	sample  int // pallets of a kind that a median needs
	outlier func(value, usual int) bool
	has     func(value int) string // what a pallet has
	format  func(value int) string
	none    string // details without outliers
	few     string // details without a median
}

// boxesPerPallet warns of pallets with less than half or more than one and a half times the
// median number of boxes. The last pallet of a load is often half full.
var boxesPerPallet = spread{
	value:   func(p shipments.Pallet) int { return p.Boxes },
	kind:    func(p shipments.Pallet) string { return p.ProduceName + " in boxes of " + kilograms(p.BoxWeight) },
	sample:  4,
	outlier: func(boxes, usual int) bool { return 2*boxes < usual || 2*boxes > 3*usual },
	has:     func(boxes int) string { return counted(boxes, "box") },
	format:  list.Figure,
	none:    "no outliers",
	few:     "Fewer than 4 pallets have the same produce and box weight.",
}

// boxWeights warns of box weights that differ by more than a tenth from the median.
var boxWeights = spread{
	value:   func(p shipments.Pallet) int { return int(p.BoxWeight) },
	kind:    func(p shipments.Pallet) string { return p.ProduceName + " " + p.Calibre },
	sample:  2,
	outlier: func(weight, usual int) bool { return (max(weight, usual)-min(weight, usual))*10 > usual },
	has:     func(weight int) string { return "a box weight of " + kilograms(list.Grams(weight)) },
	format:  func(weight int) string { return kilograms(list.Grams(weight)) },
	none:    "box weights are consistent",
	few:     "No two pallets have the same produce and calibre.",
}

// check warns of pallets whose value is far from the median of their kind.
func (of spread) check(s subject) finding {
	f, compared := finding{}, 0
	for _, g := range groups(having(s.Pallets, func(p shipments.Pallet) bool { return of.value(p) > 0 }), of.kind) {
		if len(g.pallets) < of.sample {
			continue
		}
		compared += len(g.pallets)
		values := make([]int, len(g.pallets))
		for i, p := range g.pallets {
			values[i] = of.value(p)
		}
		slices.Sort(values)
		usual := values[(len(values)-1)/2] // the median; of an even number, the lower one
		for _, p := range g.pallets {
			if value := of.value(p); of.outlier(value, usual) {
				f.report(shipments.Warn, fmt.Sprintf("%s has %s (usual for %s: %s)",
					named(s, p), of.has(value), g.name, of.format(usual)), p)
			}
		}
	}
	if compared == 0 {
		return skip(of.few)
	}
	return f.or(shipments.Pass, fmt.Sprintf("%s compared, %s.", counted(compared, "pallet"), of.none))
}

// palletWeightPlausible fails where a pallet exceeds its safe working load, and
// warns where it is implausibly light.
func palletWeightPlausible(s subject) finding {
	var f finding
	var weights []list.Grams
	for _, p := range s.Pallets {
		w := p.Net()
		if w == 0 {
			continue
		}
		weights = append(weights, w)
		if w < reference.LightestPallet {
			f.report(shipments.Warn, fmt.Sprintf("%s weighs %s net, less than %s",
				named(s, p), kilograms(w), kilograms(reference.LightestPallet)), p)
		} else if w > reference.HeaviestPallet {
			f.report(shipments.Fail, fmt.Sprintf("%s weighs %s net, more than the safe working load of %s",
				named(s, p), kilograms(w), kilograms(reference.HeaviestPallet)), p)
		}
	}
	if weights == nil {
		return skip("There are no pallets with a weight.")
	}
	return f.or(shipments.Pass, fmt.Sprintf("%s, from %s to %s.", counted(len(weights), "pallet"),
		kilograms(slices.Min(weights)), kilograms(slices.Max(weights))))
}

// containerPayload compares the total weight with the payload of the containers
// that documents name, or of one where they name none.
func containerPayload(s subject) finding {
	if len(s.Pallets) == 0 {
		return skip("There are no pallets with a weight.")
	}
	total := list.Grams(netWeight.sum(s.Pallets))
	containers := len(containersOf(s))
	if containers == 0 && total > reference.UsualPayload {
		return skip(kilograms(total) + " exceeds the payload of one container, and no document names the containers.")
	}
	n := list.Grams(max(containers, 1))
	all := counted(int(n), "container")
	var f finding
	if most := n * reference.HeaviestPayload; total > most {
		f.report(shipments.Fail, fmt.Sprintf("%s exceeds the maximum payload of %s, %s",
			kilograms(total), all, kilograms(most)))
	} else if usual := n * reference.UsualPayload; total > usual {
		f.report(shipments.Warn, fmt.Sprintf("%s exceeds the usual payload of %s, about %s",
			kilograms(total), all, kilograms(usual)))
	}
	return f.or(shipments.Pass, fmt.Sprintf("%s in %s with a payload of about %s.", kilograms(total), all,
		kilograms(n*reference.UsualPayload)))
}
