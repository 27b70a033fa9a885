package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables/tablestest"
)

// sheet is a table of rows with cells separated by semicolons, without the empty rows.
func sheet(rows string) tables.Table {
	t := tablestest.Sheet(strings.ReplaceAll(rows, ";", "|"))
	t.Rows = slices.DeleteFunc(t.Rows, func(r tables.Row) bool { return len(r.Cells) == 1 && r.Cells[0].Text == "" })
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
		head + three:                                                     "", // no number is the total
		head + three + "Total;296;5933.60":                               "boxes=296",
		head + three + "Total;300;5933.60":                               "boxes=300", // what the document states
		head + three + "\nTotal;296":                                     "boxes=296",
		head + three + "Total cartons;296":                               "boxes=296",
		head + three + "TOTAL 296 CARTONS":                               "boxes=296",
		head + three + ";;5933.60":                                       "",
		head + three + "Total;;5933.60":                                  "",
		head + three + "Total;296\n\nAccount;62001234":                   "boxes=296",
		head + three + "\nAccount;62001234":                              "",
		head + "A;112;1\n(Class 1)\nB;56;1":                              "",
		head + "A;112;1\n\nB;56;1":                                       "",
		head + "A;112;1\nB;see annex;1":                                  "",
		head + "A;112;1\nSubtotal;112\nB;184;1\nTotal;296":               "boxes=296",
		head + "A;112;1\nTotal;112\nB;184;1\nTotal;184":                  unclear + "112, 184",
		head + "A;112;1\nTotal;112\nB;184;1":                             unclear + "112",
		head + "A;112;1\nTotal;112\nB;184;1\nTotal;184\nGrand total;296": "boxes=296",
		head + three + "Total cartons;296\nTotal boxes;300":              unclear + "296, 300",
		// Pages.
		head + "A;112;1\f" + head + "Conference;48;3":         unclear + "112, 48",
		head + "A;148;1\f" + head + "A;148;1":                 unclear + "148",
		head + "A;112;1\fConference;48;3":                     unclear + "112",
		head + three + "\fConference;48;3\nTotal cartons;344": "boxes=344",
		head + "A;112;1\fTerms of payment;30 days":            "boxes=112",
		// Bills of lading.
		"168 cartons;Apples\n128 cartons;Pears":                      unclear + "168, 128",
		"148 cartons;Apples\n148 cartons;Pears":                      unclear + "148",
		"168 cartons;Apples\n128 cartons;Pears\nTotal;296 cartons":   "boxes=296",
		"Packages: 168 cartons\nPackages: 128 cartons":               unclear + "168 cartons, 128 cartons",
		"Packages: 168\nPackages: 128\nTotal packages: 296 packages": "boxes=296 packages",
		"Packages: 296 cartons\n\nPackages: 296 cartons":             "boxes=296 cartons",
		// Weights.
		"Variety;Cartons;Net weight\nA;112;2,016":           "boxes=112\nnet_weight=2,016",
		"Variety;Cartons;Net weight\nA;112;18":              "boxes=112", // of a box
		"Quantity declared: 3024 kg\nQuantity: 3024 kg":     "",
		"Commodity;Quantity\nApples;3024 kg\nPears;1600 kg": "",
		"Commodity;Quantity;Unit\nApples;3024;kg":           "",
		"Commodity;Quantity\nApples;168 cartons\nTotal;296": "boxes=296",
		"Number of pallets;Place\n2;Paarl":                  "pallets=2",
	} {
		if got := totalsOf(t, strings.TrimSuffix(rows, "\n")); got != want {
			t.Errorf("%s\n= %s, want %s", rows, got, want)
		}
	}
}
