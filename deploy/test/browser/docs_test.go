package browser

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// None of the pages needs a session, a token or a script.
func TestTheFrontPageLeadsToEverythingThatIsDocumented(t *testing.T) {
	t.Parallel()
	b := open(t)
	var mu sync.Mutex
	var foreign []string
	if err := chromedp.Listen(b.ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok && !strings.HasPrefix(e.Request.URL, b.base+"/") {
			mu.Lock()
			defer mu.Unlock()
			foreign = append(foreign, e.Request.URL)
		}
	}); err != nil {
		t.Fatal(err)
	}
	b.visit("/")
	b.accessible()
	b.follow(`footer a[href="/status"]`)
	b.sees("All services are available")
	b.accessible()
	b.visit("/")
	b.follow(`main a[href="/docs"]`)
	b.accessible()
	b.fill("#q", "signature")
	b.follow("form[role=search] button:last-child")
	b.accessible()
	b.follow(`a[href="/docs/webhooks#check-the-signature"]`)
	b.sees("Check the signature")
	b.accessible()
	b.follow(`nav a[href="/docs/reference"]`)
	b.accessible()
	b.follow(`article a[href="/docs/reference/shipments/attachDocument"]`)
	b.accessible()
	b.click(`.samples label:has([value="python"])`)
	b.visit("/docs/limits")
	b.awaits(`document.querySelector(".samples .python").checkVisibility()`) // the chosen language is remembered
	b.do(chromedp.Focus(chromedp.CSS(".samples .python button")), chromedp.KeyEvent("\r"))
	b.sees("Copied.")
	b.size(320, 640)
	b.do(chromedp.Focus(chromedp.CSS("#all-pages")), chromedp.KeyEvent("\r"))
	b.follow(`#pages a[href="/docs/paging"]`)
	b.size(1280, 800)
	b.visit("/docs/reference/shipments/attachDocument")
	b.follow(`article a[href="/docs/reference/shipments/objects/AttachDocument"]`)
	b.accessible()
	b.follow(`nav a[href="/problems"]`)
	b.accessible()
	b.follow(`a[href="/problems/rate_limited"]`)
	b.sees("What to do")
	b.accessible()
	if status := b.visit("/docs/no-such-page"); status != http.StatusNotFound {
		t.Errorf("a page that is not there: %d", status)
	}
	b.accessible()

	b.withoutScript()
	b.visit("/docs")
	b.fill("#q", "approve a shipment")
	b.follow("form[role=search] button:last-child")
	b.follow(`article a[href="/docs/reference/shipments/approveShipment"]`)
	b.sees("Samples")
	b.click(`.samples label:has([value="go"])`)
	b.sees("package main")
	if eval[bool](b, `document.querySelector("#try").checkVisibility()`) {
		t.Error("the console is shown but needs JavaScript")
	}
	mu.Lock()
	defer mu.Unlock()
	for _, at := range foreign {
		t.Errorf("the browser requested %s", at)
	}
}

func TestTheConsoleSendsARequestAndKeepsNoToken(t *testing.T) {
	t.Parallel()
	b := enter(t, found(t, "Cape Fresh Exports"))
	b.follow("#generate")
	b.fill("#name", "ERP")
	b.click("label:has(#preset-full)")
	b.follow("#submit")
	token := b.shownToken()
	b.visit("/docs/reference/tokens/getToken")
	b.fill("#try-token", token)
	b.click("#try-send")
	b.sees(`"organization"`)
	b.click("#try-answer summary")
	b.sees("x-ratelimit-remaining: ")
	b.accessible()
	b.visit("/docs/reference/shipments/createShipment")
	if kept := eval[string](b, `document.querySelector("#try-token").value + location.href +
		JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie`); strings.Contains(kept, token) {
		t.Errorf("the token is kept: %s", kept)
	}
	b.fill("#try-token", token)
	b.click("#try-send")
	b.sees("201 Created · POST /api/v1/shipments")
	b.visit("/docs/reference/shipments/attachDocument")
	b.fill("#try-token", token)
	b.click("#try-send") // without an id
	b.click("[data-first-of]")
	b.awaits(`document.querySelector("#try-path-id").value.startsWith("ship_")`)
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#try-form-file"), []string{packingList(t)}))
	b.click("#try-send")
	b.sees("201 Created · POST /api/v1/shipments/" + eval[string](b, `document.querySelector("#try-path-id").value`))
}
