package vocabulary

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

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

// MatchString reports whether a text matches. Numbers and codes, the most frequent texts,
// have no word.
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

// FactKind returns the kind of a label. The number of a box of a form before it is
// ignored.
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

// totalKind returns the kind of a label that has no words but those of a total:
// "Cajas totales", "Toplam net ağırlık".
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
