package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// terms are parts of the API's names that people write in another way.
var terms = strings.NewReplacer("_", " ", "sscc", "SSCC")

// spoken are names of the API that people have other words for.
var spoken = map[string]string{
	"pass": "Passed", "warn": "Warning", "fail": "Failed", "skip": "Not checked",
	"produce_vs_phyto": "Produce against phytosanitary certificate", "boxes_per_pallet_outlier": "Unusual number of boxes",
	"attach_document": "Document attached", "process_document": "Document read",
	"fail_document": "Document not readable", "delete_document": "Document deleted", "reprocess_document": "Read again",
	"correct_mapping": "Columns corrected", "update_document": "Type corrected", "create": "Created", "update": "Changed",
	"approve": "Approved", "reject": "Rejected",
	"delete_shipment": "Shipment deleted", "create_webhook_endpoint": "Webhook endpoint created",
	"update_webhook_endpoint": "Webhook endpoint changed", "redirect_webhook_endpoint": "Webhook endpoint sent elsewhere",
	"rotate_webhook_endpoint": "Webhook secret replaced", "delete_webhook_endpoint": "Webhook endpoint deleted",
	"phyto_number": "Phytosanitary certificate", "bl_number": "Bill of lading",
	"pallet_number_to": "Last pallet number of a range", "gtin": "GTIN (article number)",
	"puc": "PUC (production unit code)", "phc": "PHC (packhouse code)", "ggn": "GGN (GLOBALG.A.P. number)",
}

// reasons say why a column is used, by the rules of the trace that made its score. Rules without one are of headings.
var reasons = map[string]string{
	"person": "chosen by a person", "template": "the template says so", "arithmetic": "its numbers fit the others",
	"check-digits": "its numbers have the check digits of SSCCs", "unique-labels": "each of its values is another",
	"item-words": "its values are words", "commodities": "its values name produce",
	"sizes": "its values are sizes", "short-values": "its values are short and repeat",
	"no-calibre": "no other column has the calibre", "no-net-weight": "no other column has the net weight",
	"sequence": "its numbers are consecutive", "counts": "its values are counts", "ranges": "its values are sizes",
	"varieties": "its values are varieties", "kind-of-produce": "its heading names a produce",
	"item-commodities": "its values name produce", "boxes-of-line": "its values are counts",
	"box-counts": "its values are counts", "weighed-quantity": "units of weight are beside it",
	"packs": "its values are words", "box-numbers": "its values are numbers of boxes",
	"container-numbers": "its values are container numbers", "counted-packs": "no other column has the boxes",
}

// why says why a column was used for its field, by all rules that made it so, or why not.
func why(c list.Column) string {
	if !c.Used || len(c.Rules) == 0 {
		return c.Reason
	}
	var all []string
	for _, rule := range c.Rules {
		if reason := cmp.Or(reasons[rule], "its heading"); !slices.Contains(all, reason) {
			all = append(all, reason)
		}
	}
	text := strings.Join(all, "; ")
	if c.Score < 1 {
		text += fmt.Sprintf(" (%.0f %% sure)", 100*c.Score)
	}
	if len(c.Alternatives) > 0 {
		text += fmt.Sprintf(", or %s (%.0f %%)", strings.ToLower(words(c.Alternatives[0].Field)), 100*c.Alternatives[0].Score)
	}
	return text
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

// counted returns a number of things in words: "1 pallet", "2 pallets".
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// total is the boxes and net weight of pallets.
type total struct {
	Boxes  int
	Weight list.Grams
}

func sum(pallets []shipments.Pallet) (of total) {
	for _, p := range pallets {
		of.Boxes += p.Boxes
		of.Weight += p.Net()
	}
	return of
}
