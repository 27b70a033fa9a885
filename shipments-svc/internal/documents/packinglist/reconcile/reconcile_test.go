package reconcile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables/tablestest"
)

// settled settles the lines of a text whose cells are separated by bars.
func settled(t *testing.T, text string) (*Settled, Choice, error) {
	t.Helper()
	parts, err := layout.Of(tables.Book{Tables: []tables.Table{tablestest.Sheet(text)}})
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := Choose(mapping.Of(parts[:1], nil), parts[:1])
	if err != nil {
		return nil, chosen, err
	}
	s, err := Settle(lines.Read(parts[:1], chosen.Mapping))
	return s, chosen, err
}

// The numbers of a list decide what its amounts are amounts of.
func TestNumbersDecideWhatWeightsAreOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"Pallet|Size|Boxes|Net kg\nP1|16|264|1056\nP2|18|260|1040", "P1 264×4; P2 260×4"},
		{"Pallet|Size|Boxes|Net kg\nP1|16|264|4\nP2|18|260|4", "P1 264×4; P2 260×4 of-box"},
		{"Pallet|Size|Boxes|Net kg per box\nP1|16|264|1056\nP2|18|260|1040", "P1 264×4; P2 260×4 of-line"},
		{
			"Pallet|Size|Boxes|Net kg\nP1|16|132|1056\nP1|18|132|1056\nP2|18|100|800\nP2|16|160|800\nTotal||524|1856",
			"P1 132×4; P1 132×4; P2 100×3.077; P2 160×3.077 of-pallet",
		},
	} {
		s, _, err := settled(t, c.text)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, l := range s.Lines {
			all = append(all, fmt.Sprintf("%s %v×%.4g", l.Pallet, l.Boxes.Value, l.weight()/1000))
		}
		got := strings.Join(all, "; ")
		for _, step := range s.Trace {
			if _, way, _ := strings.Cut(step.Rule, "/"); step.Kept {
				got += " " + way
			}
		}
		if got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// Where the numbers agree with several mappings as well, the list is ambiguous, and the trace has each.
func TestMappingsThatAgreeAsWellAreCandidates(t *testing.T) {
	t.Parallel()
	_, chosen, err := settled(t, "Pallet|x|y|Net kg\nP1|264|132|1056\nP2|260|130|1040\nP3|262|131|1048")
	bad, ok := errors.AsType[*Error](err)
	if !ok || bad.Code != list.AmbiguousMapping || len(chosen.Candidates) != 2 || len(chosen.Trace) != 2 {
		t.Errorf("%v, %+v", err, chosen)
	}
}

// The evidence counts in the score, and contradictions have a reason.
func TestEvidenceIsCounted(t *testing.T) {
	t.Parallel()
	s, _, err := settled(t, "Pallet|Size|Boxes|Kg per box|Net kg\nP1|16|264|4|1056\nP2|18|260|4|1040\nP3|18|260|4|900\n"+
		"Total||784||2996")
	if err != nil {
		t.Fatal(err)
	}
	s.Check()
	var got []string
	for _, step := range s.Trace {
		if step.Note != "" {
			got = append(got, fmt.Sprintf("%s %s %t", step.Rule, step.Note[:len("1 of 1")], step.Kept))
		}
	}
	want := []string{
		"exact 2 of 3 true", "differ 1 of 3 false", "unrelated 1 of 3 false", "uniform 3 of 3 true",
		"total-boxes 1 of 1 true", "total-weight 1 of 1 true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
