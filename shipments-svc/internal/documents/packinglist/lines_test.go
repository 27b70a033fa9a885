package packinglist

import (
	"slices"
	"testing"
)

func TestPalletNumberWithThreeTextsIsALine(t *testing.T) {
	t.Parallel()
	list := listOf(t, "Pallet No,Size,Cartons,Net kg,Produce", "P1,16,80,320,Avocado", "P2,16,,,Avocado", "P3,,,,Avocado")
	if len(list.Pallets) != 2 || !slices.Equal(remarked(list, LineWithoutBoxes), []int{3}) || !slices.Equal(remarked(list, RowSkipped), []int{4}) {
		t.Errorf("%+v\n%+v", list.Pallets, list.Remarks)
	}
}

func TestProduceIsNamedWithItsVarietyOnce(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"Avocado,Hass": "Avocado Hass", "Kiwi,Green Kiwi": "Green Kiwi", "Kiwi Green,GREEN": "Kiwi Green", "Kiwi,": "Kiwi", ",Hass": "Hass", "Kiwi,kiwi": "Kiwi", "\"Avocado\",-": "Avocado",
	} {
		if got := listOf(t, "Pallet No,Produce,Variety,Cartons,Net kg/carton", "P1,"+line+",80,4").Pallets[0].ProduceName; got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// Of two columns of net weights, the one that times the boxes is the other is the
// weight of one box.
func TestNetWeightsOfABoxAndOfALineAreDistinguished(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{"4,320": "box_weight net_weight", "320,4": "net_weight box_weight"} {
		list := listOf(t, "Pallet No,Produce,Cartons,Net kg,Net kg", "P1,Avocado,80,"+values, "P2,Avocado,80,"+values)
		columns := list.Mappings[0].Columns
		if got := columns[3].Field + " " + columns[4].Field; got != want || list.Pallets[0].BoxWeight != 4000 || list.Pallets[0].Boxes != 80 {
			t.Errorf("%s: %s, %+v", values, got, list.Pallets[0])
		}
	}
}

func TestWeightsAgreeInNineOfTenLines(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		agree, differ, without int
		want                   bool
	}{
		"none": {0, 0, 0, false}, "one": {1, 0, 0, true}, "nine of ten": {9, 1, 0, true}, "eight of nine": {8, 1, 0, false},
		"the weight of some is zero": {1, 0, 5, true}, "of all": {0, 0, 5, false},
	} {
		lines := []string{"Pallet No|Cartons|Net kg/carton|Net kg"}
		for text, n := range map[string]int{"P|80|4|320": tt.agree, "P|80|4|400": tt.differ, "P|80|4|0": tt.without} {
			lines = append(lines, slices.Repeat([]string{text}, n)...)
		}
		s := &sheet{header: headed(lines[0])}
		s.header.to, s.Rows = 1, rowsOf(lines...)
		if got := consistent(s, s.header); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestUnusedColumnsAreNamedByTheirHeading(t *testing.T) {
	t.Parallel()
	list := listOf(t, "Pallet No,Produce,Cartons,Net kg/carton,Qwerty", "P1,Avocado,80,4,17,12", "P2,Avocado,80,4,19,11")
	var got []string
	for _, m := range list.Remarks {
		if m.Code == ColumnUnused {
			got = append(got, m.Text)
		}
	}
	if want := []string{`column E "Qwerty" was not used: its heading is not known, and it has numbers`, `column F without a heading was not used: its heading is not known, and it has numbers`}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
