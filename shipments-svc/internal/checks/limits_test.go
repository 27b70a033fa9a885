package checks

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// loaded returns one pallet with these boxes.
func loaded(boxes int, boxWeight list.Grams) shipments.Pallet {
	p := pallet("1")
	p.Boxes, p.BoxWeight = boxes, boxWeight
	return p
}

// weighing returns pallets of these box weights.
func weighing(weights ...list.Grams) []shipments.Pallet {
	all := many(len(weights))
	for i, w := range weights {
		all[i].BoxWeight = w
	}
	return all
}

// holdingBoxes returns pallets of these numbers of boxes.
func holdingBoxes(boxes ...int) []shipments.Pallet {
	all := many(len(boxes))
	for i, n := range boxes {
		all[i].Boxes = n
	}
	return all
}

// TestLimits: the result of a check at its limits and just beyond them.
func TestLimits(t *testing.T) {
	t.Parallel()
	assumed := func(pallets ...shipments.Pallet) shipments.Evidence {
		return withRemarks(evidence(pallets...), "unit_assumed", "no unit is given")
	}
	in := func(n int, pallets ...shipments.Pallet) shipments.Evidence {
		return declared(evidence(pallets...), list.Declared{ContainerNumber: []string{"", "CSQU3054383"}[n]})
	}
	for _, c := range []struct {
		check string
		e     shipments.Evidence
		want  string
	}{
		{"required_fields", evidence(loaded(1, 1)), "pass"},
		{"required_fields", evidence(loaded(0, 1)), "fail"},
		{"required_fields", evidence(loaded(1, 0)), "fail"},
		{"boxes_per_pallet_outlier", evidence(holdingBoxes(100, 100, 100, 50)...), "pass"},
		{"boxes_per_pallet_outlier", evidence(holdingBoxes(100, 100, 100, 49)...), "warn"},
		{"boxes_per_pallet_outlier", evidence(holdingBoxes(100, 100, 100, 150)...), "pass"},
		{"boxes_per_pallet_outlier", evidence(holdingBoxes(100, 100, 100, 151)...), "warn"},
		{"boxes_per_pallet_outlier", evidence(holdingBoxes(100, 100, 100, 0)...), "skip"},
		{"box_weight_consistent", evidence(weighing(1000, 1000, 1100)...), "pass"},
		{"box_weight_consistent", evidence(weighing(1000, 1000, 1101)...), "warn"},
		{"box_weight_consistent", evidence(weighing(1000, 1000, 899)...), "warn"},
		{"box_weight_consistent", evidence(weighing(1000, 1000)...), "pass"},
		{"box_weight_consistent", evidence(weighing(1000, 0)...), "skip"},
		{"pallet_weight_plausible", evidence(loaded(5, 10_000)), "pass"},
		{"pallet_weight_plausible", evidence(loaded(1, 49_999)), "warn"},
		{"pallet_weight_plausible", evidence(loaded(150, 10_000)), "pass"},
		{"pallet_weight_plausible", evidence(loaded(1, 1_500_001)), "fail"},
		{"pallet_weight_plausible", evidence(loaded(1, 1_500_001), loaded(1, 1)), "fail"},
		{"pallet_weight_plausible", evidence(loaded(0, 4000)), "skip"},
		{"container_payload", in(0, loaded(1, 29_500_000)), "pass"},
		{"container_payload", in(0, loaded(1, 29_500_001)), "skip"},
		{"container_payload", in(1, loaded(1, 29_500_000)), "pass"},
		{"container_payload", in(1, loaded(1, 29_500_001)), "warn"},
		{"container_payload", in(1, loaded(1, 32_000_000)), "warn"},
		{"container_payload", in(1, loaded(1, 32_000_001)), "fail"},
		{"net_weight_declared", declared(evidence(loaded(199, 1000)), list.Declared{NetWeight: 200_000}), "pass"},
		{"net_weight_declared", declared(evidence(loaded(1, 198_999)), list.Declared{NetWeight: 200_000}), "warn"},
		{"net_weight_declared", declared(evidence(loaded(196, 1000)), list.Declared{NetWeight: 200_000}), "warn"},
		{"net_weight_declared", declared(evidence(loaded(1, 195_999)), list.Declared{NetWeight: 200_000}), "fail"},
		{"weight_unit", assumed(loaded(1, 100)), "warn"},
		{"weight_unit", assumed(loaded(1, 99)), "fail"},
		{"weight_unit", assumed(loaded(1, 50_000)), "warn"},
		{"weight_unit", assumed(loaded(1, 50_001)), "fail"},
		{"weight_unit", assumed(loaded(1, 0)), "warn"},
		{"weight_unit", assumed(loaded(1, 99), loaded(1, 100)), "warn"},
		{"weight_unit", assumed(loaded(1, 99), loaded(1, 99), loaded(1, 100)), "fail"},
		{
			"documents_consistent", with(evidence(many(1)...), document(9, shipments.CommercialInvoice, "boxes",
				"1000000000")),
			"skip",
		},
		{
			"documents_consistent", with(evidence(many(1)...), document(9, shipments.CommercialInvoice, "boxes",
				"999999999")),
			"fail",
		},
		{"documents_consistent", with(evidence(loaded(1, 98_000)),
			document(9, shipments.CommercialInvoice, "net_weight", "100 kg")), "pass"},
		{"documents_consistent", with(evidence(loaded(1, 97_999)),
			document(9, shipments.CommercialInvoice, "net_weight", "100 kg")), "warn"},
	} {
		if got := run(c.e, c.check); !strings.HasPrefix(got, c.want+" ") {
			t.Errorf("%s of %+v: %s, want %s", c.check, c.e.Pallets, got, c.want)
		}
	}
}

// TestLocationsAreLimited to MaxLocations, of pallets and of places in documents,
// while the count is of all.
func TestLocationsAreLimited(t *testing.T) {
	t.Parallel()
	e := evidence(holdingBoxes(make([]int, shipments.MaxLocations+1)...)...)
	for range shipments.MaxLocations + 1 {
		e = withRemarks(e, "not_a_number", "n/a is not a number")
	}
	for _, c := range Run(e) {
		if (c.Name == "required_fields" || c.Name == "numeric_values") && (len(c.Locations) != shipments.MaxLocations ||
			c.Count != shipments.MaxLocations+1) {
			t.Errorf("%s: %d of %d locations", c.Name, len(c.Locations), c.Count)
		}
	}
}

// TestComparisons of facts between documents.
func TestComparisons(t *testing.T) {
	t.Parallel()
	one := func() shipments.Evidence { return evidence(many(1)...) }
	invoice := func(facts ...string) shipments.Document { return document(7, shipments.CommercialInvoice, facts...) }
	bl := func(facts ...string) shipments.Document { return document(8, shipments.BillOfLading, facts...) }
	for _, c := range []struct {
		e    shipments.Evidence
		want string
	}{
		{with(one(), bl("vessel", "Carmen")), "pass 0 [] The documents agree on: vessel."},
		{with(one(), bl("vessel", "M/V MSC CARMEN / 442A")), "pass 0 [] The documents agree on: vessel."},
		{
			with(one(), bl("vessel", "M/V Ever Given")),
			"warn 1 [1] The vessel is MSC Carmen on the shipment and M/V Ever Given on the bill of lading.",
		},
		{
			with(one(), bl("vessel", "MSC X")),
			"warn 1 [1] The vessel is MSC Carmen on the shipment and MSC X on the bill of lading.",
		},
		{
			with(one(), bl("vessel", "MSC")),
			"warn 1 [1] The vessel is MSC Carmen on the shipment and MSC on the bill of lading.",
		},
		{with(one(), bl("vessel", "/")), "skip 0 [] No two documents state the same fact."},
		{
			with(one(), invoice("seal_number", "123"), bl("seal_number", "1234")),
			"fail 2 [1 1] The seal is 123 on the commercial invoice and 1234 on the bill of lading.",
		},
		{
			with(stating(one(), "seal_number", "A1"), invoice("seal_number", "a-1"), bl("seal_number", "B2")),
			"fail 2 [1 1] The seal is A1 on the packing list and B2 on the bill of lading.",
		},
		{
			with(declared(one(), list.Declared{ContainerNumber: "CSQU3054383"}),
				bl("container_number", "TGHU7589334")),
			"fail 2 [0 1] The container is CSQU3054383 on the packing list and TGHU7589334 on the bill of lading.",
		},
		{
			with(one(), invoice("container_number", "CSQU3054383 / TGHU7589334"),
				bl("container_number", "CSQU3054383", "container_number", "TGHU 758933-4")),
			"pass 0 [] The documents agree on: container.",
		},
		{
			with(one(), invoice("container_number", "CSQU3054383 / TGHU7589334"),
				bl("container_number", "CSQU3054383")),
			"fail 3 [1 1 1] The container is CSQU3054383 / TGHU7589334 on the commercial invoice and CSQU3054383 on " +
				"the bill of lading.",
		},
		{
			with(one(), invoice("pallets", "1", "boxes", "264")),
			"pass 0 [] The documents agree on: number of pallets, number of boxes.",
		},
		{with(one(), invoice("pallets", "2")), "warn 1 [1] The number of pallets is 2 pallets on the commercial " +
			"invoice and 1 pallet on the packing lists."},
		{
			with(one(), invoice("port_of_loading", "Cape Town"), bl("port_of_loading", "ZACPT")),
			"pass 0 [] The documents agree on: port of loading.",
		},
	} {
		if got := run(c.e, "documents_consistent"); !strings.HasPrefix(got, strings.SplitN(c.want, "[", 2)[0]) ||
			!strings.HasSuffix(got, strings.SplitN(c.want, "] ", 2)[1]) {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

// TestUnknownProduceIsMentioned by a certificate if they share a word of four
// letters or more.
func TestUnknownProduceIsMentioned(t *testing.T) {
	t.Parallel()
	for produce, want := range map[string]string{"Yuzu": "pass", "Nam dok": "warn"} {
		e := with(holding(evidence(many(2)...), produce, 1), document(7, shipments.PhytosanitaryCertificate,
			"produce_name", "Persea americana", "produce_name", "Fresh yuzu, nam"))
		if got := run(e, "produce_vs_phyto"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", produce, got)
		}
	}
}

func TestCertificatesMustHaveBeenRead(t *testing.T) {
	t.Parallel()
	waiting := document(7, shipments.PhytosanitaryCertificate, "produce_name", "Mangifera indica")
	waiting.Status = shipments.Queued
	if got := run(with(evidence(many(1)...), waiting), "produce_vs_phyto"); !strings.HasPrefix(got, "skip") {
		t.Error(got)
	}
	if got := run(with(evidence(many(1)...), waiting, document(8, shipments.PhytosanitaryCertificate, "produce_name",
		"Persea americana")), "produce_vs_phyto"); !strings.HasPrefix(got, "pass") {
		t.Error(got)
	}
}

// TestCountsOfReading: rows, failed and waiting packing lists.
func TestCountsOfReading(t *testing.T) {
	t.Parallel()
	list := func(id byte, status shipments.DocumentStatus) shipments.Document {
		return shipments.Document{
			ID: shipments.DocumentID{id}, Type: shipments.PackingList, Status: status, RowsRead: 3,
			PalletsExtracted: 2, Failure: shipments.Failure{Detail: "It is a scan."},
		}
	}
	for _, c := range []struct {
		check string
		want  string
		lists []shipments.Document
	}{
		{
			"packing_list_present", "pass 0 [] 2 packing lists with 4 pallets.",
			[]shipments.Document{list(1, shipments.Processed), list(2, shipments.Processed)},
		},
		{
			"packing_list_readable", "pass 0 [] 6 rows of 2 packing lists read.",
			[]shipments.Document{list(1, shipments.Processed), list(2, shipments.Processed)},
		},
		{
			"packing_list_readable", "skip 0 [] Not read yet: 2 packing lists.",
			[]shipments.Document{list(1, shipments.Queued), list(2, shipments.BeingRead)},
		},
		{
			"packing_list_readable", "fail 1 [] The packing list 2 could not be read: It is a scan.",
			[]shipments.Document{list(1, shipments.Processed), list(2, shipments.Failed)},
		},
	} {
		if got := run(shipments.Evidence{Documents: c.lists}, c.check); got != c.want {
			t.Errorf("%s: %s, want %s", c.check, got, c.want)
		}
	}
}

// TestRequirementsWithoutPallets: nothing is exempt without produce.
func TestRequirementsWithoutPallets(t *testing.T) {
	t.Parallel()
	if got := run(evidence(), "required_documents"); !strings.HasPrefix(got, "warn 2 ") {
		t.Error(got)
	}
	e := with(holding(evidence(many(2)...), "Bananas", 0), document(8, shipments.CommercialInvoice))
	if got := run(e, "required_documents"); !strings.HasPrefix(got, "warn 1 ") {
		t.Error(got)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	letters := strings.Split("abcdefg", "")
	for got, want := range map[string]string{
		counted(0, "pallet"): "0 pallets", counted(1, "box"): "1 box", counted(2, "box"): "2 boxes",
		list.Figure(0): "0", list.Figure(999): "999", list.Figure(1000): "1,000",
		list.Figure(1_234_567): "1,234,567",
		kilograms(0):           "0 kg", kilograms(1): "0.001 kg", kilograms(4125): "4.125 kg",
		kilograms(500):       "0.5 kg",
		kilograms(3_861_000): "3,861 kg",
		listed(letters[:1]):  "a", listed(letters[:2]): "a and b", listed(letters[:5]): "a, b, c, d and e",
		listed(letters[:6]):  "a, b, c, d, e and 1 more",
		summary(letters[:2]): "A; b.", summary(letters[:5]): "A; b; c; d; e.",
		summary(letters): "A; b; c; d; e; and 2 more.",
		sentence("élan"): "Élan.", sheetName("page 2"): "page 2", sheetName("PL"): `"PL"`,
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	long := strings.Repeat("é", shipments.MaxCheckDetails)
	if limited(long, "") != long {
		t.Error("details of the maximum length were shortened")
	}
	if got := limited(long, " End."); utf8.RuneCountInString(got) != shipments.MaxCheckDetails ||
		!strings.HasSuffix(got, "é …. End.") {
		t.Errorf("%d characters: …%s", utf8.RuneCountInString(got), got[len(got)-10:])
	}
}

// TestRowsOnOtherSheets: a remark names its sheet if there are no pallets on it.
func TestRowsOnOtherSheets(t *testing.T) {
	t.Parallel()
	for sheet, want := range map[string]string{"": "row 5", "PL": "row 5", "Notes": `row 5 of "Notes"`} {
		p := pallet("1")
		e := evidence(p)
		e.Pallets[0].Source.Sheet = "PL"
		e.Documents[0].Remarks = []list.Remark{{
			Code: "not_a_number", Text: "n/a",
			Place: list.Place{Sheet: sheet, Row: 5},
		}}
		if got := run(e, "numeric_values"); got != "fail 1 [5] N/a ("+want+")." {
			t.Errorf("%q: %s", sheet, got)
		}
	}
}
