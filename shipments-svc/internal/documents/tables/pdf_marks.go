package tables

import "slices"

// area is a rectangle on a page in points.
type area struct{ left, bottom, right, top float64 }

func (a area) turned(angle float64) area {
	x1, y1 := turned(a.left, a.bottom, angle)
	x2, y2 := turned(a.right, a.top, angle)
	return area{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)}
}

// has reports whether the middle of another area is within this one.
func (a area) has(o area) bool {
	x, y := (o.left+o.right)/2, (o.bottom+o.top)/2
	return a.left <= x && x <= a.right && a.bottom <= y && y <= a.top
}

// with returns the area that has both.
func (a area) with(o area) area {
	return area{min(a.left, o.left), min(a.bottom, o.bottom), max(a.right, o.right), max(a.top, o.top)}
}

// thickest is the maximum height of a flat rule and width of an upright one, unless it is a line that slopes.
const thickest = 3

// crossed reports whether a rule strikes a word of a line through: a flat one between a
// seventh and a half of the font size above the base line.
func crossed(line textLine, rules []area) bool {
	const low, high, margin, slope, steepest = 0.15, 0.5, 0.25, 0.25, 20
	return slices.ContainsFunc(line, func(w word) bool {
		return slices.ContainsFunc(rules, func(r area) bool {
			middle := (r.bottom + r.top) / 2
			return r.top-r.bottom < max(thickest, min(slope*(r.right-r.left), steepest)) && r.right > r.left &&
				middle <= w.base+high*w.size && middle >= w.base+low*w.size &&
				r.left <= w.left+margin*w.size && r.right >= w.right-margin*w.size
		})
	})
}
