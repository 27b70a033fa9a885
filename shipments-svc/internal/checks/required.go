package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// country is a country and its names, in lower case and without accents.
type country struct {
	code  string // ISO 3166-1
	names []string
}

// requirement is a document that a destination requires.
type requirement struct {
	region    string
	countries []country
	document  shipments.DocumentType
	exempt    []string  // exempt commodities, by the first botanical name of their row
	within    []country // exempt origins
	reason    string    // for the exemption of origins, with its source
	customs   bool      // the exemption of origins includes their outlying territories
	lowRisk   []string  // commodities that are exempt from the origins in lowFrom
	lowFrom   []country
	source    string
}

// requiredDocuments warns where a document is missing that the destination
// requires for the produce from its origin. An unknown origin counts as a third
// country. A missing document is a warning only: certificates may be exchanged
// between authorities (ePhyto), and documents may follow the goods.
func requiredDocuments(s subject) finding {
	to, from := countryOf(s.Destination), countryOf(s.Origin)
	if to == "" {
		return skip("The document requirements of the destination are not known.")
	}
	var f finding
	var present, exemptProduce, exemptOrigin []string
	for _, r := range requirements {
		if !contains(r.countries, to) {
			continue
		}
		name := "a " + typeName(r.document)
		switch {
		case len(documentsOf(s, r.document)) > 0:
			present = append(present, name)
		case contains(r.within, from) && (r.customs || !isOutlying(s.Origin)):
			exemptOrigin = append(exemptOrigin, fmt.Sprintf("%s is not required from %s: %s", name, from, r.reason))
		case onlyOf(r.exempt, s.Pallets), contains(r.lowFrom, from) && onlyOf(slices.Concat(r.exempt, r.lowRisk), s.Pallets):
			exemptProduce = append(exemptProduce, name)
		default:
			f.report(shipments.Warn, fmt.Sprintf("%s requires %s, but none is attached (%s)", r.region, name, r.source))
		}
	}
	var texts []string
	if present != nil {
		texts = append(texts, "attached as required by "+to+": "+listed(present))
	}
	if exemptProduce != nil && (present == nil || exemptOrigin != nil) {
		texts = append(texts, fmt.Sprintf("%s does not require %s for this produce", to, listed(exemptProduce)))
	}
	return f.or(pass(summary(append(texts, exemptOrigin...))))
}

func contains(countries []country, code string) bool {
	return slices.ContainsFunc(countries, func(c country) bool { return c.code == code })
}

// isOutlying reports whether a text names an outlying territory.
func isOutlying(text string) bool {
	plain := spaced(text)
	return slices.ContainsFunc(outlying, func(name string) bool { return strings.Contains(plain, " "+name+" ") })
}

// spaced returns the words of a text in lower case and without accents, with a
// space before and after each.
func spaced(text string) string {
	return " " + strings.Join(wordsOf(unaccented.Replace(strings.ToLower(text))), " ") + " "
}

// onlyOf reports whether all produce on the pallets is of these commodities.
func onlyOf(botanical []string, pallets []shipments.Pallet) bool {
	return len(pallets) > 0 && !slices.ContainsFunc(byProduce(pallets), func(g group) bool {
		c := commodityOf(g.name)
		return c == nil || !slices.Contains(botanical, c.botanical[0])
	})
}

// countryOf returns the code of the country that a text names: by the longest
// of its names in the text, by the country of a port, or by a code as the last
// word. It returns "" for countries without requirements.
func countryOf(text string) string {
	plain := spaced(text)
	if strings.Contains(plain, " northern ireland ") {
		return "IE" // the Union's rules apply there
	}
	known := map[string]bool{}
	code, longest := "", 0
	for _, r := range requirements {
		for _, c := range r.countries {
			known[c.code] = true
			for _, name := range c.names {
				if strings.Contains(plain, " "+name+" ") && len(name) > longest {
					code, longest = c.code, len(name)
				}
			}
		}
	}
	if code != "" {
		return code
	}
	byCode, byName := placesIn(text)
	for _, p := range []*place{byCode, byName} {
		if p != nil && known[p.code[:2]] {
			return p.code[:2]
		}
	}
	if words := wordsOf(text); len(words) > 0 {
		if last := strings.ToUpper(words[len(words)-1]); known[last] && strings.HasSuffix(strings.TrimSpace(text), last) {
			return last
		}
	}
	return ""
}

// unaccented removes the accents of names of countries.
var unaccented = strings.NewReplacer("á", "a", "â", "a", "ã", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "ï", "i", "ñ", "n", "ó", "o", "ô", "o", "ö", "o", "ú", "u")
