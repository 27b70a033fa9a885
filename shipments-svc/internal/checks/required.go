package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// country is a country and how people write it, in lower case and without
// accents.
type country struct {
	code  string // ISO 3166-1
	names []string
}

// demand is a document that a destination demands.
type demand struct {
	region    string
	countries []country
	document  shipments.DocumentType
	exempt    []string  // plants whose fruit needs none, by the first botanical name of their row
	within    []country // origins from which none is needed
	reason    string    // why not, with its source
	customs   bool      // outlying places of an origin count as the origin
	lowRisk   []string  // plants whose fruit needs none from lowFrom
	lowFrom   []country
	source    string
}

// requiredDocuments warns where a document is missing that the destination
// demands of the shipment's produce from its origin. An origin that is not
// known is taken for a third country. It is no failure: certificates may be
// sent from authority to authority (ePhyto), and papers follow the goods.
func requiredDocuments(e subject) finding {
	to, from := countryOf(e.Destination), countryOf(e.Origin)
	if to == "" {
		return skip("The destination names no country whose demands are known here.")
	}
	var missing, present, exempt, spared []string
	for _, d := range demands {
		if !among(d.countries, to) {
			continue
		}
		name := "a " + strings.ReplaceAll(string(d.document), "_", " ")
		switch {
		case len(papersOf(e, d.document)) > 0:
			present = append(present, name)
		case among(d.within, from) && (d.customs || !isOutlying(e.Origin)):
			spared = append(spared, fmt.Sprintf("%s is not needed from %s: %s", name, from, d.reason))
		case spares(d.exempt, e.Pallets), among(d.lowFrom, from) && spares(slices.Concat(d.exempt, d.lowRisk), e.Pallets):
			exempt = append(exempt, name)
		default:
			missing = append(missing, fmt.Sprintf("%s demands %s, and none is attached (%s)", d.region, name, d.source))
		}
	}
	var said []string
	if present != nil {
		said = append(said, listed(present)+" is attached, as "+to+" demands")
	}
	if exempt != nil {
		said = append(said, fmt.Sprintf("%s does not demand %s for this produce", to, listed(exempt)))
	}
	switch said = append(said, spared...); {
	case missing != nil:
		return finding{result: shipments.Warn, count: len(missing), details: sentence(strings.Join(missing, "; "))}
	case present != nil && spared == nil:
		return pass(sentence(said[0]))
	default:
		return pass(sentence(strings.Join(said, "; ")))
	}
}

func among(countries []country, code string) bool {
	return slices.ContainsFunc(countries, func(c country) bool { return c.code == code })
}

// isOutlying reports whether a text names an outlying place.
func isOutlying(text string) bool {
	plain := " " + strings.Join(wordsOf(unaccented.Replace(strings.ToLower(text))), " ") + " "
	return slices.ContainsFunc(outlying, func(name string) bool { return strings.Contains(plain, " "+name+" ") })
}

// spares reports whether all that the pallets hold is fruit of these plants.
func spares(exempt []string, pallets []shipments.Pallet) bool {
	for _, l := range loadsOf(pallets) {
		s := speciesOf(l.produce)
		if s == nil || !slices.Contains(exempt, s.botanical[0]) {
			return false
		}
	}
	return len(pallets) > 0
}

// countryOf returns the code of the country that a text names: by its name, by
// the country of a port, or by its code as the last word. It is empty where the
// table of demands has none of them.
func countryOf(destination string) string {
	words := wordsOf(unaccented.Replace(strings.ToLower(destination)))
	plain := " " + strings.Join(words, " ") + " "
	known := map[string]bool{}
	named, longest := "", 0
	for _, d := range demands {
		for _, c := range d.countries {
			known[c.code] = true
			for _, name := range c.names {
				if strings.Contains(plain, " "+name+" ") && len(name) > longest {
					named, longest = c.code, len(name)
				}
			}
		}
	}
	switch {
	case strings.Contains(plain, " northern ireland "):
		return "IE" // whose rules hold there
	case named != "":
		return named
	}
	byCode, byName := placesIn(destination)
	for _, p := range []*place{byCode, byName} {
		if p != nil && known[p.code[:2]] {
			return p.code[:2]
		}
	}
	if len(words) > 0 {
		if last := strings.ToUpper(words[len(words)-1]); known[last] && strings.HasSuffix(strings.TrimSpace(destination), last) {
			return last
		}
	}
	return ""
}

// unaccented takes the accents off that names of countries have.
var unaccented = strings.NewReplacer("á", "a", "â", "a", "ã", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "ï", "i", "ñ", "n", "ó", "o", "ô", "o", "ö", "o", "ú", "u")
