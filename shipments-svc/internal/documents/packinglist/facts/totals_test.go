package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// sheet is a table of rows with cells separated by semicolons.
func sheet(rows string) (t tables.Table) {
	for i, text := range strings.Split(rows, "\n") {
		row := tables.Row{Number: i + 1}
		for cell := range strings.SplitSeq(text, ";") {
			row.Cells = append(row.Cells, tables.Cell{Text: cell})
		}
		if text != "" {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// totalsOf returns the totals of a document with pages, separated by a form feed, and what is unclear.
func totalsOf(t *testing.T, pages string) string {
	t.Helper()
	var all []tables.Table
	for page := range strings.SplitSeq(pages, "\f") {
		p := sheet(page)
		p.Continues = all != nil
		all = append(all, p)
	}
	facts, doubts, err := Document(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range facts {
		if slices.Contains(counts, f.Kind) {
			got = append(got, string(f.Kind)+"="+f.Text)
		}
	}
	for _, r := range doubts {
		got = append(got, r.Rule+" "+r.Text[strings.Index(r.Text, "total of ")+len("total of "):])
	}
	return strings.Join(got, "\n")
}

func TestDocumentsWithSeveralLinesStateTheirTotals(t *testing.T) {
	t.Parallel()
	const head = "Description;Cartons;Amount\n"
	const three = "Royal Gala;112;2408\nGranny Smith;56;1170.40\nForelle;128;2355.20\n"
	const unclear = "total_unclear boxes, and none was used: "
	for rows, want := range map[string]string{
		head + "Royal Gala;112;2408":                                     "boxes=112",
		head + three:                                                     "boxes=296",
		head + three + "Total;296;5933.60":                               "boxes=296",
		head + three + "Total;300;5933.60":                               "boxes=300", // what the document states
		head + three + "\nTotal;296":                                     "boxes=296",
		head + three + "Total cartons;296":                               "boxes=296",
		head + three + "TOTAL 296 CARTONS":                               "boxes=296",
		head + three + ";;5933.60":                                       "boxes=296",
		head + three + "Total;;5933.60":                                  "boxes=296",
		"Marks;" + head + "N/M;A;112;1\nN/M;B;184;1\nTotal;296":          "boxes=296",
		head + three + "Total;296\n\nAccount;62001234":                   "boxes=296",
		head + three + "\nAccount;62001234":                              unclear + "296",
		head + "A;112;1\n(Class 1)\nB;56;1":                              "boxes=168",
		head + "A;112;1\n\nB;56;1":                                       unclear + "112",
		head + "A;112;1\nB;see annex;1\nC;128;1":                         unclear + "240",
		head + "A;112;1\nSubtotal;112\nB;184;1\nTotal;296":               "boxes=296",
		head + "A;112;1\nTotal;112\nB;184;1\nTotal;184":                  unclear + "112, 184",
		head + "A;112;1\nTotal;112\nB;184;1":                             unclear + "112",
		head + "A;112;1\nTotal;112\nB;184;1\nTotal;184\nGrand total;296": "boxes=296",
		head + three + "Total cartons;296\nTotal boxes;300":              unclear + "296, 300",
		// Pages.
		head + three + "\f" + head + "Conference;48;3":        unclear + "296, 48",
		head + "A;148;1\f" + head + "A;148;1":                 unclear + "148",
		head + three + "\fConference;48;3":                    unclear + "296",
		head + three + "\fConference;48;3\nTotal cartons;344": "boxes=344",
		head + three + "\fTerms of payment;30 days":           "boxes=296",
		// Bills of lading.
		"No. of packages;Description;Gross weight\n168 cartons;Apples;2,016 kg\n128 cartons;Pears;1,800.5 kg": "boxes=296\n" +
			"gross_weight=3816.50 kg",
		"168 cartons;Apples\n128 cartons;Pears":                      unclear + "168, 128",
		"148 cartons;Apples\n148 cartons;Pears":                      unclear + "148",
		"168 cartons;Apples\n128 cartons;Pears\nTotal;296 cartons":   "boxes=296",
		"Packages: 168 cartons\nPackages: 128 cartons":               unclear + "168 cartons, 128 cartons",
		"Packages: 168\nPackages: 128\nTotal packages: 296 packages": "boxes=296 packages",
		"Packages: 296 cartons\n\nPackages: 296 cartons":             "boxes=296 cartons",
		// Weights.
		"Variety;Cartons;Net weight\nA;112;2,016\nB;56;1,008\nC;128;1,600": "boxes=296\nnet_weight=4624 kg",
		"Variety;Cartons;Net weight\nA;112;18\nB;56;18": "boxes=168\n" +
			"total_unclear net weight, and none was used: 36 kg",
		"Variety;Net weight\nA;12.500\nB;950.50":             "net_weight=963 kg",
		"Quantity declared: 3024 kg\nQuantity: 3024 kg":      "",
		"Commodity;Quantity\nApples;3024 kg\nPears;1600 kg":  "",
		"Commodity;Quantity;Unit\nApples;3024;kg":            "",
		"Commodity;Quantity\nApples;168 cartons\nPears;128":  "boxes=296",
		"Number of pallets;Place\n2;Paarl\n3;Ceres\nTotal;5": "pallets=5",
	} {
		if got := totalsOf(t, strings.TrimSuffix(rows, "\n")); got != want {
			t.Errorf("%s\n= %s, want %s", rows, got, want)
		}
	}
}
