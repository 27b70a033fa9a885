package packinglist

import (
	"strings"
	"testing"
)

// A total of a pallet, with its label, is no line of it, nor the declared total.
func TestTotalsOfPalletsAreNoLines(t *testing.T) {
	t.Parallel()
	for _, total := range []string{
		"P1,Total pallet,,60,300", "P1,Tot.,,60,300", "P1,Subtot,,60,300",
		"P1,Total folio,,60,300", "P1,,Total,60,300", "P1,Total P1 (1 line),,60,300", ",Suma anterior,,60,",
	} {
		listCase{
			"Pallet,Produce,Size,Cartons,Net kg\nP1,Plum,55-60,60,300\n" + total + "\nP2,Plum,55-60,60,300",
			"P1 60 × 5000, P2 60 × 5000",
			"",
		}.check(
			t,
		)
	}
	listCase{
		"Pallet,Produce,Size,Cartons,Net kg\nP1,Plum,55-60,60,300\nP1,Total Red,55-60,60,300",
		"P1 120 × 5000",
		"",
	}.check(
		t,
	)
}

// Signs and words that mean "as above" are no pallets.
func TestLabelsThatMeanAsAbove(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		`''`, "-", "...", ".", "↓", "same", "as above", "idem", "P1 (cont.)", "P1 cont'd",
		"P1 continued",
	} {
		listCase{
			"Pallet,Produce,Size,Cartons,Net kg\nP1,Plum,55-60,60,300\n" + label + ",Plum,50-55,60,300",
			"P1 120 × 5000",
			"",
		}.check(
			t,
		)
	}
	list := listOf(
		t,
		"Pallet,Produce,Size,Cartons,Net kg",
		"P1,Plum,55-60,60,300",
		"P2,ditto,same,60,300",
		"P3,-,-,60,300",
	)
	if p := list.Pallets; p[1].ProduceName != "Plum" || p[1].Calibre != "55-60" || p[2].ProduceName != "" {
		t.Errorf("%+v", p)
	}
}

// Rows with numbers that are not read, and lines that lack what others have, are
// warnings.
func TestRowsWithNumbersAreReadOrWarnedOf(t *testing.T) {
	t.Parallel()
	const lines = "Pallet,Produce,Size,Cartons,Net kg\nP1,Plum,55-60,60,300\nP2,Plum,55-60,60,300\n"
	listCase{lines + ",,,,,P3,Plum,24,60,300", "P1 60 × 5000, P2 60 × 5000", "not a line of a pallet"}.check(t)
	listCase{lines + "P2,Recorder TR882,,1,", "P1 60 × 5000, P2 61 × 4918", "neither a calibre nor a weight"}.check(t)
	listCase{lines + "Loaded by: J. Smith,Date: 1.2.2026", "P1 60 × 5000, P2 60 × 5000", ""}.check(t)
}

// A column of units applies to the quantity on its left.
func TestColumnsOfUnits(t *testing.T) {
	t.Parallel()
	for list, c := range map[string]listCase{
		"Qty,UOM,Net kg\n960,KG,960":                 {want: "no_boxes", warns: "no line has a number of boxes"},
		"Qty,UOM,Net kg\n240,CTN,960":                {want: "P1 240 × 4000"},
		"Cartons,UOM,Net weight\n240,KG,960":         {want: "P1 240 × 4000", warns: "kilograms were assumed"},
		"Cartons,Net weight,Weight unit\n240,960,KG": {want: "P1 240 × 4000"},
		"Cartons,Net weight,Unit\n240,2116.4,LBS":    {want: "P1 240 × 4000"},
		"Cartons,Net kg,Unit\n240,2116.4,LBS":        {want: "P1 240 × 4000", warns: "another unit"},
	} {
		heading, line, _ := strings.Cut(list, "\n")
		listCase{"Pallet,Produce,Size," + heading + "\nP1,Plum,55-60," + line, c.want, c.warns}.check(t)
	}
}
