package tables

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// turns is the number of directions of text, maxExtent the maximum size of a page in units (ISO 32000-1, annex C).
const turns, maxExtent = 24, 14_400

// letter is a character that a page draws. Lengths are in points.
type letter struct {
	text      rune
	direction int     // of the text, in turns
	x, y      float64 // where it begins on its base line; turned, so that text runs from left to right
	right     float64 // where it ends, turned likewise
	size      float64 // of its font
	box       area    // of its ink on the page
	plain     bool    // its ink is not known
	apart     bool    // PDFium sees a space before it
	index     int     // in the text of the page
}

// paper is an open page.
type paper struct {
	*document
	requests.Page
	text  references.FPDF_TEXTPAGE
	shown area     // the part of the page that a viewer shows
	marks []string // what annotations say
}

// paper opens a page and takes its annotations off: a form field becomes text of the page, any other a mark.
func (d *document) paper(index int) *paper {
	p := &paper{document: d}
	p.load(index)
	if p.takeMarks() {
		p.flatten(index)
	}
	p.shown = areaOf(must(d.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: p.Page})).Rect)
	p.text = must(d.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: p.Page})).TextPage
	return p
}

// flatten makes annotations a part of the page, with the fields that no viewer has drawn yet.
func (p *paper) flatten(index int) {
	p.drawn(1, 1, enums.FPDF_BITMAP_FORMAT_GRAY, enums.FPDF_RENDER_FLAG_ANNOT) // draws these
	must(p.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: p.Page}))
	p.load(index)
}

func (p *paper) load(index int) {
	if p.ByReference != nil {
		_, _ = p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: *p.ByReference})
	}
	p.ByReference = &must(p.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: p.ref, Index: index})).Page
}

func areaOf(r structs.FPDF_FS_RECTF) area {
	return area{
		left: float64(min(r.Left, r.Right)), bottom: float64(min(r.Bottom, r.Top)),
		right: float64(max(r.Left, r.Right)), top: float64(max(r.Bottom, r.Top)),
	}
}

// annotations are the kinds that people add to a page, for people.
var annotations = map[enums.FPDF_ANNOTATION_SUBTYPE]string{
	enums.FPDF_ANNOT_SUBTYPE_TEXT: "a comment", enums.FPDF_ANNOT_SUBTYPE_FREETEXT: "an added text",
	enums.FPDF_ANNOT_SUBTYPE_LINE: "an added line", enums.FPDF_ANNOT_SUBTYPE_SQUARE: "an added frame",
	enums.FPDF_ANNOT_SUBTYPE_CIRCLE: "an added circle", enums.FPDF_ANNOT_SUBTYPE_POLYGON: "an added shape",
	enums.FPDF_ANNOT_SUBTYPE_POLYLINE: "an added line", enums.FPDF_ANNOT_SUBTYPE_HIGHLIGHT: "a highlight",
	enums.FPDF_ANNOT_SUBTYPE_UNDERLINE: "an underline", enums.FPDF_ANNOT_SUBTYPE_SQUIGGLY: "an underline",
	enums.FPDF_ANNOT_SUBTYPE_STRIKEOUT: "a strike-out", enums.FPDF_ANNOT_SUBTYPE_STAMP: "a stamp",
	enums.FPDF_ANNOT_SUBTYPE_CARET: "a correction", enums.FPDF_ANNOT_SUBTYPE_INK: "a drawing by hand",
	enums.FPDF_ANNOT_SUBTYPE_REDACT: "a redaction", enums.FPDF_ANNOT_SUBTYPE_WATERMARK: "a watermark",
	enums.FPDF_ANNOT_SUBTYPE_FILEATTACHMENT: "an attached file",
}

// takeMarks takes the annotations that people see off the page, and reports whether form fields are left.
func (p *paper) takeMarks() (fields bool) {
	n := must(p.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: p.Page})).Count
	for i := n - 1; i >= 0; i-- {
		at, err := p.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: p.Page, Index: i})
		if err != nil {
			continue // an annotation that is none
		}
		of := at.Annotation
		kind := must(p.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: of})).Subtype
		flags := must(p.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: of})).Flags
		hidden := flags&(enums.FPDF_ANNOT_FLAG_HIDDEN|enums.FPDF_ANNOT_FLAG_NOVIEW) != 0
		fields = fields || kind == enums.FPDF_ANNOT_SUBTYPE_WIDGET
		if name := annotations[kind]; name != "" && !hidden {
			says, err := p.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: of, Key: "Contents"})
			if err == nil && strings.TrimSpace(says.Value) != "" {
				name += ": " + says.Value
			}
			p.marks = append(p.marks, name)
		}
		_, _ = p.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: of})
		if kind != enums.FPDF_ANNOT_SUBTYPE_WIDGET || hidden {
			must(p.FPDFPage_RemoveAnnot(&requests.FPDFPage_RemoveAnnot{Page: p.Page, Index: i}))
		}
	}
	return fields
}

// close closes the page.
func (p *paper) close() {
	_, _ = p.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: p.text})
	_, _ = p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: *p.ByReference})
}

// letters returns the characters of the page. PDFium adds spaces where it sees the next letter apart.
func (p *paper) letters() (all []letter) {
	space := false
	for i := range must(p.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: p.text})).Count {
		if must(p.FPDFText_IsGenerated(&requests.FPDFText_IsGenerated{TextPage: p.text, Index: i})).IsGenerated {
			space = true
		} else if l, ok := p.letter(i); ok {
			l.apart = space
			all, space = append(all, l), false
		}
	}
	return all
}

// letter returns a character, if it is at a place of the page.
func (p *paper) letter(i int) (l letter, ok bool) {
	text := must(p.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: p.text, Index: i}))
	from := must(p.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: p.text, Index: i}))
	m := must(p.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: p.text, Index: i}))
	size := must(p.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: p.text, Index: i}))
	ink := must(p.FPDFText_GetCharBox(&requests.FPDFText_GetCharBox{TextPage: p.text, Index: i}))
	full := must(p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: p.text, Index: i}))
	if c := rune(text.Unicode & math.MaxInt32); unicode.IsControl(c) && !unicode.IsSpace(c) { // its font does not say
		text.Unicode = utf8.RuneError
	}
	angle := math.Atan2(float64(m.Matrix.B), float64(m.Matrix.A))
	l = letter{
		text: rune(text.Unicode & math.MaxInt32), index: i,
		direction: (int(math.Round(angle*turns/2/math.Pi)) + turns) % turns,
		size:      size.FontSize * math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D)),
		box:       area{ink.Left, ink.Bottom, ink.Right, ink.Top},
	}
	advance := areaOf(full.Rect)
	l.plain = math.Abs(advance.left-l.box.left)+math.Abs(advance.right-l.box.right) < l.size/100
	if l.direction*4%turns == 0 {
		angle = 2 * math.Pi / turns * float64(l.direction)
		l.right = max(advance.turned(angle).right, l.box.turned(angle).right)
	}
	if l.x, l.y = turned(from.X, from.Y, angle); l.direction*4%turns != 0 {
		l.right = l.x + sloping*l.size
	}
	return l, math.Abs(l.x) < maxExtent && math.Abs(l.y) < maxExtent && l.size > 0 && l.size < maxExtent
}

// sloping is the usual width of a character relative to its size, for text that is neither level nor upright.
const sloping = 0.9

// invisible reports whether a character is not painted, as those that a program read from a scan.
func (p *paper) invisible(index int) bool {
	of := must(p.FPDFText_GetTextObject(&requests.FPDFText_GetTextObject{TextPage: p.text, Index: index})).TextObject
	mode := must(p.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: of}))
	return mode.TextRenderMode == enums.FPDF_TEXTRENDERMODE_INVISIBLE
}
