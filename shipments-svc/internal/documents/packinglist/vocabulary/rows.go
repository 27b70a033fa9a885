package vocabulary

import (
	_ "embed"
	"regexp"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

//go:embed rows.txt
var rowsText string

// patterns are the patterns of rows.txt by kind.
var patterns = func() map[string]string {
	all := map[string]string{}
	for line := range records(rowsText) {
		head, text, _ := strings.Cut(line, ": ")
		kind, _, _ := strings.Cut(head, " ")
		if all[kind] != "" {
			all[kind] += "|"
		}
		all[kind] += text
	}
	return all
}()

// Pattern is a pattern of folded texts, each of which has a word.
type Pattern struct{ *regexp.Regexp }

// MatchString reports whether a text matches. Numbers and codes, the most frequent texts,
// have no word.
func (p Pattern) MatchString(text string) bool { return hasWord(text) && p.Regexp.MatchString(text) }

// hasWord reports whether a folded text has a word without digits.
func hasWord(text string) bool {
	letters, digits := false, false
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			digits = true
		case r != ' ':
			letters = true
		case letters && !digits:
			return true
		default:
			letters, digits = false, false
		}
	}
	return letters && !digits
}

func within(kind string) Pattern {
	return Pattern{regexp.MustCompile(`\b(?:` + patterns[kind] + `)\b`)}
}

func whole(pattern string) Pattern { return Pattern{regexp.MustCompile(`^(?:` + pattern + `)$`)} }

// Patterns of folded texts.
var (
	TotalText  = within("total") // the label of a row of totals
	GrandText  = within("grand") // of all lines
	PartText   = within("part")  // of some lines
	NotShipped = within("notshipped")
	Shipped    = within("shipped")
	Denial     = regexp.MustCompile(`^(?:` + patterns["no"] + `)$`)
	Average    = whole(`(?:` + patterns["average"] + `)(?: \pL+)*`)
	Ditto      = regexp.MustCompile(`^(?:` + patterns["ditto"] + `)?$`) // as above

	sumWord   = Pattern{regexp.MustCompile(`\b(?:` + patterns["total"] + "|" + patterns["sum"] + `)\b`)}
	onlyTotal = whole(`(?:(?:` + patterns["total"] + "|" + patterns["sum"] + "|" + patterns["beside"] + ") ?)+")
)

// IsTotal reports whether a folded text is the label of a row of totals.
func IsTotal(text string) bool { return TotalText.MatchString(text) || OnlyTotal(text) }

// OnlyTotal reports whether a folded text has only words of such labels.
func OnlyTotal(text string) bool { return onlyTotal.MatchString(text) && sumWord.MatchString(text) }

//go:embed labels.txt
var labelsText string

// VesselAndVoyage is the kind of a value with both, separated by a slash.
const VesselAndVoyage shipments.FactKind = "vessel_and_voyage"

// LongestLabel is the number of words of the longest label of a fact.
var LongestLabel = longestLabel

// labels indexes the kinds of facts by label.
var labels, longestLabel = func() (map[string]shipments.FactKind, int) {
	all, words := map[string]shipments.FactKind{}, 0
	for line := range records(labelsText) {
		head, text, _ := strings.Cut(line, ": ")
		kind, _, _ := strings.Cut(head, " ")
		for label := range strings.SplitSeq(text, "|") {
			if key := Fold(label); all[key] == "" {
				all[key] = shipments.FactKind(kind)
				words = max(words, strings.Count(key, " ")+1)
			}
		}
	}
	return all, words
}()

// FactKind returns the kind of a label. The number of a box of a form before it is
// ignored.
func FactKind(label string) (shipments.FactKind, bool) {
	key := strings.TrimLeft(Fold(label), "0123456789 ")
	kind, ok := labels[key]
	if !ok {
		kind, ok = labels[strings.TrimSuffix(strings.TrimSuffix(key, " no"), " kg")]
	}
	if !ok && TotalText.MatchString(key) {
		kind, ok = totalKind(key)
	}
	return kind, ok
}

// totalKind returns the kind of a label that has no words but those of a total:
// "Cajas totales", "Toplam net ağırlık".
func totalKind(label string) (shipments.FactKind, bool) {
	of, unknown := Of(label)
	kind, ok := map[Concept]shipments.FactKind{
		Box: shipments.BoxesFact, Pallets: shipments.PalletsFact, Pallet: shipments.PalletsFact,
		Pallet | Pallets: shipments.PalletsFact,
		Net:              shipments.NetWeightFact, Gross: shipments.GrossWeightFact,
	}[of&^(Total|Number|Quantity|Weight|Unit)]
	return kind, ok && unknown == nil
}

// Form is equal for labels that consist of the same parts: P-01 and P-102.
func Form(label string) string {
	var b strings.Builder
	last := ' '
	for _, r := range label {
		switch {
		case unicode.IsDigit(r):
			r = '9'
		case unicode.IsLetter(r):
			r = 'a'
		}
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
