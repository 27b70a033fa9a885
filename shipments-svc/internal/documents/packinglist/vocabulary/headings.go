package vocabulary

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// Field is the meaning of a column. Fields that a person may give a column are those of list.Fields.
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

// rule makes a field of concepts. One with a reason is about a word that changes the meaning of a quantity.
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

// Counts reports whether a heading says no more than that pieces, or something, were packed or loaded, such as boxes.
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

// MeaningOf returns the meaning of a heading. The slash of one in two languages does not mean per.
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

// MeaningUnder returns the meaning of a heading under a group heading. A heading with an object of its own, such as
// CAJAS under EMPAQUE, takes only the kind of weight from the group heading.
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

//go:embed rows.txt
var rowsText string

// patterns are the patterns of rows.txt by kind, joined by bars.
var patterns = func() map[string]string {
	all := map[string]string{
		"total": "", "grand": "", "part": "", "sum": "", "beside": "", "notshipped": "", "negated": "", "no": "",
		"sized": "", "ditto": "", "continued": "",
	}
	for line := range records(rowsText) {
		head, text, _ := strings.Cut(line, ": ")
		kind, _, _ := strings.Cut(head, " ")
		before, known := all[kind]
		if !known {
			panic(fmt.Sprintf("rows.txt: %q is an unknown kind", kind))
		}
		all[kind] = strings.TrimPrefix(before+"|"+text, "|")
	}
	return all
}()

// Pattern is a pattern of folded texts, each of which has a word.
type Pattern struct{ *regexp.Regexp }

// MatchString reports whether a text matches. Numbers and codes, the most frequent texts, have no word.
func (p Pattern) MatchString(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if !strings.ContainsAny(word, "0123456789") {
			return p.Regexp.MatchString(text)
		}
	}
	return false
}

// within returns the pattern of texts with a word of a kind, whole that of texts which are one.
func within(kinds string) Pattern  { return Pattern{regexp.MustCompile(`\b(?:` + kinds + `)\b`)} }
func whole(pattern string) Pattern { return Pattern{regexp.MustCompile(`^(?:` + pattern + `)$`)} }

// Patterns of folded texts.
var (
	TotalText  = within(patterns["total"]) // the label of a row of totals
	GrandText  = within(patterns["grand"]) // of all lines
	PartText   = within(patterns["part"])  // of some lines
	NotShipped = within(patterns["notshipped"])
	negated    = within(patterns["negated"])
	Denial     = regexp.MustCompile(`^(?:` + patterns["no"] + `)$`)
	Sized      = whole(patterns["sized"])                               // a word of a size
	Ditto      = regexp.MustCompile(`^(?:` + patterns["ditto"] + `)?$`) // as above

	// Continued matches the end of a label that is continued: "P1 (cont.)".
	Continued = regexp.MustCompile(`(?i)[\s(\[-]+(?:` + patterns["continued"] + `)\.?[)\]]*$`)

	sumWord   = within(patterns["total"] + "|" + patterns["sum"])
	onlyTotal = whole(`(?:(?:` + patterns["total"] + "|" + patterns["sum"] + "|" + patterns["beside"] + ") ?)+")
)

// IsTotal reports whether a folded text is the label of a row of totals.
func IsTotal(text string) bool { return TotalText.MatchString(text) || OnlyTotal(text) }

// OnlyTotal reports whether a folded text has only words of such labels.
func OnlyTotal(text string) bool { return onlyTotal.MatchString(text) && sumWord.MatchString(text) }

//go:embed labels.txt
var labelsText string

// VesselAndVoyage is the kind of a value with both, separated by a slash.
const VesselAndVoyage list.FactKind = "vessel_and_voyage"

// labels indexes the kinds of facts by label.
var labels, longestLabel = func() (map[string]list.FactKind, int) {
	all, words := map[string]list.FactKind{}, 0
	for line := range records(labelsText) {
		head, text, _ := strings.Cut(line, ": ")
		kind, _, _ := strings.Cut(head, " ")
		if !slices.Contains(list.FactKinds, list.FactKind(kind)) && kind != string(VesselAndVoyage) {
			panic(fmt.Sprintf("labels.txt: %q is an unknown fact", kind))
		}
		for label := range strings.SplitSeq(text, "|") {
			if key := Fold(label); all[key] == "" {
				all[key] = list.FactKind(kind)
				words = max(words, strings.Count(key, " ")+1)
			}
		}
	}
	return all, words
}()

// LongestLabel is the number of words of the longest label of a fact.
func LongestLabel() int { return longestLabel }

// FactKind returns the kind of a label. The number of a box of a form before it is ignored.
func FactKind(label string) (list.FactKind, bool) {
	kind, ok := factKind(label)
	if first, second, two := strings.Cut(label, "/"); !ok && two {
		if kind, ok = factKind(first); !ok {
			kind, ok = factKind(second)
		}
	}
	return kind, ok
}

func factKind(label string) (list.FactKind, bool) {
	key := strings.TrimLeft(Fold(label), "0123456789 ")
	if kind, ok := labels[key]; ok || !TotalText.MatchString(key) {
		return kind, ok
	}
	return totalKind(key)
}

// totalKind returns the kind of a label that has no words but those of a total: "Cajas totales", "Toplam net ağırlık".
func totalKind(label string) (list.FactKind, bool) {
	of, others := Of(label)
	kind, ok := map[Concept]list.FactKind{
		Box: list.BoxesFact, Pallets: list.PalletsFact, Pallet: list.PalletsFact,
		Pallet | Pallets: list.PalletsFact, Net: list.NetWeightFact, Gross: list.GrossWeightFact,
	}[of&^(Total|Number|Quantity|Weight|Unit|One)]
	return kind, ok && others == nil
}

// parts matches the parts of a label that consist of digits or of letters.
var parts = regexp.MustCompile(`\d+|\pL+`)

// Form is equal for labels that consist of the same parts: P-01 and P-102.
func Form(label string) string {
	return parts.ReplaceAllStringFunc(label, func(part string) string {
		if part[0] >= '0' && part[0] <= '9' {
			return "9"
		}
		return "a"
	})
}
