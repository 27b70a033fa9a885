package packinglist

import (
	"regexp"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
)

// field is the meaning of a column.
type field int

const (
	noField field = iota
	palletField
	palletToField // the last of a range of pallets
	ssccField
	palletsField // number of pallets of a line
	produceField
	varietyField
	calibreField
	piecesField // pieces in a box: the calibre, where there is no other
	boxesField
	boxWeightField     // net weight of one box
	boxGrossField      // gross weight of one box
	netField           // net weight of the line
	grossField         // gross weight of the line
	weightField        // a weight of a box or of the line
	produceWeightField // the net weight of the line, or the weight of one fruit
	packField          // "CTN 4.5KG"
	lotField
	orchardField
	lineField // line number
	containerField
	otherField     // understood, not used
	fieldsThereAre // number of fields
)

// names are the names of fields in a mapping.
var names = [fieldsThereAre]string{
	palletField: "pallet_number", palletToField: "pallet_number_to", ssccField: "pallet_number", palletsField: "pallets", produceField: "produce_name", varietyField: "variety",
	calibreField: "calibre", piecesField: "calibre", boxesField: "boxes", boxWeightField: "box_weight", boxGrossField: "box_gross_weight", netField: "net_weight",
	grossField: "gross_weight", weightField: "weight", packField: "pack", lotField: "lot", orchardField: "orchard", lineField: "line", containerField: "container",
}

// rules map the concepts of a heading to a field. The first rule applies whose
// concepts the heading all has, without any excluded one. A heading by a weak rule
// loses against others.
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
	{harvestWord, 0, otherField, 0},
	{produceWord | weightWord, boxWord | netWord | grossWord, produceWeightField, 0},
	{produceWord | unitWord, boxWord | netWord | grossWord | perWord, produceWeightField, 0},
	{pieceWord | weightWord, boxWord | netWord | grossWord, otherField, 0},
	{netWord | grossWord | boxWord, 0, boxGrossField, 0}, // "net incl. pallet"
	{netWord | grossWord, 0, grossField, 0},
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
	{boxWord | idWord, palletWord | quantityWord, otherField, 0},
	{boxWord | totalWord, calibreWord | brandWord, boxesField, 3},
	{boxWord | numberWord, calibreWord | brandWord | quantityWord, boxesField, 2}, // or the number of a box
	{boxWord, calibreWord | brandWord, boxesField, 0},
	{packWord, 0, packField, 0},
	{palletsWord, 0, palletsField, 0},
	{palletWord | quantityWord, numberWord, palletsField, 0},
	{palletWord | totalWord, numberWord, palletsField, 0},
	{palletWord | weightWord, 0, weightField, 3},
	{palletWord | numberWord, lotWord | orchardWord | calibreWord, palletField, 0},
	{palletWord, lotWord | orchardWord | calibreWord, palletField, 1}, // or the kind of pallet
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

// misleading lists the words that change the meaning of a quantity: "Boxes per
// layer" is not the number of boxes of a pallet.
var misleading = []struct {
	word   concept
	with   concept // only with one of these; 0: with any
	reason string
}{
	{layerWord, 0, "it is about a layer"},
	{priceWord, 0, "it is a price"},
	{orderedWord, 0, "it is an ordered or planned quantity"},
	{rejectedWord, 0, "it is a quantity that was not loaded"},
	{earlierWord, 0, "it is an earlier value"},
	{originWord, palletWord | palletsWord, "it is an earlier value"},
	{limitWord, 0, "it is a limit"},
	{otherWord, weightWord | unitWord | netWord, "it is another weight"},
	{harvestWord, boxWord | weightWord | unitWord | netWord | grossWord, "it is a quantity at harvest"},
	{partWord, boxWord | palletWord | palletsWord | weightWord, "it is about parts of boxes or pallets"},
	{emptyWord, 0, "it is about empty packages"},
	{equivalentWord, 0, "it is converted to another unit"},
	{dimensionWord, 0, "it is a dimension"},
	{punnetWord, perWord | boxWord, "it is about packages within a box"},
	{lineWord | perWord, boxWord, "it is about a layer"},
	{trayWord | perWord, boxWord, "it is about packages within a box"},
	{containerWord, boxWord | palletsWord | netWord | grossWord | weightWord, "it is about the whole container"},
	{fromWord, boxWord, "it is the number of a box"},
	{toWord, boxWord, "it is the number of a box"},
}

// meaning is the meaning of a heading.
type meaning struct {
	field     field
	strength  int      // of several headings for a field, the strongest is used
	resembles field    // the field of the heading without its misleading word
	reason    string   // why it is not that field
	unknown   []string // words of the heading
}

// meaningOf returns the meaning of a heading. The slash of a heading in two
// languages, "Peso Neto / Net Weight", does not mean per.
func meaningOf(heading string) meaning {
	if parts := strings.FieldsFunc(heading, func(r rune) bool { return r == '/' || r == '|' }); len(parts) > 1 {
		first := meaningOfOne(parts[0])
		same := first.field != noField && first.reason == ""
		for _, part := range parts[1:] {
			m := meaningOfOne(part)
			same = same && m.field == first.field && m.reason == ""
			first.strength = max(first.strength, m.strength)
		}
		if same {
			return first
		}
	}
	return meaningOfOne(heading)
}

// negation matches a negated participle or adjective in Spanish, Portuguese, French or
// Afrikaans. In Spanish and Portuguese the same word is short for number.
var negation = regexp.MustCompile(`\b(?:(?:no|nao) \pL+(?:[ai]d[oa]s?|ables?|ibles?|formes?)|non \pL{4,}|nie \pL{4,})\b`)

func meaningOfOne(heading string) meaning {
	const maxHeading, maxUnknown = 80, 3
	if len(heading) > maxHeading {
		return meaning{}
	}
	concepts, unknown := conceptsOf(heading)
	if text := fold(heading); notShippedText.MatchString(text) || negation.MatchString(text) {
		concepts |= rejectedWord
	}
	for _, m := range misleading {
		if concepts&m.word == m.word && (m.with == 0 || concepts&m.with != 0) {
			return meaning{field: otherField, resembles: applyRules(concepts&^m.word, nil).field, reason: m.reason}
		}
	}
	if concepts&boxWord != 0 && concepts&(numberWord|quantityWord|weightWord|netWord|grossWord|unitWord|palletWord|palletsWord) == numberWord && singular(heading) {
		return meaning{field: otherField, resembles: boxesField, reason: "it is the number of a box"}
	}
	if len(unknown) > maxUnknown {
		return meaning{}
	}
	return applyRules(concepts, unknown)
}

// singular reports whether a heading names a box rather than boxes: "Box no.".
func singular(heading string) bool {
	return slices.ContainsFunc(wordsOf(heading), func(w string) bool {
		return meanings[w]&boxWord != 0 && !strings.HasSuffix(w, "s") && !slices.Contains([]string{"kartonne", "bokse", "kiste"}, w)
	})
}

// applyRules returns the meaning of concepts.
func applyRules(concepts concept, unknown []string) meaning {
	const strongest = 20
	if concepts&trayWord != 0 {
		concepts |= boxWord
	}
	for _, r := range rules {
		if concepts&r.has == r.has && concepts&r.hasNot == 0 {
			if r.has == quantityWord && len(unknown) > 1 {
				return meaning{}
			}
			return meaning{field: r.field, strength: strongest - r.weak - len(unknown), unknown: unknown}
		}
	}
	return meaning{}
}

// measures are the concepts of quantities without their object.
const measures = numberWord | quantityWord | netWord | grossWord | weightWord | unitWord | totalWord | typeWord | perWord |
	layerWord | priceWord | orderedWord | rejectedWord | equivalentWord | idWord | limitWord | partWord | otherWord

// meaningUnder returns the meaning of a heading under a group heading. A heading
// with an object of its own, such as CAJAS under EMPAQUE, takes only the kind of
// weight from the group heading.
func meaningUnder(above, own string) meaning {
	if own == "" || above == "" {
		return meaningOf(strings.TrimSpace(above + own))
	}
	concepts, unknown := conceptsOf(own)
	if concepts&^measures == 0 {
		return meaningOf(above + " " + own)
	}
	m := meaningOf(own)
	if group, _ := conceptsOf(above); concepts&(boxWord|palletWord) != 0 && concepts&(quantityWord|numberWord|netWord|grossWord|typeWord) == 0 && m.reason == "" {
		if group &= netWord | grossWord | weightWord; group != 0 {
			return applyRules(concepts|group, unknown)
		}
	}
	return m
}

// fieldOf returns the field that a heading names.
func fieldOf(heading string) field { return meaningOf(heading).field }

// unitIn returns the unit among the words of a text in grams, or 0. A single letter
// is one only if there is no other; t, for tonnes, only in brackets.
func unitIn(text string) float64 {
	grams := 0.0
	for _, word := range wordsOf(text) {
		switch g, ok := numbers.Grams[word]; {
		case !ok || word == "t":
		case g != 1:
			return g
		default:
			grams = g
		}
	}
	if strings.Contains(strings.ToLower(text), "(t)") {
		return numbers.Grams["t"]
	}
	return grams
}

// severalUnits reports whether a heading has units that differ: "Weight (lb/kg)".
func severalUnits(heading string) bool {
	first := 0.0
	for _, word := range wordsOf(heading) {
		if g, ok := numbers.Grams[word]; ok && word != "t" {
			if first != 0 && g != first {
				return true
			}
			first = g
		}
	}
	return false
}

// plainNumber parses a number without a unit.
func plainNumber(text string) (float64, bool) {
	n, ok := numbers.Split(text)
	if !ok || n.Unit != "" {
		return 0, false
	}
	return numbers.Value(n.Digits, numbers.Point)
}
