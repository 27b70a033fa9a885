package shipments

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Pallet is one pallet of a shipment. Numbers need not be unique: containers may
// number their pallets alike, and a document that lists one of a container twice is a
// finding, not an accident.
type Pallet struct {
	Number      string    `json:"pallet_number"`
	ProduceName string    `json:"produce_name"`
	Calibre     string    `json:"calibre"` // as written: "18", "1XX", "75-80 mm"
	Boxes       int       `json:"boxes"`
	BoxWeight   Grams     `json:"box_weight_g"`
	Source                // where it begins
	Places      Places    `json:"places,omitzero"`    // of values that were read elsewhere in the document
	Contents    []Content `json:"contents,omitempty"` // the lines that it was put together from; nil: one
	Particulars `json:"particulars,omitzero"`
}

// Places is where the values of a pallet were read. A zero Place means the
// pallet's Source.
type Places struct {
	ProduceName Place `json:"produce_name,omitzero"`
	Calibre     Place `json:"calibre,omitzero"`
	Boxes       Place `json:"boxes,omitzero"`
	BoxWeight   Place `json:"box_weight_kg,omitzero"`
}

// Content is a line of a pallet, whose Boxes are the sum of its lines' and whose
// BoxWeight is their average, weighted by boxes.
type Content struct {
	ProduceName string `json:"produce_name"`
	Calibre     string `json:"calibre"`
	Boxes       int    `json:"boxes"`
	BoxWeight   Grams  `json:"box_weight_g"`
	Particulars
	Place `json:"place"`
}

// Content returns the pallet as one line.
func (p Pallet) Content() Content {
	return Content{
		ProduceName: p.ProduceName, Calibre: p.Calibre, Boxes: p.Boxes, BoxWeight: p.BoxWeight,
		Particulars: p.Particulars, Place: Place{p.Sheet, p.Row},
	}
}

// Net returns the net weight as the document states it, or else by its boxes.
func (c Content) Net() Grams { return cmp.Or(c.NetWeight, Grams(c.Boxes)*c.BoxWeight) }

// Net returns the net weight of the pallet: the sum of its lines'.
func (p Pallet) Net() (sum Grams) {
	for _, c := range p.Contents {
		sum += c.Net()
	}
	return cmp.Or(sum, p.NetWeight, Grams(p.Boxes)*p.BoxWeight)
}

// Grams is a weight, exact to what the product shows: thousandths of a
// kilogram.
type Grams int

// Kilograms returns the weight as the product shows it.
func (g Grams) Kilograms() float64 { return float64(g) / 1000 }

// Particulars is what a document says of a pallet, or of a line of it, beside the
// five fields of a pallet. Empty or zero: it does not say. Of a pallet whose lines
// differ, texts that differ are empty, and weights are sums.
type Particulars struct {
	NetWeight   Grams `json:"net_weight_g,omitempty"`   // of all boxes
	GrossWeight Grams `json:"gross_weight_g,omitempty"` // of all boxes
	Labels
}

// Labels are the texts of Particulars.
type Labels struct {
	SSCC        string `json:"sscc,omitempty"` // 18 digits (GS1)
	GTIN        string `json:"gtin,omitempty"` // of the boxes
	Lot         string `json:"lot,omitempty"`
	Orchard     string `json:"orchard,omitempty"` // or block
	PUC         string `json:"puc,omitempty"`     // code of the production unit
	PHC         string `json:"phc,omitempty"`     // code of the packhouse
	GGN         string `json:"ggn,omitempty"`     // GLOBALG.A.P. number
	Grower      string `json:"grower,omitempty"`
	HarvestedOn string `json:"harvested_on,omitempty"` // a date as in ISO 8601, or as written where it is ambiguous
	PackedOn    string `json:"packed_on,omitempty"`    // likewise
	Recorder    string `json:"temperature_recorder,omitempty"`
	Container   string `json:"container_number,omitempty"`
	Seal        string `json:"seal_number,omitempty"`
}

// Figure formats a number for people, with separators of thousands.
func Figure(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Figure formats the weight in kilograms: "4.125", "3,861".
func (g Grams) Figure() string {
	text := Figure(int(g / 1000))
	if rest := g % 1000; rest > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", rest), "0")
	}
	return text
}

// ssccDigits is the length of a Serial Shipping Container Code (GS1 General
// Specifications, 3.3.1).
const ssccDigits = 18

// Label returns the SSCC of a pallet: the one that its document names, or its number if
// that is one; or "".
func (p Pallet) Label() string { return SSCC(cmp.Or(p.SSCC, p.Number)) }

// ssccMarks matches what people and scanners write around the digits of an SSCC: its name, the identifier of the symbol
// that was scanned (ISO/IEC 15424), separators, and the application identifier in brackets.
var ssccMarks = regexp.MustCompile(`^(?i:SSCC)|^\](?:C1|d2|Q3|e0)|[\s.:-]|\(00\)|\[00\]`)

// SSCC returns the eighteen digits of a label that is written like an SSCC: bare, with separators, after its name, as
// it was scanned, or after its application identifier, 00 or (00). Whether the check digit is correct is not checked.
// Any other label gives "".
func SSCC(label string) string {
	if len(label) < ssccDigits { // most labels
		return ""
	}
	digits := ssccMarks.ReplaceAllString(label, "")
	if len(digits) == ssccDigits+2 {
		digits = strings.TrimPrefix(digits, "00")
	}
	if len(digits) != ssccDigits || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return digits
}
