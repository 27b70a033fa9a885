package checks

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// place is a location of UN/LOCODE.
type place struct {
	code  string   // country and location, without the space between them
	names []string // as people write it, in lower case
}

// locationCodes looks for the origin and destination in UN/LOCODE (UNECE
// Recommendation 16), by a code or a name in the text. A text that has a code
// and the name of another place contradicts itself, which is worth a warning.
// Texts are free: one that is about none of the places of the table is not
// judged.
func locationCodes(e subject) finding {
	var found, wrong []string
	for _, text := range []struct{ field, value string }{{"origin", e.Origin}, {"destination", e.Destination}} {
		byCode, byName := placesIn(text.value)
		switch {
		case byCode != nil && byName != nil && byCode.code != byName.code:
			wrong = append(wrong, fmt.Sprintf("the %s %q has the code of %s and the name of %s, which is %s",
				text.field, text.value, title(byCode.names[0]), title(byName.names[0]), byName.code))
		case byCode != nil:
			found = append(found, fmt.Sprintf("%s is %s", text.field, byCode.code))
		case byName != nil:
			found = append(found, fmt.Sprintf("%s is %s", text.field, byName.code))
		}
	}
	if wrong == nil && len(found) == 2 && found[0][len("origin "):] == found[1][len("destination "):] {
		wrong = append(wrong, "origin and destination are the same place, "+found[0][len("origin is "):])
	}
	switch {
	case wrong != nil:
		return finding{result: shipments.Warn, count: len(wrong), details: sentence(strings.Join(wrong, "; "))}
	case found == nil:
		return skip("Neither origin nor destination is a port that is known here.")
	default:
		return pass(sentence(strings.Join(found, ", ")))
	}
}

// placesIn returns the places that a text names, by its code and by a name;
// nil where it does not.
func placesIn(text string) (byCode, byName *place) {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	plain := " " + strings.ToLower(strings.Join(words, " ")) + " "
	for i := range ports {
		code := ports[i].code
		for j, word := range words {
			if word == code || word == code[:2] && j+1 < len(words) && words[j+1] == code[2:] {
				byCode = &ports[i]
			}
		}
		for _, name := range ports[i].names {
			if byName == nil && strings.Contains(plain, " "+name+" ") {
				byName = &ports[i]
			}
		}
	}
	return byCode, byName
}

// title writes a name with capitals.
func title(name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		first := []rune(word)
		first[0] = unicode.ToUpper(first[0])
		words[i] = string(first)
	}
	return strings.Join(words, " ")
}
