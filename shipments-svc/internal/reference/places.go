package reference

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Port is a location of UN/LOCODE.
type Port struct {
	Code  string   // country and location, without the space between them
	Names []string // in lower case
}

// PortsSource names the table of the ports, with its edition and date.
var PortsSource, ports = func() (source string, all []Port) {
	table, source := rows("ports")
	for _, r := range table {
		all = append(all, Port{r["code"], r.list("names")})
	}
	return source, all
}()

// PortsIn returns the port whose code a text has, and the one whose name it has; nil
// for none.
func PortsIn(text string) (byCode, byName *Port) {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := range ports {
		p := &ports[i]
		for j, word := range words {
			if word == p.Code || word == p.Code[:2] && j+1 < len(words) && words[j+1] == p.Code[2:] {
				byCode = p
			}
		}
		if byName == nil && slices.ContainsFunc(p.Names, func(name string) bool { return hasName(text, name) }) {
			byName = p
		}
	}
	return byCode, byName
}

// country is a row of the table of countries.
type country struct {
	territory string
	code      string   // ISO 3166-1
	names     []string // in lower case and without accents
}

// territories has the territory of each country, by its code; outlying ones have none.
var countries, territories = func() (all []country, of map[string]string) {
	of = map[string]string{}
	table, _ := rows("countries")
	for _, r := range table {
		c := country{r["territory"], r["code"], r.list("names")}
		all, of[c.code] = append(all, c), c.territory
	}
	delete(of, "")
	return all, of
}()

// outlying are the territories of members outside of the plant health territory.
const outlying = "outlying"

// named returns the longest name in a text of the countries, or of outlying
// territories, and its code.
func named(text string, outside bool) (found, code string) {
	accents := transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)))
	plain, _, _ := transform.String(accents, text) // never fails
	for _, c := range countries {
		for _, name := range c.names {
			if (c.territory == outlying) == outside && len(name) > len(found) && hasName(plain, name) {
				found, code = name, c.code
			}
		}
	}
	return found, code
}

// CountryOf returns the code of the country that a text names: by the longest of its
// names in the text, by the country of a port, or by a code as the last word. It
// returns "" for countries without requirements.
func CountryOf(text string) string {
	if _, code := named(text, false); code != "" {
		return code
	}
	byCode, byName := PortsIn(text)
	for _, p := range []*Port{byCode, byName} {
		if p != nil && territories[p.Code[:2]] != "" {
			return p.Code[:2]
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if n := len(words); n > 0 && strings.HasSuffix(strings.TrimSpace(text), words[n-1]) && territories[words[n-1]] != "" {
		return words[n-1]
	}
	return ""
}
