package packinglist

import (
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
)

// field is what a column says of a line.
type field int

const (
	noField field = iota
	palletField
	palletToField // the last of a range of pallets
	ssccField
	palletsField // how many pallets a line has
	produceField
	varietyField
	calibreField
	piecesField // how many fruits a box has: its calibre, where there is no other
	boxesField
	boxWeightField // net weight of one box
	boxGrossField  // gross weight of one box
	netField       // net weight of the line
	grossField     // gross weight of the line
	weightField    // a weight: of what, the numbers must tell
	packField      // "CTN 4.5KG"
	lotField
	orchardField
	lineField // counts lines
	containerField
	otherField     // known, and of no use
	fieldsThereAre // how many there are
)

// names are what the fields are called in a mapping.
var names = [fieldsThereAre]string{
	palletField: "pallet_number", palletToField: "pallet_number_to", ssccField: "pallet_number", palletsField: "pallets", produceField: "produce_name", varietyField: "variety",
	calibreField: "calibre", piecesField: "calibre", boxesField: "boxes", boxWeightField: "box_weight", boxGrossField: "box_gross_weight", netField: "net_weight",
	grossField: "gross_weight", weightField: "weight", packField: "pack", lotField: "lot", orchardField: "orchard", lineField: "line", containerField: "container",
}

// rules say which field a heading names, by what its words stand for. The
// first whose concepts the heading has, and none of those it may not have,
// counts. A heading that is weak about it loses against one that is not.
var rules = []struct {
	has, hasNot concept
	field       field
	weak        int
}{
	{ssccWord, 0, ssccField, 0},
	{temperatureWord, 0, otherField, 0},
	{dateWord, 0, otherField, 0},
	{packedWord, boxWord | netWord | grossWord | weightWord, otherField, 0},
	{palletWord | typeWord, 0, otherField, 0},
	{palletWord | packWord, 0, otherField, 0},
	{palletWord | toWord, boxWord, palletToField, 0},
	{produceWord | weightWord, boxWord | netWord | grossWord, otherField, 0}, // of a fruit
	{pieceWord | weightWord, boxWord | netWord | grossWord, otherField, 0},
	{netWord | boxWord, 0, boxWeightField, 0},
	{netWord | perWord, palletWord, boxWeightField, 0},
	{grossWord | boxWord, 0, boxGrossField, 0},
	{grossWord | perWord, palletWord, boxGrossField, 0},
	{netWord, 0, netField, 0},
	{grossWord, 0, grossField, 0},
	{weightWord | boxWord, 0, boxWeightField, 0},
	{unitWord | boxWord, packWord, boxWeightField, 0},
	{weightWord | perWord, palletWord, boxWeightField, 0},
	{unitWord | perWord, palletWord | pieceWord, boxWeightField, 0},
	{boxWord | typeWord, 0, packField, 0},
	{boxWord | packWord, 0, packField, 0},
	{pieceWord | boxWord, 0, piecesField, 0},
	{produceWord | boxWord | perWord, 0, piecesField, 0},
	{boxWord | totalWord, calibreWord | brandWord, boxesField, 3},
	{boxWord | numberWord, calibreWord | brandWord | quantityWord, boxesField, 2}, // or the label of a box
	{boxWord, calibreWord | brandWord, boxesField, 0},
	{packWord, 0, packField, 0},
	{palletsWord, 0, palletsField, 0},
	{palletWord | quantityWord, numberWord, palletsField, 0},
	{palletWord | totalWord, numberWord, palletsField, 0},
	{palletWord | weightWord, 0, weightField, 3},
	{palletWord, lotWord | orchardWord | calibreWord, palletField, 0},
	{lotWord, 0, lotField, 0},
	{orchardWord, 0, orchardField, 0},
	{containerWord, 0, containerField, 0},
	{varietyWord, 0, varietyField, 0},
	{calibreWord, 0, calibreField, 0},
	{classWord, 0, otherField, 0},
	{brandWord, 0, otherField, 0},
	{quantityWord | unitWord, 0, weightField, 0},
	{produceWord, 0, produceField, 0},
	{weightWord, 0, weightField, 0},
	{lineWord, 0, lineField, 0},
	{quantityWord, 0, boxesField, 6},
	{unitWord, 0, weightField, 3},
}

// misleading are the words that make of a quantity another one: a column of
// "Boxes per layer" does not say how many boxes a pallet has.
var misleading = []struct {
	word concept
	with concept // only with one of these; 0: with any
	why  string
}{
	{layerWord, 0, "it is about a layer"},
	{priceWord, 0, "it is a price"},
	{orderedWord, 0, "it is what was ordered or planned"},
	{rejectedWord, 0, "it is what was not loaded"},
	{earlierWord, 0, "it is what was before"},
	{originWord, palletWord | palletsWord, "it is what was before"},
	{emptyWord, 0, "it is about empty packages"},
	{equivalentWord, 0, "it is converted to another unit"},
	{dimensionWord, 0, "it is a dimension"},
	{punnetWord, perWord | boxWord, "it is about packages within a box"},
	{trayWord | perWord, boxWord, "it is about packages within a box"},
	{containerWord, boxWord | palletsWord | netWord | grossWord | weightWord, "it is about the whole container"},
	{fromWord, boxWord, "it is the number of a box"},
	{toWord, boxWord, "it is the number of a box"},
}

// meaning is what a heading means.
type meaning struct {
	field    field
	strength int    // of headings that name one field, the strongest counts
	like     field  // the field that a heading would name but for a misleading word
	why      string // and why it does not
}

// meaningOf returns what a heading means. One in two languages, "Peso Neto /
// Net Weight", has a slash that does not mean per.
func meaningOf(heading string) meaning {
	if parts := strings.FieldsFunc(heading, func(r rune) bool { return r == '/' || r == '|' }); len(parts) > 1 {
		first := single(parts[0])
		same := first.field != noField && first.why == ""
		for _, part := range parts[1:] {
			m := single(part)
			same = same && m.field == first.field && m.why == ""
			first.strength = max(first.strength, m.strength)
		}
		if same {
			return first
		}
	}
	return single(heading)
}

func single(heading string) meaning {
	const maxHeading, maxUnknown = 80, 3
	if len(heading) > maxHeading {
		return meaning{}
	}
	concepts, unknown := conceptsOf(heading)
	for _, m := range misleading {
		if concepts&m.word == m.word && (m.with == 0 || concepts&m.with != 0) {
			return meaning{field: otherField, like: ruled(concepts&^m.word, 0).field, why: m.why}
		}
	}
	if unknown > maxUnknown {
		return meaning{}
	}
	return ruled(concepts, unknown)
}

// ruled returns what the rules make of concepts.
func ruled(concepts concept, unknown int) meaning {
	const strongest = 20
	if concepts&trayWord != 0 {
		concepts |= boxWord
	}
	for _, r := range rules {
		if concepts&r.has == r.has && concepts&r.hasNot == 0 {
			if r.has == quantityWord && unknown > 1 {
				return meaning{}
			}
			return meaning{field: r.field, strength: strongest - r.weak - unknown}
		}
	}
	return meaning{}
}

// measures are the words that say of a quantity what it is, but not of what.
const measures = numberWord | quantityWord | netWord | grossWord | weightWord | unitWord | totalWord | typeWord | perWord |
	layerWord | priceWord | orderedWord | rejectedWord | equivalentWord

// meaningBelow returns what a heading means that stands below another one. A
// heading that says by itself of what it is, such as CAJAS below EMPAQUE, only
// takes from above whether a box or a pallet is weighed.
func meaningBelow(above, own string) meaning {
	if own == "" || above == "" {
		return meaningOf(strings.TrimSpace(above + own))
	}
	concepts, unknown := conceptsOf(own)
	if concepts&^measures == 0 {
		return meaningOf(above + " " + own)
	}
	m := meaningOf(own)
	if group, _ := conceptsOf(above); concepts&(boxWord|palletWord) != 0 && concepts&(quantityWord|numberWord|netWord|grossWord|typeWord) == 0 && m.why == "" {
		if group &= netWord | grossWord | weightWord; group != 0 {
			return ruled(concepts|group, unknown)
		}
	}
	return m
}

// fieldOf returns the field that a heading names.
func fieldOf(heading string) field { return meaningOf(heading).field }

// unitIn returns the unit that a text names as one of its words, in grams; 0
// where it names none. A single t is tonnes only in brackets.
func unitIn(text string) float64 {
	for word := range strings.FieldsSeq(fold(text)) {
		if g, ok := numbers.Grams[word]; ok && word != "t" {
			return g
		}
	}
	if strings.Contains(strings.ToLower(text), "(t)") {
		return numbers.Grams["t"]
	}
	return 0
}

// plainNumber returns the value of a text that is a number without a unit.
func plainNumber(text string) (float64, bool) {
	n, ok := numbers.Split(text)
	if !ok || n.Unit != "" {
		return 0, false
	}
	return numbers.Value(n.Digits, numbers.Point)
}
