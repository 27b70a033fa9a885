package remarks

import (
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// A remark has the text of its rule, whose id begins with its code.
func TestRemarksAreRows(t *testing.T) {
	t.Parallel()
	var l List
	l.Add("not_shipped/column", tables.Place{Row: 7}, "Loaded", "N")
	r := l.All[0]
	if r.Code != "not_shipped" || r.Row != 7 || !strings.HasSuffix(r.Text, "not have been shipped: Loaded: N") {
		t.Errorf("%+v", r)
	}
	for id, rule := range rules {
		if id == "" || rule.text == "" {
			t.Errorf("%q: %+v", id, rule)
		}
	}
	if !Doubts("column_unused") || !OfValue("column_unused") || Doubts("row_skipped") {
		t.Error("marks of rules")
	}
}
