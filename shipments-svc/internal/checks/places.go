package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// locationCodes looks up the origin and destination by the codes and names in their
// texts. It warns where code and name of a text differ and where both texts name the
// same place. Other texts are not checked.
func locationCodes(s subject) finding {
	var f finding
	var texts, codes []string
	for _, text := range []struct{ field, value string }{{"origin", s.Origin}, {"destination", s.Destination}} {
		byCode, byName := reference.PortsIn(text.value)
		if byCode != nil && byName != nil && byCode.Code != byName.Code {
			f.report(shipments.Warn, fmt.Sprintf("the %s %q has the code of %s but the name of %s (%s)",
				text.field, text.value, title(byCode.Names[0]), title(byName.Names[0]), byName.Code))
			continue
		}
		if p := cmp.Or(byCode, byName); p != nil {
			codes, texts = append(codes, p.Code), append(texts, text.field+" is "+p.Code)
		}
	}
	if len(codes) == 2 && codes[0] == codes[1] {
		f.report(shipments.Warn, "origin and destination are the same: "+codes[0])
	}
	if texts == nil {
		return f.or(shipments.Skip, "Neither origin nor destination is a known port.")
	}
	return f.or(shipments.Pass, sentence(strings.Join(texts, ", ")))
}

// port returns the code of a port; nil for a port that is not in the table.
func port(text string) []string {
	byCode, byName := reference.PortsIn(text)
	if p := cmp.Or(byCode, byName); p != nil {
		return []string{p.Code}
	}
	return nil
}

// title capitalizes the words of a name.
func title(name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		first := []rune(word)
		first[0] = unicode.ToUpper(first[0])
		words[i] = string(first)
	}
	return strings.Join(words, " ")
}

// requiredDocuments warns where a document is missing that the destination
// requires for the produce from its origin. An unknown origin counts as a third
// country. A missing document is a warning only: certificates may be exchanged
// between authorities (ePhyto), and documents may follow the goods.
func requiredDocuments(s subject) finding {
	required := reference.Requirements(s.Destination)
	if len(required) == 0 {
		return skip("The document requirements of the destination are not known.")
	}
	to, from := reference.CountryOf(s.Destination), reference.CountryOf(s.Origin)
	var produce []string
	for _, g := range byProduce(s.Pallets) {
		produce = append(produce, g.name)
	}
	var f finding
	var present, exemptProduce, exemptOrigin []string
	for _, r := range required {
		t := shipments.DocumentType(r.Document)
		name := "a " + typeName(t)
		switch {
		case slices.ContainsFunc(documentsOf(s, t), recognized):
			present = append(present, name)
		case r.ExemptsOrigin(s.Origin):
			exemptOrigin = append(exemptOrigin, fmt.Sprintf("%s is not required from %s: %s", name, from, r.Reason))
		case r.ExemptsProduce(s.Origin, produce):
			exemptProduce = append(exemptProduce, name)
		default:
			f.report(shipments.Warn, fmt.Sprintf("%s requires %s, but none is attached (%s)", r.Region, name, r.Source))
		}
	}
	var texts []string
	if present != nil {
		texts = append(texts, "attached as required by "+to+": "+listed(present))
	}
	if exemptProduce != nil && (present == nil || exemptOrigin != nil) {
		texts = append(texts, fmt.Sprintf("%s does not require %s for this produce", to, listed(exemptProduce)))
	}
	return f.or(shipments.Pass, summary(append(texts, exemptOrigin...)))
}
