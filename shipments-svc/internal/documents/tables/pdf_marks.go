package tables

import "slices"

// area is a rectangle on a page in points.
type area struct{ left, bottom, right, top float64 }

func (a area) turned(direction int) area {
	x1, y1 := turned(a.left, a.bottom, direction)
	x2, y2 := turned(a.right, a.top, direction)
	return area{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)}
}

// maxRules is the maximum number of rules of a page, others are not used; thickest is the
// maximum height of a flat rule and width of an upright one, unless it is a line that slopes.
const maxRules, thickest = 10_000, 3

// lineTo adds a line to the path (ISO 32000-1, 8.5), a rule once it is painted.
func (d *drawing) lineTo(n []float64) {
	x, y := d.x, d.y
	d.x, d.y = d.now.ctm.at(n[0], n[1])
	d.rule(x, y, d.x, d.y)
}

// rectangle adds the sides of a rectangle to the path.
func (d *drawing) rectangle(n []float64) {
	left, bottom := d.now.ctm.at(n[0], n[1])
	right, top := d.now.ctm.at(n[0]+n[2], n[1]+n[3])
	d.rule(left, bottom, left, top)
	d.rule(right, bottom, right, top)
	d.rule(left, bottom, right, bottom)
	d.rule(left, top, right, top)
}

// rule adds a rule to the path.
func (d *drawing) rule(x1, y1, x2, y2 float64) {
	if len(d.rules)+len(d.path) < maxRules {
		d.path = append(d.path, area{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)})
	}
}

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
