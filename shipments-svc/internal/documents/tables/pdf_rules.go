package tables

import (
	"cmp"
	"math"
	"slices"

	"github.com/ledongthuc/pdf"
)

// rule is an almost horizontal line on a page. Lengths are in points.
type rule struct{ left, right, base float64 }

const (
	// thickest is the maximum thickness of a rule.
	thickest = 3
	// slope is the maximum slope of a rule, and maxSlope its maximum height.
	slope, maxSlope = 0.25, 20
	// maxRules is the maximum number of rules of a page; others are not used.
	maxRules = 20_000
	// maxAreas is the maximum number of filled areas of a page. Text on a page with more
	// counts as visible.
	maxAreas = 1_000
)

// outline collects the lines of a path until it is painted.
type outline struct {
	x, y  float64
	rules []rule
	areas []area
}

// trace executes an operator of paths (ISO 32000-1, 8.5).
func (d *drawing) trace(op string, number func(int) float64) {
	switch op {
	case "m":
		d.path.x, d.path.y = d.now.ctm.at(number(0), number(1))
	case "l", "c", "v", "y": // a curve is read as the line between its ends
		x, y := d.now.ctm.at(number(operands[op]-2), number(operands[op]-1))
		if middle := (d.path.y + y) / 2; math.Abs(d.path.y-y) < min(slope*math.Abs(d.path.x-x), maxSlope) {
			d.rule(d.path.x, middle, x, middle) // crosses a row out
		} else {
			d.rule(d.path.x, d.path.y, x, y)
		}
		d.path.x, d.path.y = x, y
	case "re":
		x1, y1 := d.now.ctm.at(number(0), number(1))
		x2, y2 := d.now.ctm.at(number(0)+number(2), number(1)+number(3))
		d.rule(x1, y1, x2, y2)
		if len(d.path.areas) < maxAreas {
			d.path.areas = append(d.path.areas, area{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)})
		}
	case "n":
		d.path.rules, d.path.areas = nil, nil
	default:
		if !d.now.white && op != "S" && op != "s" {
			d.filled = append(d.filled, d.path.areas[:min(len(d.path.areas), maxAreas-len(d.filled))]...)
		}
		d.path.areas = nil
		d.rules = append(d.rules, d.path.rules[:min(len(d.path.rules), maxRules-len(d.rules))]...)
		d.path.rules = nil
	}
}

// rule adds a line between two corners to the path, if it is one.
func (d *drawing) rule(x1, y1, x2, y2 float64) {
	if max(y1, y2)-min(y1, y2) < thickest && x1 != x2 && len(d.path.rules) < maxRules {
		d.path.rules = append(d.path.rules, rule{left: min(x1, x2), right: max(x1, x2), base: (y1 + y2) / 2})
	}
}

// annotations adds the marks that strike text out, and the texts of notes and stamps
// (ISO 32000-1, 12.5.6).
func (d *drawing) annotations(page pdf.Value) {
	all := page.Key("Annots")
	for i := range min(all.Len(), maxRules) {
		switch mark := all.Index(i); mark.Key("Subtype").Name() {
		case "StrikeOut":
			quads := mark.Key("QuadPoints")
			for n := 0; n+8 <= quads.Len() && len(d.rules) < maxRules; n += 8 {
				x1, y1 := d.now.ctm.at(quads.Index(n).Float64(), quads.Index(n+1).Float64())
				x2, y2 := d.now.ctm.at(quads.Index(n+6).Float64(), quads.Index(n+7).Float64())
				d.rules = append(d.rules, rule{left: min(x1, x2), right: max(x1, x2), base: (y1 + y2) / 2})
			}
		case "Line":
			d.stroke(mark.Key("L"))
		case "Ink":
			for n := range min(mark.Key("InkList").Len(), maxRules) {
				d.stroke(mark.Key("InkList").Index(n))
			}
		case "FreeText", "Stamp", "Text":
			if d.aside.Len() < MaxText {
				d.aside.WriteString(" " + mark.Key("Contents").Text())
			}
		}
	}
}

// stroke draws lines between points.
func (d *drawing) stroke(points pdf.Value) {
	for n := 0; n+2 <= points.Len() && d.left > 0; n += 2 {
		d.left--
		op := "l"
		if n == 0 {
			op = "m"
		}
		d.trace(op, func(i int) float64 { return points.Index(n + i).Float64() })
	}
	d.trace("S", nil)
}

// sorted sorts rules from bottom to top.
func sorted(rules []rule) []rule {
	slices.SortFunc(rules, func(a, b rule) int { return cmp.Compare(a.base, b.base) })
	return rules
}

// crossed reports whether a rule, from bottom to top, strikes a word of a line
// through: between a seventh and a half of the font size above the base line.
func crossed(line textLine, rules []rule) bool {
	const low, high, margin = 0.15, 0.5, 0.25 // of the font size
	return slices.ContainsFunc(line, func(w word) bool {
		first, _ := slices.BinarySearchFunc(
			rules,
			w.base+low*w.size,
			func(r rule, base float64) int { return cmp.Compare(r.base, base) },
		)
		for _, r := range rules[first:] {
			if r.base > w.base+high*w.size {
				break
			}
			if r.left <= w.left+margin*w.size && r.right >= w.right-margin*w.size {
				return true
			}
		}
		return false
	})
}
