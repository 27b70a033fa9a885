package packinglist

import (
	"strings"
	"testing"
)

// A value may begin with a label of its own, and a number of boxes have its unit.
func TestValuesWithLabelsAndUnits(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"BILL OF LADING\nBL N°: MSCUZA123456": "bl_number=MSCUZA123456", "BILL OF LADING\nBill of Lading Number MSCUZA123456": "bl_number=MSCUZA123456",
		"BILL OF LADING\nVoyage No. 413N": "", "FACTURE\nN° de facture : 77": "invoice_number=77",
		"Number of packages: 250 cartons": "boxes=250 cartons", "PACKAGES: 250 CARTONS": "boxes=250 CARTONS", "Quantity: 204 cartons": "boxes=204 cartons",
	} {
		list, err := ReadFacts(t.Context(), CSV, strings.NewReader(content), int64(len(content)))
		var got []string
		for _, f := range list.Facts {
			got = append(got, string(f.Kind)+"="+f.Text)
		}
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%q: %v %q", content, err, got)
		}
	}
}

func TestListOfTwoColumnsIsRead(t *testing.T) {
	t.Parallel()
	for _, delimiter := range []string{",", ";", "\t", "|"} {
		if got := pallets(t, strings.ReplaceAll("Pallet;Flats\nP1;80\nP2;1,080", ";", delimiter)); !strings.HasPrefix(got, "P1 80 × 0, P2 1") {
			t.Errorf("%q: %s", delimiter, got)
		}
	}
}
