package tables

import (
	"math"
	"slices"

	"github.com/ledongthuc/pdf"
)

// maxForms limits how often forms are drawn on a page: a form may contain itself.
const maxForms = 10_000

// turns is the number of directions of text on a page, maxExtent the maximum size of a page
// in units (ISO 32000-1, annex C).
const turns, maxExtent = 24, 14_400

// drawing collects the words of a page and of its forms (ISO 32000-1, 8.10 and 9.4). Invalid
// operators are skipped.
type drawing struct {
	page
	words [turns][]word // by the direction of their text, turned to run from left to right
	path  []area        // that is not painted yet
	x, y  float64       // the end of the path
	now   graphics
	forms int  // drawn so far
	ended bool // the last word is complete
}

// graphics is the part of the graphics state for text.
type graphics struct {
	ctm, text, line                           matrix
	font                                      *font
	size, scale, rise, leading, spaced, wider float64 // wider: at spaces
	invisible                                 bool    // as the text of a scan
}

// drawn returns what a page draws: the words of the direction that most have, which those of a
// watermark do not.
func drawn(of pdf.Page, name string) (page, error) {
	d := &drawing{page: page{name: name}, now: graphics{ctm: shift(0, 0), scale: 1}}
	if d.draw(of.V.Key("Contents"), of.Resources()); d.forms > maxForms {
		return page{}, &Unreadable{TooLarge, "the page draws too many forms", Place{Sheet: name}}
	}
	most := 0
	for i, words := range d.words {
		if len(words) > len(d.words[most]) {
			most = i
		}
	}
	for i, r := range d.rules {
		d.rules[i] = r.turned(most)
	}
	d.lines = linesOf(d.words[most])
	return d.page, nil
}

// draw draws content with the names of resources.
func (d *drawing) draw(content, resources pdf.Value) {
	if content.Kind() != pdf.Stream && content.Kind() != pdf.Array {
		return
	}
	fonts := map[string]*font{}
	var saved []graphics
	pdf.Interpret(content, func(stack *pdf.Stack, op string) {
		var args []pdf.Value // from the last
		for stack.Len() > 0 {
			args = append(args, stack.Pop())
		}
		arg := func(i int) pdf.Value {
			if i < len(args) {
				return args[i]
			}
			return pdf.Value{}
		}
		g := &d.now
		switch op {
		case "q":
			saved = append(saved, *g)
		case "Q":
			if last := len(saved) - 1; last >= 0 {
				*g, saved = saved[last], saved[:last]
			}
		case "Tf":
			name := arg(1).Name()
			if fonts[name] == nil {
				fonts[name] = fontOf(resources.Key("Font").Key(name))
			}
			g.font, g.size = fonts[name], arg(0).Float64()
		case "Tj":
			d.show(arg(0).RawString())
		case "TJ":
			for i := range arg(0).Len() {
				if part := arg(0).Index(i); part.Kind() == pdf.String {
					d.show(part.RawString())
				} else {
					g.text = shift(-part.Float64()/1000*g.size*g.scale, 0).times(g.text)
				}
			}
		case "'", `"`:
			g.move(0, -g.leading)
			d.show(arg(0).RawString())
		case "Do":
			d.form(resources.Key("XObject").Key(arg(0).Name()), resources)
		case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*":
			d.rules, d.path = append(d.rules, d.path...), nil
		default:
			if o := operators[op]; o.execute != nil && len(args) >= o.operands {
				args = args[:o.operands]
				slices.Reverse(args)
				o.execute(d, numbers(len(args), arg))
			}
		}
	})
}

// form draws a form and restores the state.
func (d *drawing) form(form, resources pdf.Value) {
	if form.Key("Subtype").Name() != "Form" || d.forms > maxForms {
		return
	}
	d.forms++
	if own := form.Key("Resources"); !own.IsNull() {
		resources = own
	}
	before := d.now
	if m := form.Key("Matrix"); m.Len() == len(matrix{}) {
		d.now.ctm = matrix(numbers(m.Len(), m.Index)).times(d.now.ctm)
	}
	d.draw(form, resources)
	d.now = before
}

// numbers returns n numbers.
func numbers(n int, at func(int) pdf.Value) (all []float64) {
	for i := range n {
		all = append(all, at(i).Float64())
	}
	return all
}

// operator is an operator of content whose operands are numbers.
type operator struct {
	operands int
	execute  func(d *drawing, n []float64)
}

// operators are those that concern texts and rules, beside those of draw.
var operators = map[string]operator{
	"cm": {6, func(d *drawing, n []float64) { d.now.ctm = matrix(n).times(d.now.ctm) }},
	"BT": {0, func(d *drawing, _ []float64) { d.now.start(shift(0, 0)) }},
	"Tc": {1, func(d *drawing, n []float64) { d.now.spaced = n[0] }},
	"Tw": {1, func(d *drawing, n []float64) { d.now.wider = n[0] }},
	"Tz": {1, func(d *drawing, n []float64) { d.now.scale = n[0] / 100 }},
	"TL": {1, func(d *drawing, n []float64) { d.now.leading = n[0] }},
	"Ts": {1, func(d *drawing, n []float64) { d.now.rise = n[0] }},
	"Tr": {1, func(d *drawing, n []float64) { d.now.invisible = n[0] == 3 }},
	"Td": {2, func(d *drawing, n []float64) { d.now.move(n[0], n[1]) }},
	"TD": {2, func(d *drawing, n []float64) {
		d.now.leading = -n[1]
		d.now.move(n[0], n[1])
	}},
	"Tm": {6, func(d *drawing, n []float64) { d.now.start(matrix(n)) }},
	"T*": {0, func(d *drawing, _ []float64) { d.now.move(0, -d.now.leading) }},
	"m":  {2, func(d *drawing, n []float64) { d.x, d.y = d.now.ctm.at(n[0], n[1]) }},
	"l":  {2, (*drawing).lineTo},
	"re": {4, (*drawing).rectangle},
	"n":  {0, func(d *drawing, _ []float64) { d.path = nil }},
}

// start begins a line of text, move one at a distance from the last.
func (g *graphics) start(at matrix)   { g.line, g.text = at, at }
func (g *graphics) move(x, y float64) { g.start(shift(x, y).times(g.line)) }

// show draws a string.
func (d *drawing) show(codes string) {
	g := &d.now
	if g.font == nil {
		return
	}
	n := 0
	for _, c := range g.font.encoding.Decode(codes) {
		width, spaced := g.font.width(c, codes, n), g.spaced
		if n < len(codes) && codes[n] == ' ' {
			spaced += g.wider
		}
		n++
		d.add(c, width)
		d.invisible = d.invisible || g.invisible && !blank(c)
		g.text = shift((width*g.size+spaced)*g.scale, 0).times(g.text)
	}
}

// matrix transforms points: x' = m0·x + m2·y + m4, y' = m1·x + m3·y + m5 (ISO
// 32000-1, 8.3.4).
type matrix [6]float64

func shift(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y} }

// times returns the transformation by m and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// at transforms a point.
func (m matrix) at(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// turned returns a point in coordinates in which text of a direction runs from left to right.
func turned(x, y float64, direction int) (float64, float64) {
	sin, cos := math.Sincos(2 * math.Pi / turns * float64(direction))
	return x*cos + y*sin, y*cos - x*sin
}
