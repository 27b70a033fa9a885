package browser

import (
	"strings"
	"testing"
)

func TestAnOwnerEditsATokenReadsTheLogAndSetsPolicies(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := enter(t, o)
	b.generate()
	b.visit(o.path("/api"))
	b.fill("#q", "nothing")
	b.follow("#filter button")
	b.sees("No tokens match.")
	b.accessible()
	b.visit(o.path("/api?sort=used"))
	b.accessible()
	b.follow("#tokens tbody th a")
	b.accessible()
	b.follow("#edit")
	b.accessible()
	b.fill("#name", "Warehouse")
	b.follow("#submit")
	b.sees("The changes were saved.")

	b.follow("#events")
	b.sees("Token updated")
	b.follow(`nav.tabs a[href$="/audit-log"]`)
	b.fill("#actor", o.owner.email)
	b.follow("#filter button")
	b.sees("Warehouse")
	b.accessible()
	file := eval[string](b, `fetch(location.href + "&format=csv").then(response => response.text())`)
	if !strings.HasPrefix(file, "sequence,at,action,") || !strings.Contains(file, "token.updated") {
		t.Errorf("the exported file is %s", file)
	}

	b.follow(`nav.tabs a[href$="/organization"]`)
	b.accessible()
	b.fill("#max_days", "30")
	b.click("label:has(#require_addresses)")
	b.follow("#submit")
	b.sees("The changes were saved.")
	b.visit(o.path("/api/new"))
	b.sees("at most 30 days")
	b.accessible()
}
