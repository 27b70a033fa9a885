package packinglist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// listOf reads a packing list of comma-separated values.
func listOf(t *testing.T, lines ...string) shipments.Reading {
	t.Helper()
	content := strings.Join(lines, "\n")
	list, err := Read(t.Context(), CSV, strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatalf("%s: %v", content, err)
	}
	return list
}

// remarked returns the rows of the remarks with a code.
func remarked(list shipments.Reading, code string) (rows []int) {
	for _, r := range list.Remarks {
		if r.Code == code {
			rows = append(rows, r.Row)
		}
	}
	return rows
}

func TestLettersOfColumns(t *testing.T) {
	t.Parallel()
	for col, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := tables.ColumnName(col + 1); got != want {
			t.Errorf("column %d is %s, want %s", col, got, want)
		}
	}
}

func TestWeightsAreRoundedWithinTheLimits(t *testing.T) {
	t.Parallel()
	most := float64(shipments.MaxBoxWeight)
	for weight, want := range map[float64]shipments.Grams{0: 0, .49: 0, .5: 1, 1.49: 1, 1.5: 2, most: shipments.MaxBoxWeight, most + .1: 0} {
		if got := rounded(weight); got != want {
			t.Errorf("%v g are %d, want %d", weight, got, want)
		}
	}
	for _, tt := range []struct {
		a, b float64
		want bool
	}{{100, 98, true}, {98, 100, true}, {100, 97.9, false}, {0, 0, true}} {
		if got := near(tt.a, tt.b); got != tt.want {
			t.Errorf("%v is near %v: %t", tt.a, tt.b, got)
		}
	}
}

func TestMostFrequentStyleWins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		point, comma, unclear int
		want                  numbers.Style
		mixed, open           bool
	}{
		{0, 0, 0, numbers.Unclear, false, false},
		{0, 0, 2, numbers.Unclear, false, true},
		{1, 0, 0, numbers.Point, false, false},
		{0, 1, 1, numbers.Comma, false, true},
		{1, 2, 0, numbers.Comma, true, false},
		{2, 1, 0, numbers.Point, true, false},
		{1, 1, 0, numbers.Point, true, false},
	} {
		var s styles
		s[numbers.Point], s[numbers.Comma], s[numbers.Unclear] = tt.point, tt.comma, tt.unclear
		if style, mixed, open := s.most(); style != tt.want || mixed != tt.mixed || open != tt.open {
			t.Errorf("%+v: %v, mixed %t, open %t", tt, style, mixed, open)
		}
	}
}

func TestSignsAreWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"$1 €2 £3": "price 1 price 2 price 3", "# 3": "no 3", "kg/Caja": "kg per caja", "Léger-É": "leger e",
	} {
		if got := fold(text); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
	if got := fieldOf("Cartons" + strings.Repeat("-", 80-len("Cartons"))); got != boxesField {
		t.Errorf("a heading of 80 bytes is field %d", got)
	}
	if got := fieldOf("Cartons" + strings.Repeat("-", 81-len("Cartons"))); got != noField {
		t.Errorf("a heading of 81 bytes is field %d", got)
	}
}

func TestColumnOfNumbersHasThemInHalfOfItsCells(t *testing.T) {
	t.Parallel()
	for texts, want := range map[string]bool{
		"": false, "x": false, "7": true, "1": true, "7 x": true, "7 x y": false, "1 2 3": false, "1 2 4": true, "2 3 4": true, "7 2024-01-05": true, "7 2024-01-05 2024-01-06": false, "- 7": true,
	} {
		s := new(sheet)
		for text := range strings.FieldsSeq(texts) {
			s.Rows = append(s.Rows, tables.Row{Cells: []tables.Cell{{Text: strings.Trim(text, "-")}}})
		}
		s.Rows = append(s.Rows, tables.Row{}, tables.Row{Cells: []tables.Cell{{Text: "x", Merged: true}}})
		if got := s.numeric(0); got != want {
			t.Errorf("%s: %t", texts, got)
		}
	}
}

func TestDeclaredTotalsAreTheFirstWithinTheLimits(t *testing.T) {
	t.Parallel()
	r := new(reader)
	add := func(kind shipments.FactKind, texts ...string) {
		for _, text := range texts {
			r.list.Facts = append(r.list.Facts, shipments.Fact{Kind: kind, Text: text})
		}
	}
	add(shipments.PalletsFact, "0", "x", fmt.Sprint(shipments.MaxPallets+1), fmt.Sprint(shipments.MaxPallets), "21")
	add(shipments.BoxesFact, "0", fmt.Sprint(shipments.MaxDeclaredBoxes+1), fmt.Sprint(shipments.MaxDeclaredBoxes), "7")
	add(shipments.NetWeightFact, "x", "18000", "7")
	add(shipments.ContainerFact, "MSKU 123456 7", "MSKU 765432 1")
	want := shipments.Declared{Pallets: shipments.MaxPallets, Boxes: shipments.MaxDeclaredBoxes, NetWeight: 18_000_000, ContainerNumber: "MSKU 123456 7"}
	if got := r.declaredFacts(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestDeclaredTotalIsTheGrandTotalOrTheSum(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		totals []total
		want   shipments.Declared
	}{
		"none":               {nil, shipments.Declared{}},
		"one":                {[]total{{Declared: shipments.Declared{Pallets: 1, Boxes: 100, NetWeight: 1000}}}, shipments.Declared{Pallets: 1, Boxes: 100, NetWeight: 1000}},
		"two equal":          {[]total{{Declared: shipments.Declared{Boxes: 100, NetWeight: 1000}}, {Declared: shipments.Declared{Boxes: 100, NetWeight: 1000}}}, shipments.Declared{Boxes: 200, NetWeight: 2000}},
		"a lower one":        {[]total{{Declared: shipments.Declared{Boxes: 100, NetWeight: 1000}}, {Declared: shipments.Declared{Boxes: 50, NetWeight: 500}}}, shipments.Declared{Boxes: 150, NetWeight: 1500}},
		"a higher one":       {[]total{{Declared: shipments.Declared{Boxes: 50, NetWeight: 500}}, {Declared: shipments.Declared{Boxes: 100, NetWeight: 1000}}}, shipments.Declared{Boxes: 100, NetWeight: 1000}},
		"equal in boxes":     {[]total{{Declared: shipments.Declared{Boxes: 100, NetWeight: 1000}}, {Declared: shipments.Declared{Boxes: 100, NetWeight: 1001}}}, shipments.Declared{Boxes: 100, NetWeight: 1001}},
		"a grand one, first": {[]total{{Declared: shipments.Declared{Boxes: 70}, grand: true}, {Declared: shipments.Declared{Boxes: 100}}}, shipments.Declared{Boxes: 70}},
		"a grand one, last":  {[]total{{Declared: shipments.Declared{Boxes: 100}}, {Declared: shipments.Declared{Boxes: 70}, grand: true}}, shipments.Declared{Boxes: 70}},
		"of a part":          {[]total{{Declared: shipments.Declared{Boxes: 100}}, {Declared: shipments.Declared{Boxes: 50}, part: true}}, shipments.Declared{Boxes: 100}},
		"the most":           {[]total{{Declared: shipments.Declared{Pallets: shipments.MaxPallets, Boxes: shipments.MaxDeclaredBoxes, NetWeight: shipments.MaxDeclaredWeight}}}, shipments.Declared{Pallets: shipments.MaxPallets, Boxes: shipments.MaxDeclaredBoxes, NetWeight: shipments.MaxDeclaredWeight}},
		"too many":           {[]total{{Declared: shipments.Declared{Pallets: shipments.MaxPallets + 1, Boxes: shipments.MaxDeclaredBoxes + 1, NetWeight: shipments.MaxDeclaredWeight + 1}}}, shipments.Declared{}},
	} {
		r := &reader{totals: tt.totals}
		if r.setDeclared(); r.list.Declared != tt.want {
			t.Errorf("%s: %+v, want %+v", name, r.list.Declared, tt.want)
		}
	}
}

func TestFactsAreDistinctAndBounded(t *testing.T) {
	t.Parallel()
	r := new(reader)
	for _, text := range []string{"", " :; ", "MSC Carmen", "msc  CARMEN.", "Other"} {
		r.addFact(shipments.VesselFact, text, Place{})
	}
	r.addFact(shipments.VoyageFact, "Other", Place{})
	if len(r.list.Facts) != 3 {
		t.Errorf("%+v", r.list.Facts)
	}
	for n := range 2 * shipments.MaxFacts {
		r.addFact(shipments.SealFact, fmt.Sprint("S", n), Place{})
	}
	if len(r.list.Facts) != shipments.MaxFacts {
		t.Errorf("%d facts", len(r.list.Facts))
	}
}

func TestLastRemarkCountsThoseLeftOut(t *testing.T) {
	t.Parallel()
	r := new(reader)
	for n := range shipments.MaxRemarks + 2 {
		r.remark(RowSkipped, Place{}, "row %d", n)
	}
	all := r.remarks()
	if len(all) != shipments.MaxRemarks || all[len(all)-1].Code != RemarksLeftOut || all[len(all)-1].Text != "3 more remarks were left out" || all[len(all)-2].Code != RowSkipped {
		t.Errorf("%d, the last is %+v", len(all), all[len(all)-1])
	}
	quiet := quietReader()
	if quiet.remark(RowSkipped, Place{}, "x"); len(quiet.remarks()) != 0 {
		t.Error("a quiet reader remarks")
	}
}

func TestImplausibleBoxWeightsAreRemarkedAtTheFirst(t *testing.T) {
	t.Parallel()
	const heading = "Pallet No,Produce,Cartons,Net kg/carton"
	for lines, want := range map[string][]int{
		"P1,Avocado,80,0.1\nP2,Avocado,80,30": nil, "P1,Avocado,80,0.099\nP2,Avocado,80,4": {2}, "P1,Avocado,80,4\nP2,Avocado,80,30.1\nP3,Avocado,80,31": {3},
	} {
		if got := remarked(listOf(t, heading, lines), WeightImplausible); !slices.Equal(got, want) {
			t.Errorf("%s: remarks at %v, want %v", lines, got, want)
		}
	}
}

func TestBoxesOfAHeavyRangeAreSharedByItsPallets(t *testing.T) {
	t.Parallel()
	const heading = "Pallet No,Produce,Cartons,Net kg/carton"
	list := listOf(t, heading, "1-2,Avocado,200,10", "3,Avocado,80,10")
	var boxes []int
	for _, p := range list.Pallets {
		boxes = append(boxes, p.Boxes)
	}
	if !slices.Equal(boxes, []int{100, 100, 80}) {
		t.Errorf("%v", boxes)
	}
	content := heading + "\n1-2,Avocado,201,10\n3,Avocado,80,10"
	_, err := Read(t.Context(), CSV, strings.NewReader(content), int64(len(content)))
	if unreadable, ok := errors.AsType[*Unreadable](err); !ok || unreadable.Code != PalletRange {
		t.Errorf("%v", err)
	}
}

func TestBoxesOfAPalletAreThoseOfAllItsLines(t *testing.T) {
	t.Parallel()
	const heading = "Pallet No,Produce,Cartons,Net kg/carton"
	list := listOf(t, heading, "P1,Avocado,,4", ",Mango,40,4", "P2,Avocado,80,4")
	if p := list.Pallets[0]; len(list.Pallets) != 2 || p.Boxes != 40 || p.Places.Boxes.Row != 3 {
		t.Errorf("%+v", list.Pallets)
	}
	list = listOf(t, heading, "P1,Avocado,6000,4", ",Mango,6000,4", "P2,Avocado,80,4")
	if p := list.Pallets[0]; len(list.Pallets) != 2 || p.Boxes != 0 || p.Places.Boxes != (shipments.Place{}) || len(remarked(list, OutOfRange)) != 1 {
		t.Errorf("%+v", list.Pallets)
	}
}

func TestTableBesideAnotherMayBeLonger(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"the left one":  {"P1,80,800,P3,82,820", "P2,81,810"},
		"the right one": {"P1,80,800,P2,81,810", ",,,P3,82,820"},
	} {
		list := listOf(t, append([]string{"Pallet No,Cartons,Net kg,Pallet No,Cartons,Net kg"}, lines...)...)
		boxes := map[string]int{}
		for _, p := range list.Pallets {
			boxes[p.Number] = p.Boxes
		}
		if len(list.Pallets) != 3 || boxes["P1"] != 80 || boxes["P2"] != 81 || boxes["P3"] != 82 {
			t.Errorf("%s is longer: %v", name, boxes)
		}
	}
}

func TestBoxWeightAboveTheListIsRemarkedThere(t *testing.T) {
	t.Parallel()
	list := listOf(t, "Exporter,Acme", "Net weight per carton: 4 kg", "Pallet No,Produce,Cartons", "P1,Avocado,80", "P2,Avocado,80")
	if rows := remarked(list, WeightFromLetterhead); !slices.Equal(rows, []int{2}) || list.Pallets[0].BoxWeight != 4000 {
		t.Errorf("remarks at %v: %+v", rows, list.Pallets)
	}
}

func TestLineNeedsAnAmountOrThreeCells(t *testing.T) {
	t.Parallel()
	list := listOf(t, "Pallet No,Cartons,Net kg,Produce", "P1,80,,", "P2,,,Avocado", "P3,80,800,Avocado", "P4,,,")
	var all []string
	for _, p := range list.Pallets {
		all = append(all, p.Number)
	}
	if !slices.Equal(all, []string{"P1", "P3"}) || !slices.Equal(remarked(list, RowSkipped), []int{3, 5}) {
		t.Errorf("%v, skipped %v", all, remarked(list, RowSkipped))
	}
}

func TestRowsMayBeLongerAndShorterThanTheHeader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lines []string
		want  []string
	}{
		{[]string{"Pallet No,Produce,Cartons,Net kg/carton", "P1,Avocado,80,4,x", "P2,Avocado,80,4,7"}, []string{"P1", "P2"}},
		{[]string{"Cartons,Net kg,Pallets", "80,800,100", "81,810", "82,820,103"}, []string{"100", "103"}},
		{[]string{"Cartons,Net kg,Pallets", "80,800,001", "82,820,002"}, []string{"001", "002"}},
	} {
		var got []string
		for _, p := range listOf(t, tt.lines...).Pallets {
			got = append(got, p.Number)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.lines, got, tt.want)
		}
	}
}

// TestAmbiguousTotalIsReadAsTheNumbersOfTheList: 1.584 kg of a list with decimal points
// are no tonne.
func TestAmbiguousTotalIsReadAsTheNumbersOfTheList(t *testing.T) {
	t.Parallel()
	for weights, want := range map[string]shipments.Grams{"0.8,0.784": 1_584, "80,784": 1_584_000} {
		first, second, _ := strings.Cut(weights, ",")
		content := "Net weight: 1.584 kg\nPallet No,Cartons,Net kg\nP1,1," + first + "\nP2,1," + second + "\n"
		list, err := Read(t.Context(), CSV, strings.NewReader(content), int64(len(content)))
		if err != nil || list.Declared.NetWeight != want {
			t.Errorf("%s: %d g declared, want %d: %v", weights, list.Declared.NetWeight, want, err)
		}
	}
}
