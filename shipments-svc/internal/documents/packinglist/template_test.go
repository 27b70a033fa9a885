package packinglist

import (
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// A template is used for the lists with the fingerprint of the one that it was made from, also
// of lists with a row for each carton.
func TestTemplatesApplyToTheListsTheyWereMadeFrom(t *testing.T) {
	t.Parallel()
	for content, column := range map[string]string{
		"Pallet,Size,Boxes,Net kg\nP1,16,264,1056\nP2,16,264,1056":              "B",
		"Pallet,Carton no.,Size,Kg\nP1,1,16,4\nP1,2,16,4\nP1,3,18,4\nP2,4,18,4": "C",
	} {
		fingerprint := listOf(t, content).Mappings[0].Fingerprint
		template := list.Assignment{
			Fingerprint: fingerprint, Template: "Kakuzi",
			Columns: []list.AssignedColumn{{Column: "A", Field: "pallet_number"}, {Column: column, Field: "lot"}},
		}
		read, err := readAs(t.Context(), CSV, content, template)
		m := read.Mappings[0]
		if err != nil || m.Source != list.FromTemplate || m.Columns[column[0]-'A'].Field != "lot" {
			t.Errorf("%s: %+v %v", content, read.Mappings, err)
		}
	}
}
