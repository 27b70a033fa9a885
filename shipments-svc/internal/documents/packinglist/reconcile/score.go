package reconcile

import (
	"math"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// What agreement of numbers counts, in units of the score of a heading.
const (
	equalProduct = 1.5 // boxes × box weight = weight of the line
	equalTotal   = 1.0 // the lines are the total
	implausible  = 1.0 // box weights
	oddPallet    = 0.5 // weights of pallets
	invalid      = 1.5 // numbers of boxes
	duplicate    = 0.5 // pallet numbers
	uniform      = 0.5 // box weights
	grossUsed    = 0.5 // in place of net weights
	oddGross     = 1.0 // a net weight that is not somewhat below the gross weight
)

// share is how many of some things have a property.
type share struct{ has, of float64 }

func (n *share) add(has bool) {
	n.of++
	if has {
		n.has++
	}
}

func (n *share) ratio() float64 { return n.has / max(1, n.of) }

// agreement returns how well the numbers agree.
func (s *Settled) agreement() (score float64) {
	var exact, odd, bad, repeated, pallets, heavy share
	net, usual, weighed := 0.0, 0.0, 0.0
	weights, weighs := map[int]float64{}, map[string]float64{} // lines by box weight in steps of 50 g, pallets
	gross := s.used == vocabulary.GrossWeight || s.used == vocabulary.BoxGross
	for _, g := range s.groups() {
		key := s.key(g[0])
		_, seen := weighs[key]
		repeated.add(seen)
		for _, l := range g {
			weighs[key] += l.net()
			net += l.net()
			if l.Boxes.OK && l.Box.OK && l.Whole.OK && l.Whole.Value > 0 {
				exact.add(math.Abs(l.Boxes.Value*l.Box.Value-l.Whole.Value) <= 0.003*l.Whole.Value)
			}
			bad.add(l.Boxes.Present && !l.Boxes.OK)
			if l.Gross.Value > 0 && !gross {
				heavy.add(l.net() > l.Gross.Value || l.net() < 0.7*l.Gross.Value)
			}
			w := l.weight()
			if w <= 0 {
				continue
			}
			odd.add(w < 2*float64(reference.LightestBox) || w > float64(reference.HeaviestBox))
			weighed++
			weights[int(w/50+0.5)]++
			usual = max(usual, weights[int(w/50+0.5)])
		}
	}
	for _, w := range weighs {
		pallets.add(w > float64(reference.HeaviestPallet) || w > 0 && w < float64(reference.LightestPallet))
	}
	score = equalProduct*exact.ratio() + uniform*usual/max(1, weighed) -
		implausible*odd.ratio() - oddPallet*pallets.ratio() - invalid*bad.ratio() - duplicate*repeated.ratio() -
		oddGross*heavy.ratio()
	if gross {
		score -= grossUsed
	}
	declared := Declared(s.Totals)
	return score + equality(float64(declared.Boxes), boxesOf(s.Lines)) + equality(float64(declared.NetWeight), net)
}

// near reports whether two weights differ by at most 2 %, as by rounding.
func near(a, b float64) bool { return max(a, b)-min(a, b) <= 0.02*max(a, b) }

func equality(total, sum float64) float64 {
	switch {
	case total == 0 || sum == 0:
		return 0
	case math.Abs(total-sum) <= 0.002*total:
		return equalTotal
	default:
		return -equalTotal
	}
}
