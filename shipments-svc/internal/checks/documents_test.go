package checks

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// document is a document that has been read, with its facts as kind, text,
// kind, text.
func document(id byte, t shipments.DocumentType, facts ...string) shipments.Document {
	doc := shipments.Document{ID: shipments.DocumentID{id}, Type: t, Status: shipments.Processed}
	for i := 0; i+1 < len(facts); i += 2 {
		doc.Facts = append(doc.Facts, list.Fact{
			Kind: list.FactKind(facts[i]), Text: facts[i+1],
			Place: list.Place{Row: i/2 + 1},
		})
	}
	return doc
}

// readAs returns a document of one row that was attached as of a type.
func readAs(t shipments.DocumentType, facts ...string) shipments.Document {
	doc := document(6, t, facts...)
	doc.Filename, doc.RowsRead = "f.csv", 1
	return doc
}

// with adds documents to evidence.
func with(e shipments.Evidence, docs ...shipments.Document) shipments.Evidence {
	e.Documents = append(e.Documents, docs...)
	return e
}

// stating adds facts to the packing list of evidence.
func stating(e shipments.Evidence, facts ...string) shipments.Evidence {
	e.Documents[0].Facts = document(1, shipments.PackingList, facts...).Facts
	return e
}

// withRemarks adds remarks to the packing list of evidence, as code, text.
func withRemarks(e shipments.Evidence, remarks ...string) shipments.Evidence {
	for i := 0; i+1 < len(remarks); i += 2 {
		e.Documents[0].Remarks = append(e.Documents[0].Remarks, list.Remark{
			Code: remarks[i], Text: remarks[i+1],
			Place: list.Place{Row: 5 + i},
		})
	}
	return e
}

// destined returns evidence of a shipment to another destination.
func destined(e shipments.Evidence, destination string) shipments.Evidence {
	e.Destination = destination
	return e
}

// shipped returns evidence of a shipment from one place to another.
func shipped(e shipments.Evidence, origin, destination string) shipments.Evidence {
	e.Origin, e.Destination = origin, destination
	return e
}

// holding returns evidence whose pallets hold another produce.
func holding(e shipments.Evidence, produce string, indexes ...int) shipments.Evidence {
	changed(e.Pallets, func(p *shipments.Pallet) { p.ProduceName = produce }, indexes...)
	return e
}

func TestFindingsOfDocuments(t *testing.T) {
	t.Parallel()
	failed := evidence()
	failed.Documents[0].Status, failed.Documents[0].Failure = shipments.Failed,
		shipments.Failure{Code: "no_text_layer", Detail: "the document has no text: it is probably a scan"}
	queued := evidence()
	queued.Documents[0].Status = shipments.Queued
	phyto := document(7, shipments.PhytosanitaryCertificate, "produce_name", "Fresh avocado fruit", "produce_name",
		"Persea americana")
	invoice := document(8, shipments.CommercialInvoice, "invoice_number", "MHF/2026/0391", "boxes", "264", "net_weight",
		"1,056.00 kg")
	bl := document(9, shipments.BillOfLading, "vessel", "MV MSC CARMEN", "container_number", "TRIU 881203-0",
		"port_of_discharge", "Rotterdam", "boxes", "260 cartons")
	heavy := func(p *shipments.Pallet) { p.BoxWeight = 88_000 }
	for name, outcomes := range map[string][]outcome{
		"packing_list_readable": {
			{shipments.Evidence{}, "skip 0 [] There is no packing list to read."},
			{with(shipments.Evidence{}, phyto), "skip 0 [] There is no packing list to read."},
			{queued, "skip 0 [] Not read yet: 1 packing list."},
			{evidence(many(2)...), "pass 0 [] 2 rows of 1 packing list read."},
			{failed, "fail 1 [] The packing list could not be read: the document has no text: it is probably a scan."},
			{
				withRemarks(evidence(many(2)...), "hidden_rows_skipped", "3 hidden rows were not read", "header_repeated",
					"the headings are repeated"),
				"warn 1 [5] 3 hidden rows were not read (row 5).",
			},
		},
		"numeric_values": {
			{shipments.Evidence{}, "skip 0 [] There are no pallets to check."},
			{evidence(many(2)...), "pass 0 [] All numbers of 2 pallets are valid."},
			{
				withRemarks(evidence(many(2)...), "not_a_number", `"TBC" is no weight`, "number_ambiguous",
					"1.050 in the column Net was read as 1050"),
				`fail 2 [5 7] "TBC" is no weight (row 5); 1.050 in the column Net was read as 1050 (row 7).`,
			},
			{
				withRemarks(evidence(many(2)...), "number_ambiguous", "1.050 was read as 1050"),
				"warn 1 [5] 1.050 was read as 1050 (row 5).",
			},
		},
		"weight_unit": {
			{shipments.Evidence{}, "skip 0 [] There are no pallets to check."},
			{evidence(many(2)...), "pass 0 [] The documents state the units of all weights."},
			{
				withRemarks(evidence(many(2)...), "unit_converted", "converted"),
				"pass 0 [] The documents state the units of all weights.",
			},
			{
				withRemarks(evidence(many(2)...), "unit_assumed", "no unit is given; kilograms were assumed"),
				"warn 1 [5] No unit is given; kilograms were assumed (row 5).",
			},
			{
				withRemarks(evidence(changed(many(2), heavy, 0, 1)...), "unit_assumed", "no unit is given; kilograms were assumed"),
				"fail 2 [1 2] No unit is given; kilograms were assumed (row 5); a box would weigh 88 kg, so the unit is " +
					"probably another.",
			},
		},
		"produce_vs_phyto": {
			{evidence(many(2)...), "skip 0 [] There is no phytosanitary certificate to compare with."},
			{with(evidence(), phyto), "skip 0 [] There are no pallets to compare with the certificate."},
			{
				with(evidence(many(2)...), document(7, shipments.PhytosanitaryCertificate)),
				"skip 0 [] The phytosanitary certificate names no known produce.",
			},
			{with(evidence(many(2)...), phyto), "pass 0 [] The certificate covers the produce on the pallets: Persea " +
				"americana."},
			{
				with(holding(evidence(many(3)...), "Mango Kent", 1), phyto),
				"fail 1 [2] Mango Kent (Mangifera indica) on row 2 is not on the certificate, which names Persea americana.",
			},
			{
				with(holding(evidence(many(2)...), "Feijoa", 1), phyto),
				`warn 1 [2] "Feijoa" on row 2 is unknown produce and could not be compared with the certificate.`,
			},
			{
				with(evidence(many(1)...), phyto, document(8, shipments.PhytosanitaryCertificate, "produce_name",
					"Citrus × limon (L.) Osbeck")),
				"warn 1 [] The certificate names Citrus limon, which is on no pallet.",
			},
		},
		"documents_consistent": {
			{
				with(
					evidence(many(1)...), readAs(shipments.CommercialInvoice), readAs(shipments.BillOfLading),
					readAs(shipments.PhytosanitaryCertificate, "produce_name", "Soup"), readAs(shipments.OtherDocument),
				),
				`warn 3 [] The commercial invoice "f.csv" does not count as one: it states no invoice number; the bill of ` +
					`lading "f.csv" does not count as one: ` +
					`it states no number of the bill of lading; the phytosanitary certificate "f.csv" does not count as one: it ` +
					`states no number of the phytosanitary certificate.`,
			},
			{
				with(evidence(many(1)...), readAs(shipments.PhytosanitaryCertificate, "produce_name", "Persea americana")),
				"skip 0 [] No two documents state the same fact.",
			},
			{evidence(many(1)...), "skip 0 [] No two documents state the same fact."},
			{stating(evidence(many(1)...), "vessel", "M/V MSC Carmen"), "pass 0 [] The documents agree on: vessel."},
			{
				with(stating(evidence(many(1)...), "invoice_number", "MHF 2026 0391"), invoice),
				"pass 0 [] The documents agree on: invoice number, number of boxes, net weight.",
			},
			{
				stating(evidence(many(1)...), "vessel", "MSC Lorena"),
				"warn 1 [1] The vessel is MSC Carmen on the shipment and MSC Lorena on the packing list.",
			},
			{
				with(evidence(many(21)...), document(9, shipments.CommercialInvoice, "net_weight", "22,176.000 KGS")),
				"pass 0 [] The documents agree on: net weight.",
			},
			{
				with(evidence(many(21)...), document(9, shipments.CommercialInvoice, "net_weight", "22.176 MT")),
				"pass 0 [] The documents agree on: net weight.",
			},
			{
				with(evidence(many(1)...), document(9, shipments.CommercialInvoice, "net_weight", "22.176 kg")),
				`warn 1 [1] The net weight is "22.176 kg" (22,176 kg or 22.176 kg) on the commercial invoice and 1,056 kg on ` +
					`the packing lists.`,
			},
			{
				with(stating(evidence(many(1)...), "container_number", "TGHU7589334", "port_of_discharge", "NLRTM"), bl),
				"fail 3 [1 2 4] The container is TGHU7589334 on the packing list and TRIU 881203-0 on the bill of lading; the " +
					"number of boxes is 260 boxes on the bill of lading and 264 boxes on the packing lists.",
			},
			{
				with(stating(evidence(many(1)...), "port_of_discharge", "Antwerp"),
					document(9, shipments.BillOfLading, "port_of_discharge", "Rotterdam, NL")),
				"warn 2 [1 1] The port of discharge is Antwerp on the packing list and Rotterdam, NL on the bill of lading.",
			},
		},
		"required_documents": {
			{
				with(evidence(many(1)...), phyto, readAs(shipments.CommercialInvoice)),
				"warn 1 [] The European Union requires a commercial invoice, but none is attached (Implementing Regulation " +
					"(EU) 2015/2447, Article 145).",
			},
			{destined(evidence(many(1)...), "a shop"), "skip 0 [] The document requirements of the destination are not known."},
			{
				destined(evidence(many(1)...), "Shanghai, China"),
				"skip 0 [] The document requirements of the destination are not known.",
			},
			{
				with(evidence(many(1)...), phyto, invoice),
				"pass 0 [] Attached as required by NL: a phytosanitary certificate and a commercial invoice.",
			},
			{
				with(evidence(many(1)...), invoice),
				"warn 1 [] The European Union requires a phytosanitary certificate, but none is attached (Regulation (EU) " +
					"2016/2031, Articles 72 and 73; Implementing Regulation (EU) 2019/2072, Annex XI).",
			},
			{
				with(holding(evidence(many(2)...), "Bananas, Cavendish", 0, 1), invoice),
				"pass 0 [] Attached as required by NL: a commercial invoice.",
			},
			{
				destined(holding(evidence(many(1)...), "Mango Kent", 0), "Southampton"),
				"pass 0 [] GB does not require a phytosanitary certificate for this produce.",
			},
			{
				shipped(evidence(many(1)...), "Valencia, Spain", "Rotterdam, Netherlands"),
				"pass 0 [] A phytosanitary certificate is not required from ES: plants move within the Union and from " +
					"Switzerland without one (Regulation (EU) 2016/2031, Article 72; Agreement of 21 June 1999 with Switzerland, " +
					"Annex 4); a commercial invoice is not required from ES: goods of the customs union are not declared " +
					"(Regulation (EU) No 952/2013, Article 153).",
			},
			{
				shipped(evidence(many(1)...), "Basel, Switzerland", "Hamburg"),
				"warn 1 [] The European Union requires a commercial invoice, but none is attached (Implementing Regulation " +
					"(EU) 2015/2447, Article 145).",
			},
			{
				shipped(evidence(many(1)...), "Las Palmas, Spain", "Rotterdam, Netherlands"),
				"warn 1 [] The European Union requires a phytosanitary certificate, but none is attached (Regulation (EU) " +
					"2016/2031, Articles 72 and 73; Implementing Regulation (EU) 2019/2072, Annex XI).",
			},
			{
				shipped(evidence(many(1)...), "Huelva, Spain", "Southampton"),
				"pass 0 [] GB does not require a phytosanitary certificate for this produce.",
			},
			{
				shipped(holding(evidence(many(1)...), "Table grapes", 0), "Almería, Spain", "Southampton"),
				"warn 1 [] Great Britain requires a phytosanitary certificate, but none is attached (Regulation (EU) " +
					"2016/2031, Articles 72 and 73, and Implementing Regulation (EU) 2019/2072, Annex 11, as Great Britain has them).",
			},
			{
				shipped(with(evidence(many(1)...), invoice), "Felixstowe, UK", "Belfast, Northern Ireland"),
				"warn 1 [] The European Union requires a phytosanitary certificate, but none is attached (Regulation (EU) " +
					"2016/2031, Articles 72 and 73; Implementing Regulation (EU) 2019/2072, Annex XI).",
			},
			{
				shipped(evidence(many(1)...), "Roma, Italia", "Zürich, Schweiz"),
				"pass 0 [] A phytosanitary certificate is not required from IT: plants move between the Union and Switzerland " +
					"without one (Agreement of 21 June 1999, Annex 4).",
			},
		},
		"container_number": {
			{with(evidence(many(1)...), bl), "pass 0 [] TRIU8812030: check digit is correct."},
		},
	} {
		for i, o := range outcomes {
			if got := run(o.evidence, name); got != o.want {
				t.Errorf("%s, %d:\n got %s\nwant %s", name, i, got, o.want)
			}
		}
	}
}

// TestDetailsAreLimited: details keep to their maximum length for any document.
// say.
func TestDetailsAreLimited(t *testing.T) {
	t.Parallel()
	long := func(i int) string { return strings.Repeat("é", list.MaxFactText-3) + fmt.Sprint(100+i) }
	e := evidence(many(9)...)
	other := document(9, shipments.BillOfLading)
	for i := range 9 {
		e = holding(e, strings.Repeat("mango ", 15)+fmt.Sprint(i), i)
		e = withRemarks(e, "not_a_number", long(i), "hidden_rows_skipped", long(i), "unit_assumed", long(i))
		for _, c := range comparable {
			e.Documents[0].Facts = append(e.Documents[0].Facts, list.Fact{Kind: c.kind, Text: long(i)})
			other.Facts = append(other.Facts, list.Fact{Kind: c.kind, Text: long(i + 10)})
		}
	}
	e = with(e, other, document(7, shipments.PhytosanitaryCertificate, "produce_name", "Persea americana"))
	for _, c := range Run(e) {
		if n := utf8.RuneCountInString(c.Details); n > shipments.MaxCheckDetails || !strings.HasSuffix(c.Details, ".") {
			t.Errorf("%s has %d characters: %.80s", c.Name, n, c.Details)
		}
	}
	if got := run(e, "documents_consistent"); !strings.HasSuffix(got, " ….") {
		t.Errorf("this test tests nothing: %.200s", got)
	}
}

// TestRowsNameTheSheet of several.
func TestRowsNameTheSheet(t *testing.T) {
	t.Parallel()
	e := evidence(numbered("1", "2", "1")...)
	for i, name := range []string{"Container 1", "Container 1", "page 2"} {
		e.Pallets[i].Source.Sheet = name
	}
	if got := run(e, "duplicate_pallets"); got != `fail 2 [1 3] Pallet 1 appears on row 1 of "Container 1" and row 3 `+
		`of page 2.` {
		t.Error(got)
	}
	e.Pallets[2].Source.Sheet = "Container 1"
	if got := run(e, "duplicate_pallets"); got != "fail 2 [1 3] Pallet 1 appears on rows 1 and 3." {
		t.Error(got)
	}
}

// TestMixedPalletsAreCheckedByTheirContents: by each calibre, and by each
// produce.
func TestMixedPalletsAreCheckedByTheirContents(t *testing.T) {
	t.Parallel()
	e := evidence(many(2)...)
	e.Pallets[1].ProduceName, e.Pallets[1].Calibre = "Avocado Hass + Mango Kent", "18 + 19"
	e.Pallets[1].Contents = []list.Content{
		{ProduceName: "Avocado Hass", Calibre: "18", Place: list.Place{Row: 2}},
		{ProduceName: "Avocado Hass", Calibre: "19", Place: list.Place{Row: 3}},
		{ProduceName: "Mango Kent", Calibre: "9", Place: list.Place{Row: 4}},
	}
	if got := run(e, "calibre_known"); got != "warn 1 [3] 19 is not a calibre of avocado (UNECE FFV-42, III) on row 3." {
		t.Error(got)
	}
	e = with(e, document(7, shipments.PhytosanitaryCertificate, "produce_name", "Persea americana"))
	if got := run(e, "produce_vs_phyto"); !strings.HasPrefix(got,
		"fail 1 [2] Mango Kent (Mangifera indica) on row 2 is not") {
		t.Error(got)
	}
}
