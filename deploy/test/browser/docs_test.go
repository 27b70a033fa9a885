package browser

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// The page needs no token.
func TestTheDocsShowEveryOperationAndLoadFromNoOtherHost(t *testing.T) {
	t.Parallel()
	b := open(t)
	var mu sync.Mutex
	foreign := map[network.RequestID]string{} // sent to other hosts, until the browser reports that it blocked them
	if err := chromedp.Listen(b.ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if at := e.Request.URL; !strings.HasPrefix(at, b.base+"/") && !strings.HasPrefix(at, "data:") &&
				!strings.HasPrefix(at, "blob:") {
				foreign[e.RequestID] = at
			}
		case *network.EventLoadingFailed:
			if e.BlockedReason == network.BlockedReasonCsp {
				delete(foreign, e.RequestID)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	for _, page := range []struct{ path, title, document, operation string }{
		{"/docs", "Shipment Tracking Service API", "/api/v1/openapi.json", "Approve a shipment"},
		{"/docs/tokens", "Quayside tokens", "/api/v1/openapi/tokens.json", "Rotate a token"},
	} {
		if status := b.visit(page.path); status != http.StatusOK {
			t.Fatalf("%s: %d", page.path, status)
		}
		b.awaits(`document.querySelectorAll("redoc h1").length > 0`)
		missing := eval[[]string](b, `fetch("`+page.document+`").then(r => r.json()).then(d =>
			Object.values(d.paths).flatMap(p => Object.values(p)).map(o => o.summary)
				.filter(s => s && ![...document.querySelectorAll("h2")].some(h => h.textContent.trim() === s)))`)
		if len(missing) > 0 {
			t.Errorf("%s does not show %s", page.path, strings.Join(missing, ", "))
		}
		b.sees(page.title)
		b.sees(page.operation)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, at := range foreign {
		t.Errorf("the page requested %s", at)
	}
}
