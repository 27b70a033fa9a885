package packinglist

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A value may begin with a label of its own, and a number of boxes have its unit.
func TestValuesWithLabelsAndUnits(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"BILL OF LADING\nBL N°: MSCUZA123456":                "bl_number=MSCUZA123456",
		"BILL OF LADING\nBill of Lading Number MSCUZA123456": "bl_number=MSCUZA123456",
		"BILL OF LADING\nVoyage No. 413N":                    "", "FACTURE\nN° de facture : 77": "invoice_number=77",
		"Number of packages: 250 cartons": "boxes=250 cartons", "PACKAGES: 250 CARTONS": "boxes=250 CARTONS",
		"Quantity: 204 cartons": "boxes=204 cartons",
	} {
		list, err := factsOf(t.Context(), CSV, content)
		var got []string
		for _, f := range list.Facts {
			got = append(got, string(f.Kind)+"="+f.Text)
		}
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%q: %v %q", content, err, got)
		}
	}
}

// Totals in texts around a list are declared totals, in any words of a total.
func TestTotalsInTextsAreDeclared(t *testing.T) {
	t.Parallel()
	four := []string{
		"Pallet No,Variety,Cartons,Net kg", "P1,Hass,65,300", "P2,Hass,65,300", "P3,Hass,65,300", "P4,Hass,65,300",
	}
	const pallets, boxes, weight = `{"pallets":4}`, `{"boxes":260}`, `{"net_weight_g":1200000}`
	for text, want := range map[string]string{
		"Total colis 260": boxes, "Cajas totales: 260": boxes, "Total boxes = 260": boxes, "Toplam koli: 260": boxes,
		"Totale kartonne: 260": boxes, "TOTAL 260 CTNS": boxes, "260 CARTONS": boxes,
		"Toplam palet: 4": pallets, "4 PLTS": pallets, "Total pallets 4": pallets, "Total Net Weight 1200 KG": weight,
		"Toplam net ağırlık: 1.200 kg":  weight,
		"260 CARTONS ON 4 PALLETS":      `{"pallets":4,"boxes":260}`,
		"TOTAL: 4 PALLETS, 260 CARTONS": `{"pallets":4,"boxes":260}`,
		"4 pallets / 260 cartons":       `{"pallets":4,"boxes":260}`, "260 cajas en 4 palets": `{"pallets":4,"boxes":260}`,
		"65 cartons / pallet": "{}", "Cartons per pallet: 65": "{}", "Total cartons per pallet: 65": "{}",
		"130 cartons Hass": "{}", "Total gross weight 1300 kg": "{}", "Cartons": "{}", "260 kg CARTONS": "{}",
		"Total 260": "{}",
	} {
		for _, rows := range [][]string{
			append([]string{text}, four...), append(slices.Clone(four), "", text),
		} {
			if strings.Contains(text, ",") && !strings.HasSuffix(text, ",x") {
				rows[slices.Index(rows, text)] = `"` + text + `"`
			}
			declared, err := json.Marshal(listOf(t, rows...).Declared)
			if got := string(declared); err != nil || got != want {
				t.Errorf("%q: %s, want %s", rows, got, want)
			}
		}
	}
}

// Net weights above the gross ones are warnings.
func TestWeightsThatMayBeGrossAreWarnings(t *testing.T) {
	t.Parallel()
	for weights, warned := range map[string]bool{
		"370;320": true, "320;320": false, "320;370": false, "370;": false, ";320": false,
	} {
		list := listOf(t, "Pallet No;Variety;Size;Cartons;Net kg;Gross kg", "P1;Hass;18;80;"+weights,
			"P2;Hass;18;80;"+weights, "P3;Hass;18;80;320;370", "P4;Hass;18;80;320;370")
		if got := strings.Count(warningsOf(list, nil), "above the gross weight"); (got == 1) != warned || got > 1 {
			t.Errorf("%s: %d", weights, got)
		}
	}
	list := listOf(t, "Pallet No;Variety;Size;Cartons;Gross kg", "P1;Hass;18;80;320")
	if got := warningsOf(list, nil); strings.Contains(got, "above the gross weight") {
		t.Error(got)
	}
}
