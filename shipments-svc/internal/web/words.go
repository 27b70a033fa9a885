package web

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// terms are parts of the API's names that people write in another way.
var terms = strings.NewReplacer(
	"_", " ", "sscc", "SSCC", "gtin", "GTIN", "ggn", "GGN", "puc", "PUC", "phc", "PHC",
)

// spoken are names of the API that people have other words for.
var spoken = map[string]string{
	"skip": "Not checked", "produce_vs_phyto": "Produce against phytosanitary certificate",
	"attach_document": "Document attached", "start_document": "Reading begun", "process_document": "Document read",
	"fail_document": "Document not readable", "delete_document": "Document deleted", "reprocess_document": "Read again",
	"correct_mapping": "Columns corrected", "create": "Created", "import": "Imported", "update": "Changed",
	"approve": "Approved", "reject": "Rejected",
}

// words returns a name of the API, such as ready_for_review, as people read it.
func words(name any) string {
	text := fmt.Sprint(name)
	if known, ok := spoken[text]; ok {
		return known
	}
	if text = terms.Replace(text); text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// kilograms formats a weight.
func kilograms(g shipments.Grams) string {
	return strconv.FormatFloat(g.Kilograms(), 'f', -1, 64)
}

// sum returns boxes and net weight of pallets.
func sum(pallets []shipments.Pallet) (total struct {
	Boxes  int
	Weight shipments.Grams
},
) {
	for _, p := range pallets {
		total.Boxes += p.Boxes
		total.Weight += shipments.Grams(p.Boxes) * p.BoxWeight
	}
	return total
}
