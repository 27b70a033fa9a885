package packinglist

import "testing"

func TestFieldOf(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]field{
		"Pallet No": palletField, "Folio": palletField, "N° Folio": palletField, "No. palette": palletField, "Nº palete": palletField, "Palet nommer": palletField,
		"SSCC": ssccField, "Pallet SSCC": ssccField, "Total pallets": palletsField,
		"Cartons": boxesField, "Cajas": boxesField, "Nb colis": boxesField, "Caixas": boxesField, "Kartonne": boxesField,
		"Net weight": netField, "Peso neto": netField, "Poids net": netField, "Peso líquido": netField, "Netto massa": netField,
		"Net kg/carton": boxWeightField, "Peso por caja (kg)": boxWeightField, "Poids brut": grossField,
		"Calibre": calibreField, "Telling": calibreField, "Variedad": varietyField, "Lote": lotField, "PUC": orchardField, "Huerto": orchardField, "CSG": orchardField,
		"Temp recorder": otherField, "Remarks": noField,
	} {
		if got := fieldOf(heading); got != want {
			t.Errorf("%q names field %d, want %d", heading, got, want)
		}
	}
}
