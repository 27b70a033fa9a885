package vocabulary

import "testing"

func TestMeaningsOfHeadings(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]Field{
		"Palettennummer": PalletNumber, "LOTNO": Lot, "NetW": NetWeight, "Cartons (4 kg)": Boxes, "Sacos": Boxes,
		"Peso Neto / Net Weight": NetWeight, "Kg/Caja": BoxWeight, "Boxes per layer": Other, "Nº cajas": Boxes,
		"Xqzt":     None,
		"Variétés": Variety, "Calib.": Calibre, "Jumbo": None, "Pallet code": PalletNumber,
	} {
		if got := MeaningOf(heading); got.Field != want {
			t.Errorf("%s: %+v, want %s", heading, got, want)
		}
	}
	if got := MeaningUnder("Boxes", "per pallet").Field; got != Boxes {
		t.Errorf("boxes, and per pallet below: %s", got)
	}
}

func FuzzMeaningOf(f *testing.F) {
	f.Add("Nº de cajas / Boxes (4 kg)")
	f.Fuzz(func(t *testing.T, heading string) {
		if m := MeaningOf(heading); m.Score < 0 || m.Score > 1 {
			t.Errorf("%q: %+v", heading, m)
		}
		_ = IsTotal(Fold(heading)) || NotShipped.MatchString(Fold(heading)) || Form(heading) == ""
	})
}
