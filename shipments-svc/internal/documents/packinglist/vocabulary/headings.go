package vocabulary

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed headings.txt
var rulesText string

//go:embed qualifiers.txt
var qualifiersText string

// rule makes a field of concepts.
type rule struct {
	id             string
	field          Field
	needs, without Concept
	score          float64
}

// qualifier is a word that changes the meaning of a quantity.
type qualifier struct {
	id, reason   string
	needs, oneOf Concept
}

var (
	rules      = readRules(rulesText)
	qualifiers = readQualifiers(qualifiersText)
)

func readRules(text string) (all []rule) {
	for c := range Rows(text) {
		score, err := strconv.ParseFloat(c[4], 64)
		if err != nil {
			panic(err)
		}
		all = append(all, rule{c[0], Field(c[1]), conceptsNamed(c[2]), conceptsNamed(c[3]), score})
	}
	return all
}

func readQualifiers(text string) (all []qualifier) {
	for c := range Rows(text) {
		all = append(all, qualifier{id: c[0], needs: conceptsNamed(c[1]), oneOf: conceptsNamed(c[2]), reason: c[3]})
	}
	return all
}

// Rows returns the rows of a table: lines of cells between bars.
func Rows(text string) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range records(text) {
			all := strings.Split(line, "|")
			for i := range all {
				all[i] = strings.TrimSpace(all[i])
			}
			if !yield(all) {
				return
			}
		}
	}
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

// Clear is the score of a heading that names little else than its field.
const Clear = 0.85

// unknownWord is what an unknown word takes from the score.
const unknownWord = 0.05

// MeaningOf returns the meaning of a heading. The slash of a heading in two
// languages, "Peso Neto / Net Weight", does not mean per.
func MeaningOf(heading string) Meaning {
	if parts := strings.FieldsFunc(heading, func(r rune) bool { return r == '/' || r == '|' }); len(parts) > 1 {
		if translated := slices.IndexFunc(parts, func(part string) bool { return !Foreign(part) }); translated > 0 {
			return MeaningOf(strings.Join(parts[translated:], "/"))
		}
		first := meaningOf(parts[0])
		same := first.Field != None && first.Reason == ""
		for _, part := range parts[1:] {
			m := meaningOf(part)
			same = same && Foreign(part) ||
				same && (m.Field == first.Field || m.Concepts&^Unit == 0 && m.Unknown == nil) && m.Reason == ""
			first.Score = max(first.Score, m.Score)
		}
		if same {
			return first
		}
	}
	return meaningOf(heading)
}

// negation matches a negated participle or adjective in Spanish, Portuguese, French or
// Afrikaans. In Spanish and Portuguese the same word is short for number.
var negation = regexp.MustCompile(
	`\b(?:(?:no|nao) \pL+(?:[ai]d[oa]s?|ables?|ibles?|formes?)|non \pL{4,}|nie \pL{4,})\b`,
)

// packWeight matches the weight of a box within a heading: "Cartons (4 kg)".
var packWeight = regexp.MustCompile(`(?i)\(?\b(?:\d+\s*x\s*)?\d+(?:[.,]\d+)?\s*(?:kgs?|grs?|g|lbs?)\b\.?\)?`)

func meaningOf(heading string) Meaning {
	const maxHeading, maxUnknown = 80, 3
	if len(heading) > maxHeading || strings.Trim(heading, "0123456789.,-/: ") == "" {
		return Meaning{}
	}
	if strings.ContainsAny(heading, "0123456789") {
		heading = packWeight.ReplaceAllString(heading, " ")
	}
	of, unknown := Of(heading)
	if text := Fold(heading); NotShipped.MatchString(text) || negation.MatchString(text) {
		of |= Rejected
	}
	for _, q := range qualifiers {
		if of&q.needs == q.needs && (q.oneOf == 0 || of&q.oneOf != 0) {
			without := apply(of&^q.needs, nil)
			return Meaning{Field: Other, Rule: q.id, Resembles: without.Field, Reason: q.reason, Concepts: of}
		}
	}
	const measures = Number | Quantity | Weight | Net | Gross | Unit | Pallet | Pallets
	if of&Box != 0 && of&measures == Number && Singular(heading) {
		return Meaning{
			Field:     Carton,
			Rule:      "number-of-box",
			Resembles: Boxes,
			Reason:    "it is the number of a box",
			Concepts:  of,
		}
	}
	if len(unknown) > maxUnknown {
		return Meaning{Concepts: of, Unknown: unknown}
	}
	return apply(of, unknown)
}

// plurals of boxes that do not end in s.
var plurals = []string{
	"kartonne",
	"bokse",
	"kiste",
	"kisten",
	"dozen",
	"kratten",
	"kolli",
	"colli",
	"casse",
	"cartoni",
	"cassette",
	"steigen",
}

// Singular reports whether a heading names a box rather than boxes: "Box no.".
func Singular(heading string) bool {
	return slices.ContainsFunc(Words(heading), func(w string) bool {
		return meanings[w]&Box != 0 && !strings.HasSuffix(w, "s") && !slices.Contains(plurals, w)
	})
}

// apply returns the meaning of concepts by the rules.
func apply(of Concept, unknown []string) Meaning {
	if of&Tray != 0 {
		of |= Box
	}
	m := Meaning{Concepts: of, Unknown: unknown}
	for _, r := range rules {
		if of&r.needs != r.needs || of&r.without != 0 || r.needs == Quantity && len(unknown) > 1 ||
			r.needs == Number && unknown != nil {
			continue
		}
		score := max(0, r.score-unknownWord*float64(len(unknown)))
		if m.Field == None {
			m.Field, m.Score, m.Rule = r.field, score, r.id
			continue
		}
		known := func(o Meaning) bool { return o.Field == r.field }
		if r.field != m.Field && r.field != Other && !slices.ContainsFunc(m.Others, known) {
			m.Others = append(m.Others, Meaning{Field: r.field, Score: score / 2, Rule: r.id})
		}
	}
	return m
}

// MeaningUnder returns the meaning of a heading under a group heading. A heading
// with an object of its own, such as CAJAS under EMPAQUE, takes only the kind of
// weight from the group heading.
func MeaningUnder(above, own string) Meaning {
	if own == "" || above == "" {
		return MeaningOf(strings.TrimSpace(above + own))
	}
	of, unknown := Of(own)
	if of&^measures == 0 || of&Per != 0 && of&(Box|Weight|Net|Gross|Unit) == 0 {
		return MeaningOf(above + " " + own)
	}
	m := MeaningOf(own)
	const weights = Net | Gross | Weight
	if of&(Box|Pallet) != 0 && of&(Quantity|Number|Net|Gross|Type) == 0 && m.Reason == "" {
		if group, _ := Of(above); group&weights != 0 {
			return apply(of|group&weights, unknown)
		}
	}
	return m
}

// measures are the concepts of quantities without their object.
var measures = conceptsNamed(
	"number quantity net gross weight unit total type per layer price ordered rejected equivalent id limit part other " +
		"shipped",
)
