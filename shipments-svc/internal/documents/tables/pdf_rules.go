package tables

import (
	"slices"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// maxRules is the maximum number of rules of a page, maxForms that of its forms, which may contain themselves.
const maxRules, maxForms = 10_000, 1_000

// ruling collects the rules that a page and its forms draw.
type ruling struct {
	*paper
	rules []area
	forms int
}

// drawnRules returns the lines and the sides of rectangles that the page paints.
func (p *paper) drawnRules() []area {
	r := &ruling{paper: p}
	for i := range must(p.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: p.Page})).Count {
		o := must(p.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: p.Page, Index: i})).PageObject
		r.object(o, matrix{a: 1, d: 1})
	}
	return r.rules
}

// object adds the rules of a path, and of the paths of a form.
func (r *ruling) object(o references.FPDF_PAGEOBJECT, at matrix) {
	kind := must(r.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o})).Type
	if kind != enums.FPDF_PAGEOBJ_PATH && kind != enums.FPDF_PAGEOBJ_FORM {
		return
	}
	m := must(r.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: o})).Matrix
	at = matrix{float64(m.A), float64(m.B), float64(m.C), float64(m.D), float64(m.E), float64(m.F)}.times(at)
	if kind == enums.FPDF_PAGEOBJ_PATH {
		r.path(o, at)
		return
	}
	if r.forms++; r.forms > maxForms {
		return
	}
	for i := range must(r.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: o})).Count {
		part := must(r.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: o, Index: uint64(i)}))
		r.object(part.PageObject, at)
	}
}

// path adds the straight parts of a path that is painted.
func (r *ruling) path(o references.FPDF_PAGEOBJECT, at matrix) {
	mode := must(r.FPDFPath_GetDrawMode(&requests.FPDFPath_GetDrawMode{PageObject: o}))
	if mode.FillMode == enums.FPDF_FILLMODE_NONE && !mode.Stroke {
		return
	}
	var x, y, startX, startY float64
	n := must(r.FPDFPath_CountSegments(&requests.FPDFPath_CountSegments{PageObject: o})).Count
	for i := 0; i < n && len(r.rules) < maxRules; i++ {
		s := must(r.FPDFPath_GetPathSegment(&requests.FPDFPath_GetPathSegment{PageObject: o, Index: i})).PathSegment
		point := must(r.FPDFPathSegment_GetPoint(&requests.FPDFPathSegment_GetPoint{PathSegment: s}))
		toX, toY := at.at(float64(point.X), float64(point.Y))
		switch must(r.FPDFPathSegment_GetType(&requests.FPDFPathSegment_GetType{PathSegment: s})).Type {
		case enums.FPDF_SEGMENT_LINETO:
			r.rule(x, y, toX, toY)
		case enums.FPDF_SEGMENT_MOVETO:
			startX, startY = toX, toY
		default: // a curve is no rule
		}
		x, y = toX, toY
		if must(r.FPDFPathSegment_GetClose(&requests.FPDFPathSegment_GetClose{PathSegment: s})).IsClose {
			r.rule(x, y, startX, startY)
		}
	}
}

// rule adds a rule, unless it is a point.
func (r *ruling) rule(x1, y1, x2, y2 float64) {
	if x1 != x2 || y1 != y2 {
		r.rules = append(r.rules, area{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)})
	}
}

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

// crossed reports whether a flat rule strikes a word of a line through, somewhat above the base line.
func crossed(line textLine, rules []area) bool {
	const low, high, margin, slope, steepest = 0.15, 0.5, 0.25, 0.25, 20
	return slices.ContainsFunc(line, func(w word) bool {
		return slices.ContainsFunc(rules, func(r area) bool {
			middle := (r.bottom + r.top) / 2
			flat := r.right > r.left && r.top-r.bottom < max(thickest, min(slope*(r.right-r.left), steepest))
			through := middle <= w.base+high*w.size && middle >= w.base+low*w.size
			return flat && through && r.left <= w.left+margin*w.size && r.right >= w.right-margin*w.size
		})
	})
}
