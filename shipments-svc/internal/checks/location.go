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
	names []string // in lower case
}

// locationCodes looks up the origin and destination in UN/LOCODE (UNECE
// Recommendation 16) by the codes and names in their texts. It warns where code
// and name of a text differ and where both texts name the same place. Other
// texts are not checked.
func locationCodes(s subject) finding {
	var f finding
	var texts, codes []string
	for _, text := range []struct{ field, value string }{{"origin", s.Origin}, {"destination", s.Destination}} {
		byCode, byName := placesIn(text.value)
		if byCode != nil && byName != nil && byCode.code != byName.code {
			f.report(shipments.Warn, fmt.Sprintf("the %s %q has the code of %s but the name of %s (%s)",
				text.field, text.value, title(byCode.names[0]), title(byName.names[0]), byName.code))
			continue
		}
		for _, code := range port(text.value) {
			codes = append(codes, code)
			texts = append(texts, text.field+" is "+code)
		}
	}
	if len(codes) == 2 && codes[0] == codes[1] {
		f.report(shipments.Warn, "origin and destination are the same: "+codes[0])
	}
	if texts == nil {
		return f.or(skip("Neither origin nor destination is a known port."))
	}
	return f.or(pass(sentence(strings.Join(texts, ", "))))
}

// placesIn returns the place whose code a text contains, and the one whose name
// it contains; nil for none.
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
