package packinglist

import (
	"strings"
	"testing"
)

// listCase is a list, its pallets, and what a warning contains.
type listCase struct{ list, want, warns string }

func (c listCase) check(t *testing.T) {
	t.Helper()
	lines := strings.Split(c.list, "\n")
	if got := pallets(t, lines...); got != c.want {
		t.Errorf("%s\n\tgot  %s\n\twant %s", c.list, got, c.want)
	} else if list, err := readAs(t.Context(), CSV, c.list); unreadable(err) &&
		strings.Contains(err.Error(), c.warns) {
		return
	} else if warnings := warningsOf(list, err); !strings.Contains(warnings, c.warns) ||
		(c.warns == "") != (warnings == "") {
		t.Errorf("%s\n\tno warning of %q: %s", c.list, c.warns, warnings)
	}
}

// A header row that repeats with another meaning or unit begins another table.
func TestRepeatedHeadersWithAnotherMeaning(t *testing.T) {
	t.Parallel()
	const headings = "Pallet,Produce,Size,Cartons,"
	for _, c := range []listCase{
		{headings + "Net weight (kg)", "P2 60 × 5000", ""},
		{"Palet,Especie,Calibre,Cajas,Peso neto", "P2 60 × 5000", ""},
		{headings + "Net weight (lb)", "P2 60 × 2268", "usual for"},
		{headings + "Gross weight (kg)", "P2 60 × 5000", "no net weight"},
		{"Pallet,Produce,Size,Half cartons,Net weight (kg)", "P2 0 × 0", "parts of boxes"},
		{"Pallet,Produce,Size,Punnets,Net weight (kg)", "P2 0 × 0", "Punnets"},
	} {
		c.list = headings + "Net weight (kg)\nP1,Plum,55-60,60,300\n" + c.list + "\nP2,Plum,55-60,60,300"
		c.want = "P1 60 × 5000, " + c.want
		c.check(t)
	}
}

// Headings and texts outside of the table may say that weights are no net weights.
func TestWeightsThatIncludeMore(t *testing.T) {
	t.Parallel()
	const line = "\nP1,Plum,55-60,60,300"
	for heading, warns := range map[string]string{
		"Net kg incl. pallet": "gross", "Net weight (incl. packaging) kg": "gross", "Peso neto kg con pallet": "gross",
		"Pallet weight (kg)":         "may include the pallet",
		"Net weight per pallet (kg)": "", "Net weight kg": "",
	} {
		listCase{"Pallet,Produce,Size,Cartons," + heading + line, "P1 60 × 5000", warns}.check(t)
	}
	listCase{"Pallet,Produce,Size,Cartons,Net weight" + line + "\nAll weights in lbs", "P1 60 × 2268", ""}.check(t)
}
