package vocabulary

import (
	_ "embed"
	"regexp"
	"strings"

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

func within(kind string) *regexp.Regexp { return regexp.MustCompile(`\b(?:` + patterns[kind] + `)\b`) }

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) }

// Patterns of folded texts.
var (
	TotalText  = within("total") // the label of a row of totals
	GrandText  = within("grand") // of all lines
	PartText   = within("part")  // of some lines
	NotShipped = within("notshipped")
	Shipped    = within("shipped")
	Denial     = whole(patterns["no"])
	Average    = whole(`(?:` + patterns["average"] + `)(?: \pL+)*`)
	Ditto      = whole("(?:" + patterns["ditto"] + ")?") // as above

	sumWord   = regexp.MustCompile(`\b(?:` + patterns["total"] + "|" + patterns["sum"] + `)\b`)
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
		Box: shipments.BoxesFact, Pallets: shipments.PalletsFact, Pallet: shipments.PalletsFact, Pallet | Pallets: shipments.PalletsFact,
		Net: shipments.NetWeightFact, Gross: shipments.GrossWeightFact,
	}[of&^(Total|Number|Quantity|Weight|Unit)]
	return kind, ok && unknown == nil
}
