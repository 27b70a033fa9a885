package checks

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// byName indexes the table by words and by botanical names, in lower case.
var byName = func() map[string]*commodity {
	all := map[string]*commodity{}
	for i := range commodities {
		for _, name := range commodities[i].botanical {
			all[strings.ToLower(name)] = &commodities[i]
		}
		for _, word := range commodities[i].words {
			all[word] = &commodities[i]
		}
	}
	return all
}()

// commodityOf returns the commodity that a text names, or nil: by a botanical
// name, or else by the longest word that is in the table.
func commodityOf(text string) *commodity {
	words := wordsOf(text)
	for i := 1; i < len(words); i++ {
		if c := byName[words[i-1]+" "+words[i]]; c != nil {
			return c
		}
	}
	var found *commodity
	longest := 0
	for _, word := range words {
		if c := byName[word]; c != nil && len(word) > longest {
			found, longest = c, len(word)
		}
	}
	return found
}

// wordsOf returns the words of a text in lower case, without the sign of a
// hybrid.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(word string) bool { return word == "x" })
}

// produceOf returns the distinct produce of a pallet, sorted by name.
func produceOf(p shipments.Pallet) []string {
	if len(p.Contents) == 0 {
		return []string{p.ProduceName}
	}
	names := make([]string, len(p.Contents))
	for i, c := range p.Contents {
		names[i] = c.ProduceName
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// byProduce groups pallets by produce. A mixed pallet is in several groups.
func byProduce(pallets []shipments.Pallet) (all []group) {
	index := map[string]int{}
	for _, p := range pallets {
		for _, name := range produceOf(p) {
			i, ok := index[name]
			if !ok {
				i = len(all)
				index[name] = i
				all = append(all, group{name: name})
			}
			all[i].pallets = append(all[i].pallets, p)
		}
	}
	return all
}

// produceVsPhyto compares the produce on the pallets with the botanical names on
// the phytosanitary certificates (ISPM 12, 5). It fails where a certificate does
// not name a commodity, and warns of commodities that are on no pallet and of
// produce that is not in the table.
func produceVsPhyto(s subject) finding {
	var named []string
	var certified []*commodity
	compared := false
	for _, doc := range documentsOf(s, shipments.PhytosanitaryCertificate) {
		if doc.Status != shipments.Processed {
			continue
		}
		compared = true
		for _, f := range doc.Facts {
			if f.Kind == shipments.ProduceFact {
				named = append(named, f.Text)
				if c := commodityOf(f.Text); c != nil && !slices.Contains(certified, c) {
					certified = append(certified, c)
				}
			}
		}
	}
	if !compared {
		return skip("There is no phytosanitary certificate to compare with.")
	}
	if len(s.Pallets) == 0 {
		return skip("There are no pallets to compare with the certificate.")
	}
	if certified == nil {
		return skip("The phytosanitary certificate names no known produce.")
	}
	var f finding
	var loaded []*commodity
	for _, g := range byProduce(s.Pallets) {
		c := commodityOf(g.name)
		loaded = append(loaded, c)
		if c != nil && !slices.Contains(certified, c) {
			f.report(shipments.Fail, fmt.Sprintf("%s (%s) on %s is not on the certificate, which names %s", g.name, c.botanical[0], rowsOf(s, g.pallets...), listed(botanicalNames(certified))), g.pallets...)
		}
		if c == nil && !slices.ContainsFunc(named, func(text string) bool { return mentions(text, g.name) }) {
			f.report(shipments.Warn, fmt.Sprintf("%q on %s is unknown produce and could not be compared with the certificate", g.name, rowsOf(s, g.pallets...)), g.pallets...)
		}
	}
	for _, c := range certified {
		if !slices.Contains(loaded, c) && f.problems == nil {
			f.report(shipments.Warn, fmt.Sprintf("the certificate names %s, which is on no pallet", c.botanical[0]))
		}
	}
	return f.or(pass(sentence("the certificate covers the produce on the pallets: " + listed(botanicalNames(certified)))))
}

func botanicalNames(all []*commodity) (names []string) {
	for _, c := range all {
		names = append(names, c.botanical[0])
	}
	return names
}

// mentions reports whether a text has a word of the name of produce, of at least
// four letters.
func mentions(text, produce string) bool {
	words := wordsOf(text)
	return slices.ContainsFunc(wordsOf(produce), func(word string) bool { return len(word) > 3 && slices.Contains(words, word) })
}
