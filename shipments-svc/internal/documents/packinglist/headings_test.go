package packinglist

import (
	"fmt"
	"strings"
	"testing"
)

// quantityCase is a list of two equal lines and what is read of them.
type quantityCase struct {
	headings, values string // besides the pallet, the product and the size
	want             string // boxes × box weight in kilograms, or the code of the error
	warns            string // a text that a warning contains; empty: there is no warning; *: there may be some
}

func (c quantityCase) check(t *testing.T) {
	t.Helper()
	content := fmt.Sprintf("Pallet;Product;Size;%s\nP1;Orange Navel;72;%[2]s\nP2;Orange Valencia;72;%[2]s\n",
		c.headings, c.values)
	list, err := readAs(t.Context(), CSV, content)
	got := ""
	switch {
	case unreadable(err):
		got = strings.SplitN(err.Error(), ":", 2)[0]
	case err != nil:
		t.Fatal(err)
	default:
		got = fmt.Sprintf("%d × %g", list.Pallets[0].Boxes, float64(list.Pallets[0].BoxWeight)/1000)
	}
	warnings := warningsOf(list, err)
	if got != c.want || c.warns != "*" && ((c.warns == "") != (warnings == "") || !strings.Contains(warnings, c.warns)) {
		t.Errorf("%s\n\tgot  %s\n\twant %s, warning of %q\n%s", content, got, c.want, c.warns, warnings)
	}
}

// Abbreviations of gross and net weight have the meaning of the words, and their
// letters are not a unit.
func TestAbbreviatedWeightsAreGrossOrNet(t *testing.T) {
	t.Parallel()
	const noNet = "no net weight"
	for _, heading := range []string{
		"G/W (KGS)", "G.W. (KGS)", "G.W.(KG)", "G.WEIGHT (KGS)", "G. Weight kg", "Gr. Wt. (kg)", "Grs Wt kg", "Gr.Wt kg",
		"G-W kg", "G W (kg)", "GW (KGS)", "Grs. Weight (kg)",
		"Kgs. Gr.", "Kg gr", "KGS G.W.", "Gross", "Weight (kg) gross", "P. Bruto (kg)", "P/B (kg)", "P.B. kg",
		"Pds brut kg", "Brutto kg", "Peso lordo kg", "Brüt (kg)",
		"VGM kg", "Weight incl. pallet kg", "Weight including pallet (kg)", "Peso con pallet kg", "Poids palette comprise kg",
	} {
		quantityCase{"CTNS;" + heading, "80;1296", "80 × 16.2", noNet}.check(t)
		quantityCase{"CTNS;" + heading + ";N/W (KGS)", "80;1296;1240", "80 × 15.5", ""}.check(t)
	}
	for _, heading := range []string{
		"N/W (KGS)", "N.W. (KG)", "N.WEIGHT (KGS)", "Nt. Wt. (kg)", "N. Wt kg", "P.N. (kg)",
		"P/N kg", "Kgs. N.", "Peso neto (kg)",
	} {
		quantityCase{"CTNS;" + heading, "80;1240", "80 × 15.5", ""}.check(t)
		quantityCase{"CTNS;" + heading + ";G/W (KGS)", "80;1240;1296", "80 × 15.5", ""}.check(t)
		quantityCase{"CTNS;G.W. (KG);" + heading, "80;1296;1240", "80 × 15.5", ""}.check(t)
	}
	for _, heading := range []string{"Net weight (g)", "Net wt per carton (gr)", "Net gr/ctn"} {
		quantityCase{"CTNS;" + heading, "80;15500", "80 × 15.5", "*"}.check(t)
	}
}

// A weight other than the net weight of the boxes is not taken for it.
func TestOtherWeightsAreDoubted(t *testing.T) {
	t.Parallel()
	for _, heading := range []string{
		"Chargeable weight kg", "Volumetric weight kg", "Max weight kg", "Max. net weight kg", "Weight at harvest kg",
		"Drained kg", "Drained weight kg", "Peso máximo kg", "Peso escurrido kg", "Poids égoutté kg",
		"Poids volumétrique kg", "Peso a la cosecha kg", "Field weight kg", "Weight returned kg", "Tare weight kg",
		"Tolerance weight kg", "Sample weight kg",
	} {
		quantityCase{"Boxes;" + heading, "80;1296", "80 × 0", "was not used"}.check(t)
		quantityCase{"Boxes;Net weight kg;" + heading, "80;1240;1296", "80 × 15.5", "*"}.check(t)
	}
	for _, c := range []quantityCase{
		{"Boxes;Total weight kg;Fruit weight kg", "80;1296;1240", "80 × 15.5", ""},
		{"Boxes;Fruit kg;Weight kg", "80;1240;1296", "80 × 15.5", ""},
		{"Boxes;Peso fruta kg;Peso total kg", "80;1240;1296", "80 × 15.5", ""},
		{"Boxes;Fruit weight (g);Net weight kg", "80;180;1240", "80 × 15.5", ""},
		{"Boxes;Weight (lb/kg)", "80;1240", "80 × 7.031", "several units"},
		{"Boxes;Net weight kg or lb", "80;1240", "80 × 15.5", "several units"},
		{"Boxes;TTL N.W. (KG);TTL G.W. (KG)", "80;1240;1296", "80 × 15.5", ""},
		{"Boxes;Net weight excl. pallet kg", "80;1240", "80 × 15.5", ""},
		{"Boxes;Qwerty weight kg", "80;1296", "80 × 16.2", "Qwerty"},
		{"Boxes;Net Qwerty kg", "80;1240", "80 × 15.5", "Qwerty"},
		{"Boxes;Net Weight Kg (approx)", "80;1240", "80 × 15.5", "approx"},
	} {
		c.check(t)
	}
}

// A heading with a word that negates or qualifies is not the number of boxes.
func TestOtherQuantitiesAreNotBoxes(t *testing.T) {
	t.Parallel()
	for _, heading := range []string{
		"Boxes not shipped", "Boxes cancelled", "Canceled boxes", "Half boxes", "Max boxes", "Boxes per row",
		"Max. boxes per pallet", "Boxes in stock", "Sample boxes", "Carton code", "Box ID", "Box barcode", "Carton label",
		"Boxes held",
		"Cajas no embarcadas", "Cajas no exportables", "Cajas no conformes", "Cajas canceladas", "Medias cajas",
		"Máx. cajas", "Cajas en stock", "Cajas de muestra", "Código caja", "Colis annulés", "Colis non chargés",
		"Colis non conformes", "Demi colis", "Max colis", "Colis en stock", "Code colis",
		"Caixas não embarcadas", "Caixas canceladas", "Meias caixas", "Caixas em estoque", "Código da caixa",
		"Kartonne gekanselleer", "Kartonne nie gelaai", "Halwe kartonne", "Maks kartonne", "Kartonkode",
		"İptal koli", "Yarım koli", "Stok koli", "Koli kodu", "Unloaded boxes", "Boxes to follow", "Boxes short",
		"Boxes out of spec", "Empty boxes", "Box type code",
	} {
		quantityCase{heading + ";Net weight kg", "80;1240", "no_boxes", "number of boxes"}.check(t)
		quantityCase{heading + ";Boxes;Net weight kg", "41;80;1240", "80 × 15.5", "*"}.check(t)
	}
	quantityCase{"Box ID;Qty;Net weight kg", "41;80;1240", "80 × 15.5", "*"}.check(t)
	quantityCase{"Carton no.;Qty;Net weight kg", "41;80;1240", "80 × 15.5", "*"}.check(t)
	for _, heading := range []string{
		"No. of boxes", "No boxes", "Nº cajas", "N° colis", "Nr. Cajas", "# Boxes", "Boxes qty", "Boxes shipped",
		"Boxes loaded", "Cajas embarcadas", "Colis chargés", "Caixas embarcadas", "Koli adedi",
		"Total boxes", "Cartons (qty)", "Actual boxes", "Quantity of cartons", "Export cartons", "Final boxes",
	} {
		quantityCase{heading + ";Net weight kg", "80;1240", "80 × 15.5", ""}.check(t)
	}
	quantityCase{"Qwerty boxes;Net weight kg", "80;1240", "80 × 15.5", "Qwerty"}.check(t)
}

// A cell with anything beside a number and its unit is no number.
func TestMarkedNumbersAreRefused(t *testing.T) {
	t.Parallel()
	for _, boxes := range []string{
		"5-", "80-", "(80)", "-80", "−80", "–80", "80 -", "80½", "80 1/2", "80%", "80kg", "80 kg", "<80", ">80", "~80",
		"±80", "80+", "80 pallets", "80?", "80=", "$80", "80 CR", "80/100", "[80]", "80²", "80 80", "1.2.3", "8'0",
	} {
		quantityCase{"Boxes;Net kg", boxes + ";1240", "no_boxes", boxes}.check(t)
	}
	for _, weight := range []string{"37½", "(37)", "37-", "−37", "37%", "<37", "~37", "37 boxes", "37 5"} {
		quantityCase{"Boxes;Net lb/carton", "80;" + weight, "80 × 0", weight}.check(t)
	}
	for _, boxes := range []string{"80", "80 ctns", "80 (*)", "80*", "80 boxes", "80 (ctns)", "80.", "80.0"} {
		quantityCase{"Boxes;Net kg", boxes + ";1240", "80 × 15.5", ""}.check(t)
	}
	for _, weight := range []string{"1,240.0", "1240 kg", "1240 (kg)", "1 240", "1'240.0", "1240 *"} {
		quantityCase{"Boxes;Net kg", "80;" + weight, "80 × 15.5", ""}.check(t)
	}
}
