package mapping

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables/tablestest"
)

// tableOf returns the table of a text whose cells are separated by bars.
func tableOf(t *testing.T, text string) layout.Table {
	t.Helper()
	parts, err := layout.Of(tables.Book{Tables: []tables.Table{tablestest.Sheet(text)}})
	if err != nil || len(parts) != 1 || !parts[0].Headed {
		t.Fatalf("%v, %+v", err, parts)
	}
	return parts[0]
}

// steps returns the steps of the columns of a mapping other than those by their headings alone.
func steps(m Mapping) string {
	var all []string
	for _, s := range m.Trace() {
		if s.Kept && s.Note != "its heading" {
			text := fmt.Sprintf("%s=%s %.2f→%.2f %s", tables.ColumnName(s.Where.Column), s.Field, s.Before, s.After, s.Rule)
			if s.Rival != nil {
				text += fmt.Sprintf(" before %s %.2f", tables.ColumnName(s.Rival.Where.Column), s.Rival.Score)
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// The values of columns change the fields and scores that their headings gave them.
func TestValuesAreEvidenceOfFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"Pallet|Size|Boxes\nP1|16|264\nP2|18|260", ""},
		{"Pallet no|Size|Boxes\n600970900071200007|16|264\n600970900071200014|18|260", "A=sscc 1.00→1.00 check-digits"},
		{"No|Size|Boxes|Net kg\nP1|16|264|1056\nP2|18|260|1040", "A=pallet_number 0.50→0.85 unique-labels"},
		{"Pallet|Type|Boxes\nP1|XL|264\nP2|L|260", "B=calibre 0.50→0.85 sizes"},
		{"Pallet|Description|Boxes\nP1|Avocado|264\nP2|Mango|260", ""},
		{"Pallet|Variety|Boxes\nP1|Avocados|264\nP2|Mangoes|260", "B=produce_name 1.00→0.85 commodities"},
		{
			"Pallet|Pcs|Boxes\nP1|16|264\nP2|18|260",
			"B=boxes 0.00→0.60 counts; C=boxes 0.97→0.97 best-column before B 0.60",
		},
		{"Pallet|Lot|Boxes|Cartons\nP1|A|264|1\nP2|B|260|2", "C=boxes 0.97→0.97 best-column before D 0.97"},
		{
			"Pallet|Boxes|Qty|UOM\nP1|264|1056|kg\nP2|260|1040|kg",
			"C=weight 0.70→0.90 weighed-quantity; D=other 0.00→1.00 units",
		},
	} {
		if got := steps(Of([]layout.Table{tableOf(t, c.text)}, nil)[0]); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// Further mappings give a column without a known heading, or another one with the same, the field.
func TestColumnsThatMayHaveAFieldAreTried(t *testing.T) {
	t.Parallel()
	all := Of([]layout.Table{tableOf(t, "Pallet|x|y|Net kg\nP1|264|7|1056\nP2|260|9|1040\nP3|260|4|1040")}, nil)
	var tried []string
	for _, m := range all {
		if m.Instead != nil {
			col := tables.ColumnName(m.Instead.Where.Column)
			tried = append(tried, fmt.Sprintf("%s from %s, %.2f", m.Instead.Field, col, m.Prior))
		}
	}
	const want = "boxes from B, -0.40; boxes from C, -0.40"
	if got := strings.Join(tried, "; "); got != want || all[0].Instead != nil {
		t.Error(got)
	}
}

// What a person or a template gives is read, and no other column has the field.
func TestGivenFieldsOverruleHeadings(t *testing.T) {
	t.Parallel()
	table := tableOf(t, "Pallet|Size|Boxes|x\nP1|16|1|264\nP2|18|2|260")
	m := Of([]layout.Table{table}, []list.Assignment{{Columns: []list.AssignedColumn{{Column: "d", Field: "boxes"}}}})[0]
	if m.At("boxes") != 3 || !strings.HasSuffix(steps(m), "C=other 0.97→1.00 person; D=boxes 0.00→1.00 person") {
		t.Error(m.At("boxes"), steps(m))
	}
	other := []list.Assignment{{Fingerprint: "another", Columns: []list.AssignedColumn{{Column: "D", Field: "boxes"}}}}
	if m := Of([]layout.Table{table}, other)[0]; m.At("boxes") != 2 {
		t.Error("a template of other headings is used")
	}
}

// The rules of evidence.txt name fields, rules of headings, scores and conditions that there are.
func TestRulesNameWhatThereIs(t *testing.T) {
	t.Parallel()
	kinds := traits(tables.Row{Cells: make([]tables.Cell, 1)}, 0)
	for _, e := range rules {
		for _, name := range append([]string{string(e.field)}, e.beside...) {
			if !vocabulary.IsField(name) {
				t.Errorf("%s: %q is no field", e.rule, name)
			}
		}
		if _, err := strconv.ParseFloat(e.score, 64); err != nil && e.score != "=" {
			t.Errorf("%s: %v", e.rule, err)
		}
		if of := string(e.of); of != "" && of != "*" && !vocabulary.IsField(of) && !vocabulary.IsRule(of) {
			t.Errorf("%s: %q is no field and no rule", e.rule, of)
		}
		for _, name := range e.conditions {
			share, kind, counted := strings.Cut(name, "%")
			_, isKind := kinds[kind]
			if _, err := strconv.Atoi(share); counted && (err != nil || !isKind) || !counted && conditions[name] == nil {
				t.Errorf("%s: %q is no condition", e.rule, name)
			}
		}
	}
}
