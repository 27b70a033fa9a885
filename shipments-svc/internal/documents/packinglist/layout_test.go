package packinglist

import (
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// rowsOf returns rows of texts that are separated by bars, numbered from 1.
func rowsOf(lines ...string) (rows []tables.Row) {
	for i, line := range lines {
		row := tables.Row{Number: i + 1}
		for text := range strings.SplitSeq(line, "|") {
			row.Cells = append(row.Cells, tables.Cell{Text: text})
		}
		rows = append(rows, row)
	}
	return rows
}

// headed returns the header that rows are.
func headed(lines ...string) header {
	h := parseHeader(rowsOf(lines...), false)
	for _, heading := range h.headings {
		h.folded = append(h.folded, fold(heading))
	}
	return h
}

func TestGroupHeadingsApplyToTheEmptyCellsOnTheirRight(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rows   []tables.Row
		spread bool
		want   []string
	}{
		"above two columns":      {rowsOf("Pallet|Weight (kg)|", "No|Net|Gross"), true, []string{"Pallet No", "Weight (kg) Net", "Weight (kg) Gross"}},
		"not spread":             {rowsOf("Pallet|Weight (kg)|", "No|Net|Gross"), false, []string{"Pallet No", "Weight (kg) Net", "Gross"}},
		"not from the last row":  {rowsOf("Pallet|Boxes|Lot", "No||"), true, []string{"Pallet No", "Boxes", "Lot"}},
		"the nearest one":        {rowsOf("Pallet|Weight|Box|", "No|Net|Net|Gross"), true, []string{"Pallet No", "Weight Net", "Box Net", "Box Gross"}},
		"not from the row above": {rowsOf("Pallet|Weight", "|Net|", "No|kg|kg"), false, []string{"Pallet No", "Weight Net kg", "kg"}},
	} {
		if got := parseHeader(tt.rows, tt.spread).headings; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestHeaderRowsHaveNeitherNumbersNorValues(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{
		"Cartons|Net kg": 0, "Vessel:|Cartons": 0, "Vessel: |x": 0, "Vessel: Carmen|x": 2, "80": 2, "80 kg|80 ctns": 4, "kg 80": 0, "80 x": 0,
	} {
		if got := numbersIn(rowsOf(line)[0]); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}

func TestHeaderIsRepeatedByMostOfItsWords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		header []string
		row    string
		want   bool
	}{
		"equal":                    {[]string{"Pallet No|Cartons|Net kg"}, "Pallet No|Cartons|Net kg", true},
		"with another text":        {[]string{"Pallet No|Cartons|Net kg"}, "Pallet No|Cartons|Net kg|x", true},
		"with two others":          {[]string{"Pallet No|Cartons|Lot"}, "Pallet No|Cartons|x|y", false},
		"a single text":            {[]string{"Pallet No|Cartons|Net kg"}, "Pallet No", false},
		"in another language":      {[]string{"Pallet No|Cartons|Net kg"}, "N° palette|Colis|Poids net", true},
		"two in another language":  {[]string{"Pallet No|Cartons"}, "N° palette|Colis", false},
		"a line":                   {[]string{"Pallet No|Cartons|Net kg"}, "P1|80|800", false},
		"the first of its rows":    {[]string{"Pallet|Net weight", "No|per carton"}, "Pallet|Net weight", true},
		"a longer and a short one": {[]string{"Pallet", "No|Net weight per carton"}, "No|Net weight per carton", true},
	} {
		if got := headed(tt.header...).repeats(rowsOf(tt.row)[0]); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestTablesBesideEachOtherRepeatTwoHeadings(t *testing.T) {
	t.Parallel()
	for headings, want := range map[string]int{
		"Pallet No|Cartons|Pallet No|Cartons":         2,
		"Pallet No|Cartons||Pallet No|Cartons":        3,
		"|Pallet No|Cartons|Pallet No|Cartons":        3,
		"Lot|Pallet No|Cartons|Lot|Pallet No|Cartons": 3,
		"Pallet No|Cartons|Net kg|Pallet No|Cartons":  3,
		"Pallet No|Cartons|Net kg|Pallet No|Lot":      -1,
		"Pallet No|Cartons|Pallet No":                 -1,
		"Pallet No|Cartons|Net kg":                    -1,
		"SSCC|Cartons|SSCC|Cartons":                   2,
	} {
		if got := repeatColumn(headed(headings)); got != want {
			t.Errorf("%s: %d, want %d", headings, got, want)
		}
	}
	parts := split(tables.Table{Rows: rowsOf("Acme", "Pallet No|Cartons|Pallet No|Cartons", "P1|80|P2|81")}, maxParts)
	if len(parts) != 2 || parts[0].beside || !parts[1].beside || parts[0].Rows[2].Cells[0].Text != "P1" || parts[1].Rows[2].Cells[2].Text != "P2" || parts[1].Rows[2].Cells[0].Text != "" {
		t.Errorf("%+v", parts)
	}
}

func TestSummaryAboveTheListIsRemarked(t *testing.T) {
	t.Parallel()
	list := listOf(t, "Variety,Cartons,Net kg", "Lapins,160,800", "", "Pallet No,Variety,Cartons,Net kg", "P1,Lapins,80,400", "P2,Lapins,80,400")
	if rows := remarked(list, TableSkipped); !slices.Equal(rows, []int{1}) || len(list.Pallets) != 2 {
		t.Errorf("remarks at %v, %d pallets", rows, len(list.Pallets))
	}
}

func TestAmbiguousWeightsHaveTheStyleOfMoreUsualValues(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		texts       string
		least, most float64
		want        numbers.Style
	}{
		"points":                       {"1.234 1.300", .1, 50, numbers.Point},
		"thousands with points":        {"1.234 1.300", 30, 2000, numbers.Comma},
		"more points":                  {"50.000 60.000 1.234", 30, 2000, numbers.Point},
		"more commas":                  {"50,000 60,000 1,234", 30, 2000, numbers.Comma},
		"as many":                      {"50.000 60,000", 30, 100, numbers.Point},
		"points, at the least":         {"30.000 45,000", 30, 100, numbers.Point},
		"points, at the most":          {"50.000 45,000", 30, 50, numbers.Point},
		"commas, at the least":         {"30,000 45,000 40.000", 30, 100, numbers.Comma},
		"commas, at the most":          {"50,000 45,000 40.000", 30, 50, numbers.Comma},
		"points that are not usual":    {"29.999 45,000", 30, 50, numbers.Comma},
		"points that are not usual, 2": {"50.001 45,000", 30, 50, numbers.Comma},
	} {
		if got := likelier(strings.Fields(tt.texts), [2]float64{tt.least, tt.most}); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestValuesAboveTheListApplyToEachLine(t *testing.T) {
	t.Parallel()
	for above, want := range map[string]shipments.Grams{
		"Pack: CTN 4.5KG": 4500, "Net weight per carton (kg): 4": 4000, "Net weight: 800 kg": 0, "Net weight per carton (kg),4": 4000,
		"Net weight per carton: 4 kg\nPack: CTN 4.5KG": 4000, "Pack: 12 x 125 g": 1500, "Pack: CTN": 0, "Pack: 0 kg": 0, "Net weight per carton": 0,
	} {
		list := listOf(t, above, "Pallet No,Produce,Cartons", "P1,Avocado,80", "P2,Avocado,80")
		if got := list.Pallets[0].BoxWeight; got != want {
			t.Errorf("%s: %d g, want %d", above, got, want)
		}
	}
}
