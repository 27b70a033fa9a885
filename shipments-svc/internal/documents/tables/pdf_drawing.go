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
	words  [turns][]word // by the direction of their text, turned to run from left to right
	path   []area        // that is not painted yet
	x, y   float64       // the end of the path
	now    graphics
	forms  int  // drawn so far
	ended  bool // the last word is complete
	spaced bool // fonts with two bytes draw spaces
}

// graphics is the part of the graphics state for text.
type graphics struct {
	ctm, text, line                           matrix
	font                                      *font
	size, scale, rise, leading, spaced, wider float64 // wider: at spaces
	mode                                      int     // of rendering
}

// drawn returns what a page draws: the words of the direction that most have. Others, such as a
// watermark, are aside.
func drawn(of pdf.Page, name string) (page, error) {
	d := &drawing{page: page{name: name}, now: graphics{ctm: shift(0, 0), scale: 1}}
	d.annotations(of.V)
	if d.draw(of.V.Key("Contents"), of.Resources()); d.forms > maxForms {
		return page{}, &Unreadable{TooLarge, "the page draws too many forms", Place{Sheet: name}}
	}
	most := 0
	for i, words := range d.words {
		if len(words) > len(d.words[most]) {
			most = i
		}
	}
	for i, words := range d.words {
		for n, w := range words {
			if w.exact && d.spaced {
				words[n].space = closest * w.size
			}
			if i != most && len(d.aside) < MaxText {
				d.aside += " " + w.text
			}
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
		var args []pdf.Value
		for stack.Len() > 0 {
			args = append(args, stack.Pop())
		}
		n, known := operands[op]
		if !known || len(args) < n {
			return
		}
		args = args[:n]
		slices.Reverse(args)
		switch op {
		case "q":
			saved = append(saved, d.now)
		case "Q":
			if last := len(saved) - 1; last >= 0 {
				d.now, saved = saved[last], saved[:last]
			}
		case "Tf":
			name := args[0].Name()
			if fonts[name] == nil {
				fonts[name] = fontOf(resources.Key("Font").Key(name))
			}
			d.now.font, d.now.size = fonts[name], args[1].Float64()
		case "Do":
			d.form(resources.Key("XObject").Key(args[0].Name()), resources)
		default:
			d.set(op, args)
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
		d.now.ctm = matrixOf(m.Index).times(d.now.ctm)
	}
	d.draw(form, resources)
	d.now = before
}

// operands are the supported operators and their number of operands.
var operands = map[string]int{
	"q": 0, "Q": 0, "cm": 6, "Do": 1, "BT": 0, "Tf": 2, "Tc": 1, "Tw": 1, "Tz": 1, "TL": 1, "Ts": 1, "Tr": 1,
	"m": 2, "l": 2, "re": 4, "S": 0, "s": 0, "f": 0, "F": 0, "f*": 0, "B": 0, "B*": 0, "b": 0, "b*": 0, "n": 0,
	"Td": 2, "TD": 2, "Tm": 6, "T*": 0, "Tj": 1, "TJ": 1, "'": 1, `"`: 3,
}

// set executes an operator.
func (d *drawing) set(op string, args []pdf.Value) {
	g := &d.now
	number := func(i int) float64 { return args[i].Float64() }
	matrixOf := func() matrix { return matrixOf(func(i int) pdf.Value { return args[i] }) }
	switch op {
	case "cm":
		g.ctm = matrixOf().times(g.ctm)
	case "BT":
		g.move(shift(0, 0))
	case "Tc":
		g.spaced = number(0)
	case "Tw":
		g.wider = number(0)
	case "Tz":
		g.scale = number(0) / 100
	case "TL":
		g.leading = number(0)
	case "Ts":
		g.rise = number(0)
	case "Tr":
		g.mode = int(args[0].Int64())
	case "TD":
		g.leading = -number(1)
		fallthrough
	case "Td":
		g.move(shift(number(0), number(1)).times(g.line))
	case "Tm":
		g.move(matrixOf())
	case "T*":
		g.move(shift(0, -g.leading).times(g.line))
	case "Tj":
		d.show(args[0].RawString())
	case "TJ":
		for i := range args[0].Len() {
			if part := args[0].Index(i); part.Kind() == pdf.String {
				d.show(part.RawString())
			} else {
				g.text = shift(-part.Float64()/1000*g.size*g.scale, 0).times(g.text)
			}
		}
	case `"`:
		g.wider, g.spaced = number(0), number(1)
		fallthrough
	case "'":
		g.move(shift(0, -g.leading).times(g.line))
		d.show(args[len(args)-1].RawString())
	default:
		d.trace(op, number)
	}
}

// move moves to the start of the next line.
func (g *graphics) move(to matrix) { g.line, g.text = to, to }

// show draws a string.
func (d *drawing) show(codes string) {
	const invisibleMode = 3 // that of the text of a scan
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
		d.invisible = d.invisible || g.mode == invisibleMode && !blank(c)
		g.text = shift((width*g.size+spaced)*g.scale, 0).times(g.text)
	}
}

// matrix transforms points: x' = m0·x + m2·y + m4, y' = m1·x + m3·y + m5 (ISO
// 32000-1, 8.3.4).
type matrix [6]float64

func shift(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y} }

// matrixOf parses a matrix of six numbers.
func matrixOf(number func(int) pdf.Value) (m matrix) {
	for i := range m {
		m[i] = number(i).Float64()
	}
	return m
}

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
