package browser

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
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

// way is how a person uses the pages.
type way struct {
	*tab
	keyboard, script bool
}

// press presses a link or button, and waits for the next page.
func (w way) press(selector string) int {
	w.Helper()
	if !w.keyboard {
		return w.follow(selector)
	}
	w.tabTo(selector)
	return w.load(chromedp.KeyEvent(kb.Enter))
}

// write writes into an empty field.
func (w way) write(selector, text string) {
	w.Helper()
	if !w.keyboard {
		w.fill(selector, text)
		return
	}
	w.tabTo(selector)
	w.keys(text)
}

// accessible fails the test if axe, which is a script, finds a violation.
func (w way) accessible() {
	w.Helper()
	if w.script {
		w.tab.accessible()
	}
}

// accepts ticks each of the things that the checks found.
func (w way) accepts() {
	w.Helper()
	for _, id := range eval[[]string](w.tab, `[...document.querySelectorAll("[name=accept]")].map(box => box.id)`) {
		if w.keyboard {
			w.tabTo("#" + id)
			w.keys(" ")
		} else {
			w.click("#" + id)
		}
	}
}

// newShipment creates a shipment on the page that is shown, with files.
func (w way) newShipment(reference string, files ...string) {
	w.Helper()
	w.press("#new")
	if files != nil {
		w.chooses(files...)
		w.accessible()
	}
	for _, field := range [][2]string{
		{"#reference", reference}, {"#vessel", "MSC Lorena"}, {"#origin", "Cape Town"}, {"#destination", "Dubai"},
	} {
		w.write(field[0], field[1])
	}
	w.press("#create")
}

// chooses chooses the files of the form.
func (w way) chooses(files ...string) {
	w.Helper()
	w.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), files))
}

// reviewable waits until the list was read.
func (w way) reviewable() {
	w.Helper()
	if w.script {
		w.awaits(`!!document.querySelector("#decision")`) // the page reloads itself
	} else {
		w.reloadsUntil(w.path(), `!!document.querySelector("#decision")`)
	}
}

// An office goes from signing in over a dry run, the upload and the correction of a column
// to the approval: by mouse, by keyboard and without a script.
func TestAnOfficeUploadsAndApproves(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]way{
		"mouse": {script: true}, "keyboard": {keyboard: true, script: true}, "no-script": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := found(t, "Cape Fresh "+name)
			w.tab = open(t)
			if !w.script {
				w.withoutScript()
			}
			w.uploadsAndApproves(o)
		})
	}
}

func (w way) uploadsAndApproves(o organization) {
	w.visit(o.shipments(""))
	w.signIn(o.owner)
	w.sees("No shipments yet")
	w.accessible()
	w.newShipment("CFE-1")
	w.sees("The shipment was created.")
	w.accessible()

	list := packingList(w.T)
	w.chooses(list)
	if w.script {
		w.tabTo("#dry-run")
		w.keys(kb.Enter)
		w.awaits(`document.querySelector("#preview")?.innerText.includes("nothing is stored yet")`)
	} else {
		w.press("#dry-run")
		w.sees("choose the file again below")
		w.chooses(list)
	}
	w.sees("Pallet number")
	w.sees("No documents yet")
	w.accessible()
	w.press("#attach")
	w.sees("The document was attached.")
	w.reviewable()
	w.accessible()

	w.press(`[name=vessel]`) // of the document, which is right
	w.sees("The shipment was saved, and checked again.")
	w.sees("MSC Carmen")
	w.correctsAColumn()
	w.reviewable()
	w.accepts()
	w.write("#reason", "Certificates follow by courier")
	w.press("#approve")
	w.sees("The shipment was approved.")
	w.visit(o.shipments("/list?status=approved&vessel=msc"))
	w.sees("CFE-1")
	if w.script {
		w.savesAView(o)
	}
	w.accessible()
	w.visit(o.shipments(""))
	w.sees("Approved by you")
	w.accessible()
	if w.keyboard {
		w.uses(o)
	}
	w.visit(o.shipments("/templates"))
	w.sees("Cape Fresh")
	w.accessible()
}

// savesAView names the list that is shown, finds it by its name on another one, and can remove it.
func (w way) savesAView(o organization) {
	w.click("#filters summary")
	w.fill("#view", "MSC, done")
	w.click("#save-view button")
	w.visit(o.shipments("/list"))
	w.follow("#views a")
	w.awaits(`document.querySelector("#views a[aria-current]") && location.search.includes("vessel=msc")`)
	w.accessible()
	w.click("#views button")
	w.awaits(`document.querySelector("#views").hidden`)
}

// correctsAColumn goes to the list, sees what another field of a column would change, and has it remembered as it is.
func (w way) correctsAColumn() {
	w.press(`nav[aria-label=Shipment] a[href$="/documents"]`)
	w.accessible()
	w.press("#documents a")
	w.sees("What it looks like")
	w.sees("P-001 · P-002 · P-003")
	w.accessible()
	w.do(chromedp.SetValue(chromedp.CSS("#c0-D"), ""))
	if w.script {
		w.tabTo("#try")
		w.keys(kb.Enter)
		w.awaits(`document.querySelector("#change")?.innerText.includes("→ 0")`)
	} else {
		w.press("#try")
		w.sees("→ 0")
	}
	w.accessible()
	w.do(chromedp.SetValue(chromedp.CSS("#c0-D"), "boxes"))
	w.write("#save_as", "Cape Fresh")
	w.do(chromedp.SetValue(chromedp.CSS("#style0"), "1,234.5"))
	w.press("#correct")
}

// A shipment of 60 pallets is printed on three pages at most, and none is wider than a phone.
func TestAnOfficePrintsAShipment(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	w := way{tab: enter(t, o), script: true}
	rows := "Vessel;" + strings.Repeat("X", 200) + "\nPallet;Variety;Calibre;Boxes;Net weight per box (kg)\n"
	for n := range 60 {
		rows += fmt.Sprintf("P-%d;Avocado Hass;18;264;4\n", 100+n)
	}
	list := filepath.Join(t.TempDir(), "list.csv")
	if err := os.WriteFile(list, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	w.visit(o.shipments(""))
	w.newShipment(strings.Repeat("W", 90))
	w.chooses(list)
	w.press("#attach")
	w.reviewable()
	for _, tab := range []string{"documents", "pallets", "history"} {
		w.press(`nav[aria-label=Shipment] a[href$="/` + tab + `"]`)
		w.awaits("scrollY === 0")
		w.accessible()
	}
	w.write("#comment", strings.Repeat("Y", 300))
	w.press("#add-comment")
	w.sees("The comment was added.")
	w.press("#print")
	w.accessible()
	printed := ask(w.tab, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	if pages := bytes.Count(printed, []byte("/Type /Page\n")); pages < 1 || pages > 3 {
		t.Errorf("%d pages", pages)
	}
}

// uses uses the keys of the overview and of lists, which can be turned off.
func (w way) uses(o organization) {
	w.keys("/")
	w.awaits(`document.activeElement.id === "q"`)
	w.fill("#q", "cfe") // the key itself is an event of the test's, which the page cannot prevent
	w.load(chromedp.KeyEvent(kb.Enter))
	w.keys("j")
	w.awaits(`document.activeElement.textContent === "CFE-1"`)
	w.keys("?")
	w.awaits(`document.querySelector("dialog[open]")`)
	w.accessible()
	w.tabTo("dialog input")
	w.keys(" ")
	w.tabTo("dialog button")
	w.keys(kb.Enter)
	w.keys("/?")
	if eval[bool](w.tab, `document.activeElement.id === "q" || !!document.querySelector("dialog[open]")`) {
		w.Errorf("at %s: keys work that were turned off", o.shipments("/list"))
	}
}

// A form that cannot be accepted says why, and a shipment is rejected by keyboard.
func TestAnOfficeRejectsByKeyboard(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	w := way{tab: open(t), keyboard: true, script: true}
	w.visit(o.shipments(""))
	w.signIn(o.owner)
	w.press("#new")
	if status := w.press("#create"); status != http.StatusUnprocessableEntity {
		t.Errorf("without a reference: %d", status)
	}
	w.accessible()
	w.visit(o.shipments(""))
	certificate := filepath.Join(t.TempDir(), "phyto.txt")
	if err := os.WriteFile(certificate, []byte("Phytosanitary certificate No: 12"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.newShipment("CFE-2", packingList(t), certificate)
	w.sees("The documents were attached.")
	w.reviewable()
	w.write("#reason", "Wrong packhouse")
	w.press("#reject")
	w.sees("The shipment was rejected.")
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
	b.follow("#deliveries a")
	b.sees("Responses")
	b.accessible()

	b.visit("/webhooks/" + o.id)
	b.follow("#switch-data")
	b.sees("This is test data")
	b.sees("No webhook endpoints yet")
	b.follow("#switch-data")
	b.sees("https://example.com/hooks")
}
