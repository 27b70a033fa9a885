package tables

import (
	"math"
	"slices"
	"strings"

	"github.com/ledongthuc/pdf"
)

const (
	// formCost is added to the size of each form, so that empty forms count, too.
	formCost = 256
	// maxForms limits the depth of nested forms: a form may contain itself.
	maxForms = 16
)

// drawing collects the characters of a page (ISO 32000-1, 9.4) and of its forms
// (8.10). Invalid operators are skipped.
type drawing struct {
	glyphs []glyph
	rules  []rule
	path   outline
	page   string // name in messages
	left   int    // bytes of content that may still be drawn
	now    graphics
	filled []area // with a colour other than white

	aside     strings.Builder // text that does not run from left to right, such as a watermark
	runs      float64         // such a text runs upwards, or downwards: negative
	invisible bool            // some text is
}

// area is a rectangle on a page.
type area struct{ left, bottom, right, top float64 }

// graphics is the part of the graphics state for text.
type graphics struct {
	ctm, text, line                           matrix
	font                                      *font
	size, scale, rise, leading, spaced, wider float64 // wider: at spaces
	white                                     bool    // fills
	mode                                      int     // of rendering
}

// drawn returns what is drawn on a page: its characters in drawing order, and its rules.
// A page whose texts all run upwards or downwards is turned.
func drawn(page pdf.Value, name string) (*drawing, error) {
	d, err := drawnWith(page, name, upright(page))
	if err == nil && len(d.glyphs) == 0 && d.runs != 0 {
		return drawnWith(page, name, upright(page).times(turned(page, d.runs)))
	}
	return d, err
}

func drawnWith(page pdf.Value, name string, ctm matrix) (*drawing, error) {
	d := &drawing{page: name, left: maxPageContent, now: graphics{ctm: ctm, scale: 1}}
	d.annotations(page)
	err := d.draw(page.Key("Contents"), inherited(page, "Resources"), 0)
	return d, err
}

// draw draws content with the names of resources.
func (d *drawing) draw(content, resources pdf.Value, within int) error {
	if content.Kind() != pdf.Stream && content.Kind() != pdf.Array {
		return nil
	}
	bytes, err := sound(content, d.page)
	if d.left -= bytes; err == nil && d.left < 0 {
		err = tooMuch(d.page)
	}
	if err != nil {
		return err
	}
	fonts := map[string]*font{}
	var saved []graphics
	pdf.Interpret(content, func(stack *pdf.Stack, op string) {
		args := popped(stack)
		n, known := operands[op]
		if !known || err != nil || len(args) < n {
			return
		}
		args = args[len(args)-n:]
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
				fonts[name], err = fontOf(resources.Key("Font").Key(name), d.page)
			}
			d.now.font, d.now.size = fonts[name], args[1].Float64()
		case "Do":
			err = d.form(resources.Key("XObject").Key(args[0].Name()), resources, within+1)
		default:
			d.set(op, args)
		}
		if len(d.glyphs) > maxPageContent {
			err = tooMuch(d.page)
		}
	})
	return err
}

// form draws a form and restores the state.
func (d *drawing) form(form, resources pdf.Value, within int) error {
	if form.Key("Subtype").Name() != "Form" || within > maxForms {
		return nil
	}
	if own := form.Key("Resources"); !own.IsNull() {
		if len(own.Key("Font").Keys()) == 0 && len(own.Key("XObject").Keys()) == 0 {
			return nil // an image, which may be large
		}
		resources = own
	}
	before := d.now
	if m := form.Key("Matrix"); m.Len() == len(matrix{}) {
		d.now.ctm = matrixOf(m.Index).times(d.now.ctm)
	}
	d.left -= formCost
	err := d.draw(form, resources, within)
	d.now = before
	return err
}

// operands are the supported operators and their number of operands.
var operands = map[string]int{
	"q": 0, "Q": 0, "cm": 6, "Do": 1, "BT": 0, "Tf": 2, "Tc": 1, "Tw": 1, "Tz": 1, "TL": 1, "Ts": 1, "Tr": 1,
	"g": 1, "rg": 3, "k": 4, "sc": 1, "scn": 1,
	"m": 2, "l": 2, "c": 6, "v": 4, "y": 4, "re": 4, "S": 0, "s": 0, "f": 0, "F": 0, "f*": 0, "B": 0, "B*": 0, "b": 0,
	"b*": 0, "n": 0,
	"Td": 2, "TD": 2, "Tm": 6, "T*": 0, "Tj": 1, "TJ": 1, "'": 1, `"`: 3,
}

// set executes an operator.
func (d *drawing) set(op string, args []pdf.Value) {
	g := &d.now
	number := func(i int) float64 { return args[i].Float64() }
	switch op {
	case "cm":
		g.ctm = matrixOf(func(i int) pdf.Value { return args[i] }).times(g.ctm)
	case "m", "l", "c", "v", "y", "re", "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n":
		d.trace(op, number)
	case "BT":
		g.move(identity)
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
	case "g", "rg":
		g.white = number(0) >= 1 && number(len(args)-1) >= 1 && number(len(args)/2) >= 1
	case "k":
		g.white = number(0)+number(1)+number(2)+number(3) == 0
	case "sc", "scn": // of a colour space that is not known
		g.white = false
	case "TD":
		g.leading = -number(1)
		g.move(shift(number(0), number(1)).times(g.line))
	case "Td":
		g.move(shift(number(0), number(1)).times(g.line))
	case "Tm":
		g.move(matrixOf(func(i int) pdf.Value { return args[i] }))
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
	}
}

// move moves to the start of the next line.
func (g *graphics) move(to matrix) { g.line, g.text = to, to }

// show draws a string. Text that does not run from left to right is set aside.
func (d *drawing) show(codes string) {
	g := &d.now
	if g.font == nil {
		return
	}
	n, decoded := 0, g.font.encoding.Decode(codes)
	d.invisible = d.invisible || strings.TrimSpace(decoded) != "" && d.hides(g.text.times(g.ctm).at(0, g.rise))
	for _, c := range decoded {
		width, spaced := g.font.width(c, codes, n), g.spaced
		if n < len(codes) && codes[n] == ' ' {
			spaced += g.wider
		}
		n++
		m := g.text.times(g.ctm)
		if size := math.Abs(g.size * g.scale * m[0]); math.Abs(m[1]) < math.Abs(m[0])/8 {
			x, y := m.at(0, g.rise)
			d.glyphs = append(
				d.glyphs,
				glyph{
					text:  string(c),
					left:  x,
					base:  y,
					size:  size,
					width: width * size,
					exact: g.font.pairs != nil,
					space: size * guessed(g.font.name, ' '),
				},
			)
		} else if d.aside.Len() < MaxText {
			d.aside.WriteRune(c)
			d.runs = m[1]
		}
		g.text = shift((width*g.size+spaced)*g.scale, 0).times(g.text)
	}
}

// invisibleMode is the rendering mode of text that is neither filled nor stroked.
const invisibleMode = 3

// hides reports whether text at a point is not visible: white, and on no other colour.
func (d *drawing) hides(x, y float64) bool {
	on := func(a area) bool { return x >= a.left-1 && x <= a.right && y >= a.bottom-1 && y <= a.top }
	return d.now.mode == invisibleMode ||
		d.now.white && d.now.mode == 0 && len(d.filled) < maxAreas && !slices.ContainsFunc(d.filled, on)
}

// popped removes all operands from a stack and returns them in order.
func popped(stack *pdf.Stack) []pdf.Value {
	args := make([]pdf.Value, stack.Len())
	for i := range args {
		args[len(args)-1-i] = stack.Pop()
	}
	return args
}
