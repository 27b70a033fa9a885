package packinglist

import "testing"

// Signs and words that mean "as above" are no pallets.
func TestLabelsThatMeanAsAbove(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		`''`, "-", "...", ".", "↓", "same", "as above", "idem", "P1 (cont.)", "P1 cont'd", "P1 continued",
	} {
		content := "Pallet,Produce,Size,Cartons,Net kg\nP1,Plum,55-60,60,300\n" + label + ",Plum,50-55,60,300"
		listCase{content, "P1 120 × 5000", ""}.check(t)
	}
	list := listOf(t, "Pallet,Produce,Size,Cartons,Net kg", "P1,Plum,55-60,60,300", "P2,ditto,same,60,300",
		"P3,-,-,60,300")
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
