package numbers

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadings: numbers by locale. Ambiguous numbers have two values.
func TestReadings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]float64{
		// English, Kenya, Egypt, New Zealand
		"22,176.000 KGS": {22176}, "22,176.00": {22176}, "1,056.5 kg": {1056.5}, "1,234,567": {1234567}, "6336 kg": {6336},
		"0.5": {0.5}, ".5": {0.5}, ",5": {0.5},
		// Spain, Chile, Peru, Brazil, Turkey, Germany
		"22.176,000 kg": {22176}, "22.176,50": {22176.5}, "1.056,5": {1056.5}, "1.234.567": {1234567}, "4,5": {4.5},
		"0,125": {0.125},
		// France, Morocco; South Africa
		"22 176,000 kg": {22176}, "1\u202f050,00": {1050}, "1\u00a0050": {1050}, "22 176.5 kg": {22176.5},
		// Switzerland
		"22'176.50": {22176.5}, "22’176": {22176},
		// Pounds, tonnes, grams
		"22.176 MT": {22176, 22176000}, "22,176 t": {22176, 22176000}, "1,000 lbs": {453.59237, 0.45359237}, "500 g": {0.5},
		// Either
		"22,176 kg": {22176, 22.176}, "22.176 kg": {22176, 22.176}, "1.584 cartons": {1584, 1.584},
		// In the midst of a text
		"Fresh avocado fruit 6336 kg": {6336}, "Total: 1 584 cartons avocados": {1584}, "12 x 125 g": {12},
		"1584 cartons of 4 kg": {1584},
		"N/A":                  nil, "": nil, "-": nil, "1.2.3,4.5": nil,
	} {
		got := Readings(text)
		for i := range got {
			got[i] = math.Round(got[i]*1e9) / 1e9
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestStyleOf: a single separator before exactly three digits, after one to three
// others that are not all zero, is unclear.
func TestStyleOf(t *testing.T) {
	t.Parallel()
	for digits, want := range map[string]Style{
		"1234": Neither, "-5": Neither, "1,234.5": Point, "1.234,5": Comma, "1,234.567": Point, "1.234,567": Comma,
		"1,234,567": Point, "1.234.567": Comma,
		"1.234": Unclear, "1,234": Unclear, "123.456": Unclear, "-123.456": Point, "1234.567": Point, "1234,567": Comma,
		"1.23": Point, "1,2345": Comma,
		",1.5": Point, ".1,5": Comma, "0.234": Point, "0,234": Comma, ".234": Point, ",234": Comma, "-0.234": Point,
		"1 234,567": Comma, "1'234.567": Point,
	} {
		if got := StyleOf(digits); got != want {
			t.Errorf("%q has the style %d, want %d", digits, got, want)
		}
	}
}

// TestReadingsNearTheBeginning: a number after more than 40 bytes does not count.
func TestReadingsNearTheBeginning(t *testing.T) {
	t.Parallel()
	if got := Readings(strings.Repeat("x", 40) + "12"); len(got) != 1 || got[0] != 12 {
		t.Errorf("%v", got)
	}
	if got := Readings(strings.Repeat("x", 41) + "12"); got != nil {
		t.Errorf("%v", got)
	}
}

// TestSplit: number and unit, without footnote marks.
func TestSplit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Number{
		"90 (*)": {"90", ""}, "90*": {"90", ""}, "90 (kg)": {"90", "kg"}, "[kg] 90": {"90", "kg"}, "90.": {"90.", ""},
		"90 †": {"90", ""}, "90 kg/caja": {"90", "kg caja"}, "1.056,5 kg": {"1.056,5", "kg"}, "kg 12": {"12", "kg"},
		"90 cajas": {"90", "cajas"}, "-4,5": {"-4,5", ""}, "4 kg.": {"4", "kg"},
	} {
		if got, ok := Split(text); !ok || got != want {
			t.Errorf("%q is %+v, %t", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "n/a", "1-5", "12 x 125 g", "kg 12 kg", "5-", "(80)", "[80]", "80)", ")80(", "−80", "–80", "80 -", "80½", "80%",
		"<80", "~80", "±80", "80+", "80?", "$80", "80²", "80=",
	} {
		if got, ok := Split(text); ok {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// FuzzNumber: no text panics, values are finite, and unambiguous numbers have the
// same value as in Go.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{
		"1.056,5 kg", "1 056.50", "1'234", "-4,5", "4.125", "kg 12", "1-5", "٣", "0,5",
		"12 x 125 g", ".", "1.2.3,4", "22,176.000 KGS", "22.176 MT",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := Split(text)
		for _, s := range []Style{Unclear, Point, Comma, Neither} {
			if v, fine := Value(n.Digits, s); fine && (math.IsNaN(v) || math.IsInf(v, 0)) {
				t.Errorf("%q is %v", text, v)
			}
		}
		for _, v := range Readings(text) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%q can be %v", text, v)
			}
		}
		if v, err := json.Number(text).Float64(); err == nil && ok && !strings.ContainsAny(text, "eExXpP_+") &&
			StyleOf(n.Digits) != Unclear &&
			n.Unit == "" {
			if got, _ := Value(n.Digits, Point); got != v {
				t.Errorf("%q is %v, not %v", text, got, v)
			}
		}
	})
}

// TestGroups: separators of thousands are between groups of three digits, or of two
// as in India.
func TestGroups(t *testing.T) {
	t.Parallel()
	for digits, want := range map[string]float64{
		"1 234": 1234, "12,34,567": 1234567, "1'234.5": 1234.5, "-1,234": -1234,
		"1.234.567,5": 1234567.5,
	} {
		if got, ok := Value(digits, Point); !ok || got != want {
			t.Errorf("%q is %v, %t", digits, got, ok)
		}
	}
	for _, digits := range []string{"80 80", "1.2.3", "8'0", "12,3,456.5", "1,234,56.5", "37.5 5", "1,234.5.6"} {
		if got, ok := Value(digits, Point); ok {
			t.Errorf("%q is %v", digits, got)
		}
	}
}
