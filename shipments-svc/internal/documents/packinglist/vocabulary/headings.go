package vocabulary

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Field is the meaning of a column. Fields that a person may give a column are those of
// shipments.MappingFields.
type Field string

// The fields.
const (
	None         Field = ""
	PalletNumber Field = "pallet_number"
	PalletTo     Field = "pallet_number_to" // the last of a range of pallets
	PalletCount  Field = "pallets"          // number of pallets of a line
	SSCC         Field = "sscc"
	GTIN         Field = "gtin"
	Produce      Field = "produce_name"
	Variety      Field = "variety"
	Calibre      Field = "calibre"
	Pieces       Field = "pieces" // in a box: the calibre, where there is no other
	Boxes        Field = "boxes"
	BoxWeight    Field = "box_weight"       // net weight of one box
	BoxGross     Field = "box_gross_weight" // gross weight of one box
	NetWeight    Field = "net_weight"       // of all boxes
	GrossWeight  Field = "gross_weight"     // likewise
	AnyWeight    Field = "weight"           // net or gross, of a box or of all
	FruitWeight  Field = "produce_weight"   // the net weight of the line, or that of one fruit
	Pack         Field = "pack"             // "CTN 4.5KG"
	Lot          Field = "lot"
	Orchard      Field = "orchard"
	PUC          Field = "puc"
	PHC          Field = "phc"
	GGN          Field = "ggn"
	Grower       Field = "grower"
	Harvested    Field = "harvested_on"
	Packed       Field = "packed_on"
	Recorder     Field = "temperature_recorder"
	Container    Field = "container_number"
	Seal         Field = "seal_number"
	Line         Field = "line"          // a running number
	Carton       Field = "carton_number" // of one box
	Other        Field = "other"         // understood, and not needed
)

// Name returns a field for people.
func (f Field) Name() string {
	if f == Pieces {
		f = Calibre
	}
	return strings.ReplaceAll(string(f), "_", " ")
}

// worths are the scores of all fields for a row being the header.
var worths = map[Field]int{
	PalletNumber: 4, SSCC: 4, Boxes: 3, BoxWeight: 3, NetWeight: 3, GrossWeight: 2, AnyWeight: 2, Calibre: 2,
	Produce: 2, Variety: 2, Pieces: 1, Pack: 1, Lot: 1, Orchard: 1, PUC: 1, PHC: 1, GGN: 1, Grower: 1, PalletCount: 1,
	Carton: 1, Other: 0, PalletTo: 0, GTIN: 0, BoxGross: 0, FruitWeight: 0, Harvested: 0, Packed: 0, Recorder: 0,
	Container: 0, Seal: 0, Line: 0,
}

// Worth is the score of a field for a row being the header.
func Worth(f Field) int { return worths[f] }

//go:embed headings.txt
var rulesText string

// rule makes a field of concepts. One with a reason is about a word that changes the
// meaning of a quantity.
type rule struct {
	id                    string
	field                 Field
	needs, oneOf, without Concept
	score                 float64
	reason                string
}

var rules = func() (all []rule) {
	for c := range Rows(rulesText) {
		score, err := strconv.ParseFloat(c[5], 64)
		if err != nil {
			panic(err)
		}
		if !IsField(c[1]) {
			panic(fmt.Sprintf("headings.txt: %s has the unknown field %q", c[0], c[1]))
		}
		all = append(all, rule{c[0], Field(c[1]), named(c[2]), named(c[3]), named(c[4]), score, c[6]})
	}
	return all
}()

// IsField reports whether a field has this name.
func IsField(name string) bool { _, ok := worths[Field(name)]; return ok }

// IsRule reports whether a rule of headings has this id.
func IsRule(id string) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return r.id == id })
}

// Meaning is the meaning of a heading.
type Meaning struct {
	Field     Field
	Score     float64 // from 0 to 1
	Rule      string  // its id
	Resembles Field   // the field of the heading without its qualifier
	Reason    string  // why it is not that field
	Concepts  Concept
	Unknown   []string // words of the heading
	Others    []Meaning
}

// Counts reports whether a heading says no more than that pieces, or something, were packed or
// loaded, such as boxes.
func (m Meaning) Counts() bool {
	things := packed | Shipped | piece
	return m.Concepts&things != 0 && m.Concepts&^(things|Total|Number) == 0 && m.Unknown == nil
}

const (
	// Clear is the score of a heading that names little else than its field.
	Clear = 0.85
	// unknownWord is what an unknown word takes from the score.
	unknownWord = 0.05
	// maxHeading is the maximum length of a heading, maxUnknown that of unknown words.
	maxHeading, maxUnknown = 80, 3
)

// MeaningOf returns the meaning of a heading. The slash of a heading in two
// languages, "Peso Neto / Net Weight", does not mean per.
func MeaningOf(heading string) Meaning {
	parts := strings.FieldsFunc(heading, func(r rune) bool { return r == '/' || r == '|' })
	parts = slices.DeleteFunc(parts, Foreign)
	if len(parts) == 0 {
		return meaningOf(heading)
	}
	first := meaningOf(parts[0])
	same := first.Field != None && first.Reason == ""
	for _, part := range parts[1:] {
		m := meaningOf(part)
		same = same && m.Reason == "" && (m.Field == first.Field || m.Concepts&^Unit == 0 && m.Unknown == nil)
		first.Score = max(first.Score, m.Score)
	}
	if same {
		return first
	}
	return meaningOf(strings.Join(parts, "/"))
}

// packWeight matches the weight of a box within a heading: "Cartons (4 kg)".
var packWeight = regexp.MustCompile(
	`(?i)\(?\b(?:\d+\s*x\s*)?\d+(?:[.,]\d+)?\s*(?:kgs?|grs?|g|lbs?)\b\.?(?: net\w*)?\)?`,
)

func meaningOf(heading string) Meaning {
	if len(heading) > maxHeading || strings.Trim(heading, "0123456789.,-/: ") == "" {
		return Meaning{}
	}
	if strings.ContainsAny(heading, "0123456789") {
		heading = packWeight.ReplaceAllString(heading, " ")
	}
	of, others := Of(heading)
	if text := Fold(heading); NotShipped.MatchString(text) || negated.MatchString(text) {
		of |= Rejected
	}
	return apply(of, others)
}

// apply returns the meaning of concepts by the rules.
func apply(of Concept, others []string) Meaning {
	m := Meaning{Concepts: of, Unknown: others}
	if len(others) > 0 {
		of |= unknown
	}
	if len(others) > 1 {
		of |= unknowns
	}
	for _, r := range rules {
		if r.reason == "" && of&Tray != 0 {
			of |= Box
		}
		if of&r.needs != r.needs || of&r.without != 0 || r.oneOf != 0 && of&r.oneOf == 0 {
			continue
		}
		if r.reason != "" {
			like := apply(m.Concepts&^r.needs, nil).Field
			return Meaning{Field: r.field, Rule: r.id, Resembles: like, Reason: r.reason, Concepts: m.Concepts}
		}
		score := max(0, r.score-unknownWord*float64(len(others)))
		known := func(o Meaning) bool { return o.Field == r.field }
		switch {
		case len(others) > maxUnknown:
		case m.Field == None:
			m.Field, m.Score, m.Rule = r.field, score, r.id
		case r.field != m.Field && r.field != Other && !slices.ContainsFunc(m.Others, known):
			m.Others = append(m.Others, Meaning{Field: r.field, Score: score / 2, Rule: r.id})
		}
	}
	return m
}

// measures are the concepts of quantities without their object.
var measures = named(
	"number quantity net gross weight unit total type per layer price ordered rejected equivalent id limit part " +
		"other shipped",
)

// unloaded are the concepts of group headings of what may differ from what was loaded.
var unloaded = named("ordered rejected earlier")

// MeaningUnder returns the meaning of a heading under a group heading. A heading
// with an object of its own, such as CAJAS under EMPAQUE, takes only the kind of
// weight from the group heading.
func MeaningUnder(above, own string) Meaning {
	if own == "" || above == "" {
		return MeaningOf(above + own)
	}
	of, others := Of(own)
	if of&^measures == 0 || of&Per != 0 && of&(Box|Weight|Net|Gross|Unit) == 0 {
		return MeaningOf(above + " " + own)
	}
	m := MeaningOf(own)
	group, _ := Of(above)
	if group&unloaded != 0 { // another column has what was loaded
		m.Score -= unknownWord
	}
	if of&(Box|Pallet) != 0 && of&(Quantity|Number|Net|Gross|Type) == 0 && m.Reason == "" &&
		group&(Net|Gross|Weight) != 0 {
		return apply(of|group&(Net|Gross|Weight), others)
	}
	return m
}
