package checks

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// byName finds a row of the table by a word, or by a botanical name, in lower
// case.
var byName = func() map[string]*species {
	all := map[string]*species{}
	for i := range plants {
		for _, name := range plants[i].botanical {
			all[strings.ToLower(name)] = &plants[i]
		}
		for _, word := range plants[i].words {
			all[word] = &plants[i]
		}
	}
	return all
}()

// speciesOf returns the row of the table that a text is about, or nil: by a
// botanical name in it, or by the longest of its words that the table has.
func speciesOf(text string) *species {
	words := wordsOf(text)
	for i := 1; i < len(words); i++ {
		if s := byName[words[i-1]+" "+words[i]]; s != nil {
			return s
		}
	}
	var found *species
	longest := 0
	for _, word := range words {
		if s := byName[word]; s != nil && len(word) > longest {
			found, longest = s, len(word)
		}
	}
	return found
}

// wordsOf returns the words of a text in lower case. The sign of a hybrid is
// none.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(word string) bool { return word == "x" })
}

// load is what pallets hold of one produce.
type load struct {
	produce string
	pallets []shipments.Pallet
}

// loadsOf sorts pallets by what they hold. One that holds several produce is
// among the pallets of each.
func loadsOf(pallets []shipments.Pallet) (all []load) {
	index := map[string]int{}
	for _, p := range pallets {
		names := []string{p.ProduceName}
		for _, c := range p.Contents {
			names = append(names, c.ProduceName)
		}
		if len(p.Contents) > 0 {
			names = names[1:]
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			i, ok := index[name]
			if !ok {
				i = len(all)
				index[name] = i
				all = append(all, load{produce: name})
			}
			all[i].pallets = append(all[i].pallets, p)
		}
	}
	return all
}

// produceVsPhyto compares what pallets hold with what the phytosanitary
// certificates name, as plants: the certificate's botanical name tells which
// is meant (ISPM 12, 5, box "Botanical name of plants"). It fails where a plant
// is not on a certificate, and warns where the certificate names one that no
// pallet holds, or where a produce is unknown here.
func produceVsPhyto(e subject) finding {
	var named []string
	var certified []*species
	read := 0
	for _, doc := range papersOf(e, shipments.PhytosanitaryCertificate) {
		if doc.Status != shipments.Processed {
			continue
		}
		read++
		for _, f := range doc.Facts {
			if f.Kind == shipments.ProduceFact {
				named = append(named, f.Text)
				if s := speciesOf(f.Text); s != nil && !slices.Contains(certified, s) {
					certified = append(certified, s)
				}
			}
		}
	}
	switch {
	case read == 0:
		return skip("There is no phytosanitary certificate to compare with.")
	case len(e.Pallets) == 0:
		return skip("There are no pallets to compare with the certificate.")
	case certified == nil:
		return skip("The phytosanitary certificate names no produce that is known here.")
	}
	f := finding{result: shipments.Pass}
	var said []string
	var loaded []*species
	for _, l := range loadsOf(e.Pallets) {
		s := speciesOf(l.produce)
		switch {
		case s != nil && !slices.Contains(loaded, s):
			loaded = append(loaded, s)
			fallthrough
		case s != nil:
			if !slices.Contains(certified, s) {
				f.result, f.at = shipments.Fail, append(f.at, l.pallets...)
				said = append(said, fmt.Sprintf("%s (%s) on %s is not on the certificate, which names %s", l.produce, s.botanical[0], places(e, l.pallets), listed(names(certified))))
			}
		case !slices.ContainsFunc(named, func(text string) bool { return mentions(text, l.produce) }):
			if f.result == shipments.Pass {
				f.result = shipments.Warn
			}
			f.at = append(f.at, l.pallets...)
			said = append(said, fmt.Sprintf("%q on %s is no produce that is known here, so nothing tells whether the certificate names it", l.produce, places(e, l.pallets)))
		}
	}
	for _, s := range certified {
		if !slices.Contains(loaded, s) && f.result == shipments.Pass {
			f.result, f.count = shipments.Warn, f.count+1
			said = append(said, fmt.Sprintf("the certificate names %s, which no pallet holds", s.botanical[0]))
		}
	}
	if said == nil {
		return pass(sentence("the certificate names what the pallets hold: " + listed(names(certified))))
	}
	f.details = sentence(strings.Join(first(said), "; "))
	return f
}

// names returns the botanical names of plants.
func names(all []*species) (texts []string) {
	for _, s := range all {
		texts = append(texts, s.botanical[0])
	}
	return texts
}

// mentions reports whether a text has a word of a produce's name.
func mentions(text, produce string) bool {
	words := wordsOf(text)
	return slices.ContainsFunc(wordsOf(produce), func(word string) bool { return len(word) > 3 && slices.Contains(words, word) })
}
