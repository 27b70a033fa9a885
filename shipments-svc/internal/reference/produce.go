package reference

import (
	"slices"
	"strings"
)

// Commodity is produce with the botanical names of its plants, the usual one first.
type Commodity struct{ Botanical []string }

// CommoditiesSource names the table of the commodities, with its edition and date.
// commodities indexes it by words and by botanical names, in lower case.
var CommoditiesSource, commodities = func() (string, map[string]*Commodity) {
	all := map[string]*Commodity{}
	table, source := rows("commodities")
	for _, r := range table {
		c := &Commodity{r.list("botanical")}
		for _, name := range c.Botanical {
			all[strings.ToLower(name)] = c
		}
		for word := range strings.FieldsSeq(r["words"]) {
			all[word] = c
		}
	}
	return source, all
}()

// CommodityOf returns the commodity that the name of produce means, or nil: by a
// botanical name, or else by the longest word that is in the table.
func CommodityOf(produce string) (found *Commodity) {
	if species := speciesIn(produce); species != nil {
		return species[0]
	}
	longest := 0
	for _, word := range Words(produce) {
		if c := commodities[word]; c != nil && len(word) > longest {
			found, longest = c, len(word)
		}
	}
	return found
}

// Commodities returns all commodities that a text names: by botanical names, or else
// by words.
func Commodities(text string) []*Commodity {
	all := speciesIn(text)
	if all != nil {
		return all
	}
	for _, word := range Words(text) {
		if c := commodities[word]; c != nil && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// Species returns the botanical names in a text: two words of the table, or a genus of
// it and sp.
func Species(text string) (names []string) {
	words := slices.DeleteFunc(Words(text), func(word string) bool { return word == "x" }) // the sign of a hybrid
	for i := 1; i < len(words); i++ {
		name := words[i-1] + " " + words[i]
		genus := (words[i] == "sp" || words[i] == "spp") && commodities[words[i-1]] != nil
		if commodities[name] != nil || genus {
			names = append(names, strings.ToUpper(name[:1])+name[1:])
		}
	}
	return names
}

// speciesIn returns the commodities of the botanical names in a text.
func speciesIn(text string) (all []*Commodity) {
	for _, name := range Species(text) {
		genus, _, _ := strings.Cut(strings.ToLower(name), " sp")
		c := commodities[strings.ToLower(name)]
		if c == nil {
			c = commodities[genus]
		}
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// unsized has the words of produce that is sold without a calibre.
var unsized = func() map[string]bool {
	all := map[string]bool{}
	table, _ := rows("unsized")
	for _, r := range table {
		for word := range strings.FieldsSeq(r["words"]) {
			all[word] = true
		}
	}
	return all
}()

// IsUnsized reports whether produce is sold without a calibre.
func IsUnsized(produce string) bool {
	return slices.ContainsFunc(Words(produce), func(word string) bool { return unsized[word] })
}
