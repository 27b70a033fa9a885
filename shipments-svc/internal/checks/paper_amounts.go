package checks

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// amounts compares what other papers say of the whole with the sums of the
// packing lists, and returns what agrees. Boxes are counted; net weights may
// differ by two percent, as those of a packing list may from its own total.
func amounts(e shipments.Evidence, differ func(shipments.Result, string, ...shipments.Location)) (agreed []string) {
	if len(e.Pallets) == 0 {
		return nil
	}
	same := map[shipments.FactKind]int{}
	for _, doc := range e.Documents {
		if doc.Type == shipments.PackingList {
			continue
		}
		for _, f := range doc.Facts {
			at := shipments.Location{Source: shipments.Source{Document: doc.ID, Sheet: f.Sheet, Row: f.Row}}
			n, ok := quantity(f.Text)
			switch {
			case !ok:
			case f.Kind == shipments.PalletsFact && int(n) != len(e.Pallets):
				differ(shipments.Warn, fmt.Sprintf("the %s has %s, the packing lists %s", paper(e, doc), counted(int(n), "pallet"), counted(len(e.Pallets), "pallet")), at)
			case f.Kind == shipments.BoxesFact && int(n) != boxes(e.Pallets):
				differ(shipments.Fail, fmt.Sprintf("the %s has %s, the packing lists %s", paper(e, doc), counted(int(n), "box"), counted(boxes(e.Pallets), "box")), at)
			case f.Kind == shipments.NetWeightFact && weightsDiffer(shipments.Grams(n*1000), weight(e.Pallets)):
				differ(shipments.Warn, fmt.Sprintf("the %s has %s net, the packing lists %s", paper(e, doc), kilograms(shipments.Grams(n*1000)), kilograms(weight(e.Pallets))), at)
			default:
				same[f.Kind]++
			}
		}
	}
	for _, kind := range []shipments.FactKind{shipments.PalletsFact, shipments.BoxesFact, shipments.NetWeightFact} {
		if same[kind] > 0 {
			agreed = append(agreed, strings.ReplaceAll(string(kind), "_", " "))
		}
	}
	return agreed
}

func weightsDiffer(a, b shipments.Grams) bool { return (max(a, b)-min(a, b))*50 > max(a, b) }

// quantityText is a number with separators, and its unit.
var quantityText = regexp.MustCompile(`^\D{0,12}?(\d{1,3}(?:[.,' \x{00A0}\x{202F}]\d{3})+|\d+)([.,]\d{1,2})?\s*([a-zA-Z]*)`)

// quantity reads a count or a weight in kilograms as papers have it: what
// stands before three digits sets thousands apart.
func quantity(text string) (float64, bool) {
	m := quantityText.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, m[1])
	n, err := strconv.ParseFloat(digits+strings.Replace(m[2], ",", ".", 1), 64)
	switch strings.ToLower(m[3]) {
	case "lb", "lbs":
		n *= 0.45359237
	case "t", "mt", "ton", "tons", "tonnes":
		n *= 1000
	}
	return n, err == nil && n < 1e9
}
