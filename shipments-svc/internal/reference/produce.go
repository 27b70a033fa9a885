package reference

import (
	"slices"
	"strings"
)

// CommoditiesSource names the table of the commodities, with its edition and date.
// commodities has each commodity, by the usual one of its botanical names, under its words and
// botanical names in lower case.
var CommoditiesSource, commodities = func() (string, map[string]string) {
	all := map[string]string{}
	table, source := rows("commodities")
	for _, r := range table {
		names := r.list("botanical")
		for _, name := range append(strings.Fields(r["words"]), names...) {
			all[strings.ToLower(name)] = names[0]
		}
	}
	return source, all
}()

// CommodityOf returns the commodity that the name of produce means, or "": by a
// botanical name, or else by the longest word that is in the table.
func CommodityOf(produce string) (found string) {
	if _, species := Species(produce); species != nil {
		return species[0]
	}
	longest := 0
	for _, word := range Words(produce) {
		if c := commodities[word]; c != "" && len(word) > longest {
			found, longest = c, len(word)
		}
	}
	return found
}

// Commodities returns all commodities that a text names: by botanical names, or else
// by words.
func Commodities(text string) []string {
	_, all := Species(text)
	if all != nil {
		return all
	}
	for _, word := range Words(text) {
		if c := commodities[word]; c != "" && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// Species returns the botanical names in a text, which are two words of the table, or a genus of
// it and sp., and the commodities that they name.
func Species(text string) (names, of []string) {
	words := slices.DeleteFunc(Words(text), func(word string) bool { return word == "x" }) // the sign of a hybrid
	for i := 1; i < len(words); i++ {
		name := words[i-1] + " " + words[i]
		c := commodities[name]
		if c == "" && (words[i] == "sp" || words[i] == "spp") {
			c = commodities[words[i-1]]
		}
		if c == "" {
			continue
		}
		names = append(names, strings.ToUpper(name[:1])+name[1:])
		if !slices.Contains(of, c) {
			of = append(of, c)
		}
	}
	return names, of
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

// IsSized reports whether produce is sold with a calibre.
func IsSized(produce string) bool {
	return !slices.ContainsFunc(Words(produce), func(word string) bool { return unsized[word] })
}

// varieties has the names of varieties, and the number of words of the longest.
var varieties, longestVariety = func() (map[string]bool, int) {
	all, words := map[string]bool{}, 0
	table, _ := rows("varieties")
	for _, r := range table {
		for _, name := range r.list("names") {
			all[name], words = true, max(words, strings.Count(name, " ")+1)
		}
	}
	return all, words
}()

// Variety returns how many of the first words, without accents, are the name of a variety.
func Variety(words []string) int {
	for n := min(longestVariety, len(words)); n > 0; n-- {
		if varieties[strings.Join(words[:n], " ")] {
			return n
		}
	}
	return 0
}
