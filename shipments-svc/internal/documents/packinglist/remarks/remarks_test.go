package remarks

import (
	"fmt"
	"regexp"
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
	verbs := regexp.MustCompile(`%(?:\.\d)?(?:\[\d\])?([a-z])`)
	for id, rule := range rules {
		given := []any{1.5, "1", "2", "3", "4", "C", 7, "Net kg"} // those of evidence.go
		if !strings.Contains(rule.text, "[") {
			given = nil
			for _, verb := range verbs.FindAllStringSubmatch(rule.text, -1) {
				given = append(given, map[string]any{"s": "a", "q": "a", "d": 7, "f": 1.5}[verb[1]])
			}
		}
		if text := fmt.Sprintf(rule.text, given...); id == "" || text == "" || strings.Contains(text, "%!") {
			t.Errorf("%q: %s", id, text)
		}
	}
	if !Doubts("column_unused") || !OfValue("column_unused") || Doubts("row_skipped") {
		t.Error("marks of rules")
	}
}
