package browser

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// shipments is the address of one of the organization's pages of shipments.
func (o organization) shipments(page string) string { return "/shipments/" + o.id + page }

// packingList is the file that the office attaches.
func packingList(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../examples/packing-list.csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// newShipment creates a shipment on the page that is shown.
func (b *tab) newShipment(reference string) {
	b.Helper()
	b.follow("#new")
	for field, text := range map[string]string{
		"#reference": reference, "#vessel": "MSC Carmen", "#origin": "Cape Town", "#destination": "Dubai",
	} {
		b.fill(field, text)
	}
	b.follow("#create")
}

// An office goes from signing in over a preview and the upload to the approval.
func TestAnOfficeUploadsAndApproves(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := open(t)
	b.visit(o.shipments(""))
	b.signIn(o.owner)
	b.sees("No shipments yet")
	b.accessible()
	b.follow("#new")
	b.accessible()
	if status := b.follow("#create"); status != http.StatusUnprocessableEntity {
		t.Errorf("without a reference: %d", status)
	}
	b.accessible()
	b.visit(o.shipments(""))
	b.newShipment("CFE-1")
	b.sees("The shipment was created.")
	b.accessible()

	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{packingList(t)}))
	b.click("#dry-run")
	b.awaits(`document.querySelector("#preview")?.innerText.includes("nothing is stored yet")`)
	b.sees("Pallet number")
	b.sees("No documents yet.")
	b.accessible()
	b.follow("#attach") // the file is still chosen
	b.sees("The document was attached.")
	b.awaits(`!!document.querySelector("#decision")`) // it was read meanwhile
	b.accessible()
	b.follow(`a[aria-label="Columns of packing-list.csv"]`)
	b.sees("Remember for lists like this")
	b.accessible()
	b.do(chromedp.SetValue(chromedp.CSS("#save_as"), "Cape Fresh"), chromedp.SetValue(chromedp.CSS("#style0"), "1,234.5"))
	b.follow("#correct")
	b.awaits(`!!document.querySelector("#decision")`)
	b.do(chromedp.SetValue(chromedp.CSS("#reason"), "Certificates follow by courier"))
	b.follow("#approve")
	b.sees("The shipment was approved.")
	b.visit(o.shipments("?status=approved"))
	b.sees("CFE-1")
	b.accessible()
}

// Everything works without a script, and by the keyboard.
func TestAnOfficeWorksWithoutAScriptAndByKeyboard(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := open(t)
	b.withoutScript()
	b.visit(o.shipments(""))
	b.signIn(o.owner)
	b.newShipment("CFE-2")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{packingList(t)}))
	b.follow("#dry-run")
	b.sees("choose the file again below")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{packingList(t)}))
	b.follow("#attach")
	b.sees("packing-list.csv")
	b.reloadsUntil(b.path(), `!!document.querySelector("#decision")`)
	b.tabTo("#reason")
	b.keys("Wrong packhouse")
	b.tabTo("#reject")
	b.load(chromedp.KeyEvent(kb.Enter))
	b.sees("The shipment was rejected.")
}

// An integrator gives an address for events, sends a test, and reads what became of it.
func TestAnOfficeManagesWebhooks(t *testing.T) {
	t.Parallel()
	o := found(t, "Webhook Exports")
	b := open(t)
	b.visit("/webhooks/" + o.id)
	b.signIn(o.owner)
	b.accessible()
	b.follow("#new")
	b.accessible()
	b.fill("#url", "https://example.com/hooks")
	b.follow("#create")
	b.sees("Copy the signing secret")
	b.accessible()
	b.follow("#done")
	b.follow("#test")
	b.sees("webhook.test")
	b.accessible()
}
