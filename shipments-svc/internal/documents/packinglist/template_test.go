package packinglist

import (
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// A template is used for the lists with the fingerprint of the one that it was made from, also
// of lists with a row for each carton.
func TestTemplatesApplyToTheListsTheyWereMadeFrom(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"Pallet,Size,Boxes,Net kg\nP1,16,264,1056\nP2,16,264,1056",
		"Pallet,Carton no.,Size,Kg\nP1,1,16,4\nP1,2,16,4\nP1,3,18,4\nP2,4,18,4",
	} {
		fingerprint := listOf(t, content).Mappings[0].Fingerprint
		template := shipments.Assignment{
			Fingerprint: fingerprint, Template: "Kakuzi",
			Columns: []shipments.AssignedColumn{{Column: "A", Field: "pallet_number"}},
		}
		list, err := Read(t.Context(), CSV, strings.NewReader(content), int64(len(content)), template)
		if err != nil || list.Mappings[0].Source != shipments.FromTemplate {
			t.Errorf("%s: %+v %v", content, list.Mappings, err)
		}
	}
}
