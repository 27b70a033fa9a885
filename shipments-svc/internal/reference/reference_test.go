package reference

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// TestSizingsAreConsistent: each is of a known commodity, names its source, and knows
// what it lists, once.
func TestSizingsAreConsistent(t *testing.T) {
	t.Parallel()
	for commodity, all := range Sizings {
		for _, s := range all {
			if !isCommodity(commodity) || s.Source == "" || s.codes == nil && s.to == 0 ||
				(s.from > 0) != (s.to > s.from) || s.to > 200 || s.maxPieces < 0 {
				t.Errorf("%s: %+v", commodity, s)
			}
			for i, code := range s.codes {
				if slices.Contains(s.codes[:i], code) || code != strings.ToUpper(code) || !s.Has(code) {
					t.Errorf("%s of %s", code, s.Produce)
				}
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
		if !locode.MatchString(p.Code) || i > 0 && cmp.Compare(ports[i-1].Code, p.Code) >= 0 || len(p.Names) == 0 {
			t.Errorf("%+v", p)
		}
		if country, err := language.ParseRegion(p.Code[:2]); err != nil || !country.IsCountry() {
			t.Errorf("%s is in no country of ISO 3166-1", p.Code)
		}
		for _, text := range []string{p.Code, p.Code[:2] + " " + p.Code[2:]} {
			if byCode, _ := PortsIn(text); byCode == nil || byCode.Code != p.Code {
				t.Errorf("%s is not found as %q", p.Code, text)
			}
		}
		for _, name := range p.Names {
			if _, byName := PortsIn(strings.ToUpper(name)); byName == nil || byName.Code != p.Code ||
				name != strings.ToLower(name) {
				t.Errorf("%s is not found by its name %s", p.Code, name)
			}
		}
	}
}

// TestCommoditiesAreConsistent: no name belongs to two commodities, and each is found.
func TestCommoditiesAreConsistent(t *testing.T) {
	t.Parallel()
	latin := regexp.MustCompile(`^[A-Z][a-z]+( [a-z]+)?$`)
	seen := map[string]bool{}
	table, _ := rows("commodities")
	for _, r := range table {
		for _, name := range append(strings.Fields(r["words"]), r.list("botanical")...) {
			key := strings.ToLower(name)
			if seen[key] || commodities[key] != r.list("botanical")[0] {
				t.Errorf("%q is a name of two", name)
			}
			seen[key] = true
		}
		for word := range strings.FieldsSeq(r["words"]) {
			if words := Words(word); len(words) != 1 || words[0] != word {
				t.Errorf("%q is not one word in lower case", word)
			}
		}
		for _, name := range r.list("botanical") {
			if !latin.MatchString(name) {
				t.Errorf("%q is no genus, nor genus and species", name)
			}
		}
	}
}

func isCommodity(name string) bool {
	return name != "" && commodities[strings.ToLower(name)] == name
}

// TestRequirementsAreConsistent: each names its source, known territories and known
// commodities.
func TestRequirementsAreConsistent(t *testing.T) {
	t.Parallel()
	for _, r := range requirements {
		if r.Source == "" || r.Region == "" || r.Reason == "" {
			t.Errorf("%+v", r)
		}
		for _, territory := range append(slices.Concat(r.exemptOrigins, r.lowRiskOrigins), r.territory) {
			if !slices.ContainsFunc(countries, func(c country) bool { return c.territory == territory }) {
				t.Errorf("%s has no countries", territory)
			}
		}
		for _, name := range slices.Concat(r.exemptProduce, r.lowRiskProduce) {
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
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			country, err := language.ParseRegion(code)
			member := err == nil && country.IsCountry() && country.String() == code && members.Contains(country)
			if code != "GB" && (territories[code] == "union") != member {
				t.Errorf("%s is of the territory %q; a member: %t", code, territories[code], member)
			}
		}
	}
}

// TestCountryOfFindsEachName in the languages that packing lists are
// read in, as CLDR has them.
func TestCountryOfFindsEachName(t *testing.T) {
	t.Parallel()
	for _, in := range []language.Tag{
		language.English, language.Spanish, language.French, language.Portuguese,
		language.Afrikaans,
	} {
		names := display.Regions(in)
		for _, c := range countries {
			if c.territory == outlying {
				continue
			}
			if name := names.Name(language.MustParseRegion(c.code)); CountryOf("Port 7, "+name) != c.code {
				t.Errorf("%s is not found by its name %s", c.code, name)
			}
		}
	}
}

func TestCalibres(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		produce, calibre string
		known            bool
	}{
		{"Avocado, Hass", "18", true},
		{"PALTA HASS", "s", true},
		{"Avocado", "19", false},
		{"Avocado", "75 mm", false},
		{"Oranges, Navel", "88", true},
		{"Orange Valencia", "75-80 mm", true},
		{"Orange Valencia", "Ø 75+", true},
		{"Orange Valencia", "75-180", false},
		{"Orange Valencia", "XL", false},
		{"Naranjas", "13", true},
		{"Lemons, Eureka", "113", true},
		{"Clementines", "1-xx", true},
		{"Clementines", "1-XXXX", false},
		{"Nectarines, Alpine", "AAA", true},
		{"Peaches", "E", false},
		{"Nectarines", "67/73", true},
		{"Apples, Royal Gala", "70", true},
		{"Pears", "0", false},
		{"Star Ruby grapefruit", "40", true},
		{"Hass", "32", false},
	} {
		if all := Sizings[CommodityOf(c.produce)]; len(all) == 0 || all[0].Has(c.calibre) != c.known {
			t.Errorf("%s %s: known is not %t", c.produce, c.calibre, c.known)
		}
	}
	for _, produce := range []string{"Pineapple", "Table grapes", "", "Dragon fruit"} {
		if all := Sizings[CommodityOf(produce)]; all != nil {
			t.Errorf("%s is taken for %s", produce, all[0].Produce)
		}
	}
}

// TestCalibreLimits of the diameters and the pieces of oranges.
func TestCalibreLimits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"53 mm": true, "52 mm": false, "110 mm": true, "111 mm": false, "53-110": true, "53-111": false, "162": true,
		"163": false, "-1": false,
	} {
		if Sizings[CommodityOf("Oranges")][0].Has(text) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
	if Sizings[CommodityOf("Avocado")][0].Has("00") {
		t.Error("an avocado has no diameter")
	}
}

func TestPlacesInATextThatEnds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"NL RTM": "NLRTM", "Barendrecht NL": "", "NL": "", "NL RTX": ""} {
		if byCode, _ := PortsIn(text); (byCode == nil) != (want == "") || byCode != nil && byCode.Code != want {
			t.Errorf("%s: %+v", text, byCode)
		}
	}
}

// TestCountryOfTheLongestName: a name within a longer one does not count.
func TestCountryOfTheLongestName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Holland, Great Britain": "GB", "Ireland by way of Austria": "AT", "Ireland": "IE",
		"Northern Ireland, United Kingdom": "IE", "Hamburg": "DE", "DEHAM": "DE", "Kehl, DE": "DE", "DE, Kehl": "",
		"Shanghai": "",
	} {
		if got := CountryOf(text); got != want {
			t.Errorf("%s is in %q, want %q", text, got, want)
		}
	}
}

func TestCountryOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Rotterdam, Netherlands": "NL", "Port of Antwerp": "BE", "GBFXT": "GB", "Southampton, UK": "GB",
		"Sines, Portugal": "PT", "París, Francia": "FR", "Hamburg (DEHAM)": "DE", "Barendrecht NL": "NL",
		"Belfast, Northern Ireland": "IE", "Algeciras, España": "ES", "New York": "", "Shanghai": "", "it is late": "",
		"": "",
	} {
		if got := CountryOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestCommodityOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Palta Hass": "Persea americana", "PERSEA AMERICANA Mill.": "Persea americana",
		"Tafeldruiwe Prime":                      "Vitis vinifera",
		"Fresh table grapes (Vitis vinifera L.)": "Vitis vinifera",
		"Star Ruby Grapefruit":                   "Citrus paradisi", "Citrus x paradisi": "Citrus paradisi",
		"Clementina Clemenules": "Citrus reticulata", "Pommes Gala": "Malus domestica", "Mango": "Mangifera indica",
		"Watermelon, seedless": "Citrullus lanatus", "Pomelo rosado": "Citrus paradisi",
		"Honey pomelo (Citrus maxima)": "Citrus paradisi", "Vaccinium sp.": "Vaccinium corymbosum",
		"Feijoa": "", "": "",
	} {
		if got := CommodityOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestCommodities: a certificate names several, by botanical names if it has any.
func TestCommodities(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Persea americana, Punica granatum": "Persea americana, Punica granatum",
		"Avocados and pomegranates":         "Persea americana, Punica granatum",
		"Avocado (Persea americana)":        "Persea americana",
		"Oranges, oranges":                  "Citrus sinensis",
		"Feijoa":                            "",
	} {
		if got := strings.Join(Commodities(text), ", "); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}
