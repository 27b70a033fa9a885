package tables

import (
	"math"
	"slices"

	"github.com/ledongthuc/pdf"
)

// area is a rectangle on a page in points.
type area struct{ left, bottom, right, top float64 }

const (
	// thickest is the maximum height of a rule.
	thickest = 3
	// slope and maxSlope are the maximum slope and height of a line that crosses a row out.
	slope, maxSlope = 0.25, 20
	// maxRules is the maximum number of rules of a page; others are not used.
	maxRules = 10_000
)

// outline collects the rules of a path until it is painted.
type outline struct {
	x, y  float64
	rules []area
}

// trace executes an operator of paths (ISO 32000-1, 8.5).
func (d *drawing) trace(op string, number func(int) float64) {
	switch op {
	case "m":
		d.path.x, d.path.y = d.now.ctm.at(number(0), number(1))
	case "l", "c", "v", "y": // a curve is read as the line between its ends
		x, y := d.now.ctm.at(number(operands[op]-2), number(operands[op]-1))
		d.rule(d.path.x, d.path.y, x, y, max(thickest, min(slope*math.Abs(x-d.path.x), maxSlope)))
		d.path.x, d.path.y = x, y
	case "re":
		x1, y1 := d.now.ctm.at(number(0), number(1))
		x2, y2 := d.now.ctm.at(number(0)+number(2), number(1)+number(3))
		d.rule(x1, y1, x2, y2, thickest)
	default:
		if op != "n" {
			d.rules = append(d.rules, d.path.rules[:min(len(d.path.rules), maxRules-len(d.rules))]...)
		}
		d.path.rules = nil
	}
}

// rule adds a line between two corners to the path, if it is lower than a height.
func (d *drawing) rule(x1, y1, x2, y2, height float64) {
	if math.Abs(y1-y2) < height && x1 != x2 && len(d.path.rules) < maxRules {
		middle := (y1 + y2) / 2
		d.path.rules = append(d.path.rules, area{min(x1, x2), middle, max(x1, x2), middle})
	}
}

// annotations adds the marks that strike text out, and the texts of notes and stamps
// (ISO 32000-1, 12.5.6).
func (d *drawing) annotations(page pdf.Value) {
	all := page.Key("Annots")
	for i := range min(all.Len(), maxRules) {
		switch mark := all.Index(i); mark.Key("Subtype").Name() {
		case "StrikeOut", "Line", "Ink":
			rect := func(i int) float64 { return mark.Key("Rect").Index(i).Float64() }
			margin := (rect(3) - rect(1)) / 4 // beside its line
			x1, y1 := d.now.ctm.at(rect(0), rect(1)+margin)
			x2, y2 := d.now.ctm.at(rect(2), rect(3)-margin)
			d.rules = append(d.rules, area{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)})
		case "FreeText", "Stamp", "Text":
			if d.aside.Len() < MaxText {
				d.aside.WriteString(" " + mark.Key("Contents").Text())
			}
		}
	}
}

// crossed reports whether a rule strikes a word of a line through: between a seventh and a
// half of the font size above the base line.
func crossed(line textLine, rules []area) bool {
	const low, high, margin = 0.15, 0.5, 0.25 // of the font size
	return slices.ContainsFunc(line, func(w word) bool {
		return slices.ContainsFunc(rules, func(r area) bool {
			return r.bottom <= w.base+high*w.size && r.top >= w.base+low*w.size &&
				r.left <= w.left+margin*w.size && r.right >= w.right-margin*w.size
		})
	})
}
