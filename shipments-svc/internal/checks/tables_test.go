package checks

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// TestSizingsAreConsistent: each is of a known commodity, names its source, and
// knows what it lists, once.
func TestSizingsAreConsistent(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range sizings {
		if !isCommodity(s.commodity) || seen[s.commodity] || !strings.HasPrefix(s.source, "UNECE FFV-") {
			t.Errorf("%+v", s)
		}
		seen[s.commodity] = true
		if s.codes == nil && s.to == 0 || (s.from > 0) != (s.to > s.from) || s.to > 200 || s.maxPieces < 0 {
			t.Errorf("%+v", s)
		}
		for i, code := range s.codes {
			if slices.Contains(s.codes[:i], code) || code != strings.ToUpper(code) || !s.has(code) {
				t.Errorf("%s of %s", code, s.produce)
			}
		}
	}
}

// locode is how UN/LOCODE writes codes: without 0 and 1, which look like letters.
var locode = regexp.MustCompile(`^[A-Z]{2}[A-Z2-9]{3}$`)

// TestPortsAreConsistent: they are in order, each code once and of a country, and
// each is found by its code and its names.
func TestPortsAreConsistent(t *testing.T) {
	t.Parallel()
	for i, p := range ports {
		if !locode.MatchString(p.code) || i > 0 && cmp.Compare(ports[i-1].code, p.code) >= 0 || len(p.names) == 0 {
			t.Errorf("%+v", p)
		}
		if country, err := language.ParseRegion(p.code[:2]); err != nil || !country.IsCountry() {
			t.Errorf("%s is in no country of ISO 3166-1", p.code)
		}
		for _, text := range []string{p.code, p.code[:2] + " " + p.code[2:]} {
			if byCode, _ := placesIn(text); byCode == nil || byCode.code != p.code {
				t.Errorf("%s is not found as %q", p.code, text)
			}
		}
		for _, name := range p.names {
			if _, byName := placesIn(title(name)); byName == nil || byName.code != p.code || name != strings.ToLower(name) {
				t.Errorf("%s is not found by its name %s", p.code, name)
			}
		}
	}
}

// TestCommoditiesAreConsistent: no name belongs to two commodities.
func TestCommoditiesAreConsistent(t *testing.T) {
	t.Parallel()
	latin := regexp.MustCompile(`^[A-Z][a-z]+( [a-z]+)?$`)
	seen := map[string]string{}
	for _, s := range commodities {
		for _, name := range append(append([]string{}, s.words...), s.botanical...) {
			key := strings.ToLower(name)
			if seen[key] != "" {
				t.Errorf("%q is a name of %s and of %s", name, seen[key], s.botanical[0])
			}
			seen[key] = s.botanical[0]
		}
		for _, word := range s.words {
			if word != strings.ToLower(word) || len(wordsOf(word)) != 1 {
				t.Errorf("%q is not one word in lower case", word)
			}
		}
		for _, name := range s.botanical {
			if !latin.MatchString(name) {
				t.Errorf("%q is no genus, nor genus and species", name)
			}
		}
	}
}

func isCommodity(name string) bool {
	s := byName[strings.ToLower(name)]
	return s != nil && s.botanical[0] == name
}

// TestRequirementsAreConsistent: each names its source and exempts known commodities.
func TestRequirementsAreConsistent(t *testing.T) {
	t.Parallel()
	for _, d := range requirements {
		if d.source == "" || d.region == "" || len(d.countries) == 0 {
			t.Errorf("%+v", d)
		}
		for _, name := range d.exempt {
			if !isCommodity(name) {
				t.Errorf("%s is not the first name of a plant", name)
			}
		}
	}
}

// TestUnionListsItsMembers compares the table with CLDR 32, which has the
// United Kingdom as a member still.
func TestUnionListsItsMembers(t *testing.T) {
	t.Parallel()
	members := language.MustParseRegion("EU")
	has := func(code string) bool {
		return slices.ContainsFunc(union, func(c country) bool { return c.code == code })
	}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			country, err := language.ParseRegion(code)
			member := err == nil && country.IsCountry() && country.String() == code && members.Contains(country)
			if code != "GB" && has(code) != member {
				t.Errorf("%s is in the table: %t; a member: %t", code, has(code), member)
			}
		}
	}
}

// TestCountryOfFindsEachName in the languages that packing lists are
// read in, as CLDR has them.
func TestCountryOfFindsEachName(t *testing.T) {
	t.Parallel()
	for _, in := range []language.Tag{language.English, language.Spanish, language.French, language.Portuguese, language.Afrikaans} {
		names := display.Regions(in)
		for _, c := range slices.Concat(union, britain, alpine) {
			if name := names.Name(language.MustParseRegion(c.code)); countryOf("Port 7, "+name) != c.code {
				t.Errorf("%s is not found by its name %s", c.code, name)
			}
		}
	}
}
