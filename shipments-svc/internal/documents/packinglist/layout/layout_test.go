package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables/tablestest"
)

// sheet returns a sheet of cells that are separated by bars.
func sheet(text string) tables.Table {
	t := tablestest.Sheet(text)
	t.Name = "S"
	return t
}

// described returns the kind of a table, its header rows and the fields of its columns.
func described(p Table) string {
	text := fmt.Sprintf("%s %d-%d:", p.Kind, p.From, p.To)
	for _, h := range p.Headings {
		text += fmt.Sprintf(" %s", h.Meaning.Field)
	}
	return text
}

func TestKindsOfTables(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"List\nPallet|Size|Cartons|Net kg\n1|16|264|1056": "lines 1-2: pallet_number calibre boxes net_weight",
		"Pallet|Weight|\n|Net|Gross\n1|264|1056":          "lines 0-2: pallet_number net_weight gross_weight",
		"|Product||Quantity||Trace|\nPallet ID|Variety|Count|Cartons|Net mass (kg)|Lot|Orchard\n" +
			"ZA1|Midknight|64|80|1216|L7|Block 1\nZA2|Delta|72|80|1216|L14|Block 2": "lines 1-2: pallet_number variety " +
			"calibre boxes net_weight lot orchard",
		"Pallet|12|14|16|Total\n1|10|20||30\n2||30||30": "matrix 0-1: pallet_number other other other other calibre " +
			"boxes",
		"Pallet|Jumbo|Extra large|M|Boxes\n1|10|20||30\n2||30||30": "matrix 0-1: pallet_number other other other " +
			"other calibre boxes",
		"Pallet no.|P1|P2|TOTAL\nSize|16|18\nCartons|9|8|17\nKg|4|4":   "lines 0-1: pallet_number calibre boxes weight",
		"Pallet 7 Packed: 3.6.2025\nVariety|Size|Cartons\nHass|16|264": "blocks 1-2: variety calibre boxes",
		"Pallet|Carton no.|Kg\n1|C1|4\n1|C2|4\n1|C3|4":                 "lines 0-1: pallet_number carton_number weight",
	} {
		part := partsOf(t, text)[0]
		if got := described(part); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A text alone above lines is a value of a column that the table does not have.
func TestGroupRowsDescribeTheLinesBelow(t *testing.T) {
	t.Parallel()
	for text, f := range map[string]vocabulary.Field{
		"Pallet|Size|Cartons\nHASS\n1|16|264\nFUERTE\n2|18|260":                        vocabulary.Variety,
		"Pallet|Cartons\nSEAL A7 VARIETY HASS\n1|264\nSEAL A8 VARIETY FUERTE\n2|260":   vocabulary.Variety,
		"Pallet|Cartons\nVariety: HASS Size: 16\n1|264\nVariety: FINO Size: 16\n2|260": vocabulary.Variety,
		"Size|Cartons\nPALLET 1 - HASS\n16|264\nPALLET 2 - FUERTE\n18|260":             vocabulary.Variety,
		"Pallet|Variety|Cartons\n16\n1|Hass|264\n18\n2|Hass|260":                       vocabulary.Calibre,
	} {
		part := partsOf(t, text)[0]
		first, second := part.Given(2, f).Value, part.Given(4, f).Value
		if lines := strings.Split(text, "\n"); !strings.Contains(lines[1], first) ||
			!strings.Contains(lines[3], second) || first == "" || second == first {
			t.Errorf("%q: %q, then %q", text, first, second)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Pallet|12|14|16|Total\n1|10|20||30\nTotal|10|20||30")
	f.Add("Pallet|Boxes|Pallet|Boxes\n1|2|3|4\n|5|6|7")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range partsOf(t, text) {
			if p.From < 0 || p.From > p.To || p.To > len(p.Rows) {
				t.Errorf("header rows %d to %d of %d", p.From, p.To, len(p.Rows))
			}
		}
	})
}

func partsOf(t *testing.T, text string) []Table {
	t.Helper()
	parts, err := Of(tables.Book{Tables: []tables.Table{sheet(text)}})
	if err != nil {
		t.Error(err)
	}
	return parts
}
