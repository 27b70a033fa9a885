package browser

import (
	"bytes"
	"cmp"
	"database/sql"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// published is the example token of the documentation. Screenshots show it instead of
// a real one.
const published = "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"

// TestScreenshots takes the screenshots of the documents, with -update.
func TestScreenshots(t *testing.T) {
	if !*update {
		t.Skip("takes pictures with -update only")
	}
	o := found(t, "Cape Fresh Exports")
	for name, role := range map[string]string{"Thandi Nkosi": "admin", "Piet Botha": "member", "Ana Duarte": "auditor"} {
		email := map[string]string{"admin": "thandi", "member": "piet", "auditor": "ana"}[role] + "@capefresh.example"
		password, err := stack.CreateUser(t.Context(), email, o.id, role, "--name", name)
		if err != nil {
			t.Fatal(err)
		}
		if role == "admin" {
			o.owner = person{email, password}
		}
	}
	b := open(t)
	b.visit(o.path("/api"))
	b.take("sign-in")
	b.signIn(o.owner)
	b.take("tokens-empty")

	b.follow("#generate")
	b.follow("#submit")
	b.take("generate-errors")
	for _, name := range []string{"ERP", "Warehouse scanner", "Carrier feed", "Old integration"} {
		b.visit(o.path("/api/new"))
		b.fill("#name", name)
		if name == "Warehouse scanner" {
			b.click("label:has(#preset-write)")
			b.take("generate")
		}
		b.follow("#submit")
		b.sees("Waiting for the first request…")
		if name == "ERP" {
			b.publish()
			b.take("shown")
			b.takeOnPhone("shown")
		}
	}
	b.visit(o.path("/api"))
	b.follow(`a[aria-label="Rotate Carrier feed"]`)
	b.take("rotate")
	b.follow("#submit")
	b.visit(o.path("/api"))
	b.click(`a[aria-label="Revoke Old integration"]`)
	b.fill("dialog #reason", "the integration was switched off")
	b.follow("dialog #revoke")
	pretendUse(t, o)
	b.visit(o.path("/api"))
	b.take("tokens")
	b.takeOnPhone("tokens")
	b.click(`a[aria-label="Revoke ERP"]`)
	b.awaits(`document.querySelector("dialog[open]")`)
	b.take("revoke")
	b.visit(o.path("/api"))
	b.do(chromedp.Click(chromedp.Search(`//table[@id="tokens"]//a[text()="ERP"]`)))
	b.sees("Access")
	b.take("token")
	b.visit(o.path("/members"))
	b.take("members")
	b.visit(o.path("/audit-log"))
	b.take("audit-log")
	b.visit("/settings/sessions")
	b.take("sessions")

	for _, reference := range []string{"CFE-2026-0464", "CFE-2026-0465"} {
		b.visit(o.shipments(""))
		b.newShipment(reference)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{packingList(t)}))
	b.click("#dry-run")
	b.awaits(`!!document.querySelector("#preview")`)
	b.take("preview")
	b.follow("#attach")
	b.awaits(`!!document.querySelector("#decision")`)
	b.take("shipment")
	b.takeOnPhone("shipment")
	b.visit(o.shipments(""))
	b.take("shipments")
}

// publish replaces the token on the page by the published example.
func (b *tab) publish() {
	b.Helper()
	eval[bool](b, `(() => {
		const token = document.querySelector("#token").textContent;
		for (const element of document.querySelectorAll(".secret, code")) {
			element.textContent = element.textContent.replaceAll(token, "`+published+`")
				.replaceAll(token.slice(0, 23), "`+published[:23]+`");
		}
		return true;
	})()`)
}

// pretendUse gives the organization's tokens the usage of a day.
func pretendUse(t *testing.T, o organization) {
	t.Helper()
	db, err := sql.Open("postgres", stack.DSN("tokens"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(t.Context(), `
		INSERT INTO token_usage (token_id, hour, requests, refused, last_used_at, address)
		SELECT id, date_trunc('hour', now()) - n * interval '1 hour', 40 + (n * n * 37) % 90,
			CASE WHEN n = 5 THEN 12 ELSE 0 END, now() - n * interval '1 hour' - interval '2 minutes', '192.0.2.44'
		FROM api_tokens, generate_series(0, 23) AS n
		WHERE organization_id = $1 AND name IN ('ERP', 'Warehouse scanner') AND (name = 'ERP' OR n % 3 = 1)`, o.id)
	if err != nil {
		t.Fatal(err)
	}
}

// take takes a screenshot in a window of a laptop's size.
func (b *tab) take(name string) {
	b.Helper()
	b.size(1280, 800)
	b.write(name + ".png")
}

// takeOnPhone takes a screenshot with a phone's size and dark colours.
func (b *tab) takeOnPhone(name string) {
	b.Helper()
	b.dark(true)
	b.size(390, 844)
	b.write(name + "-phone.png")
	b.dark(false)
	b.size(1280, 800)
}

func (b *tab) write(name string) {
	b.Helper()
	content := shrink(b, ask(b, chromedp.CaptureScreenshot()))
	if len(content) > 150_000 {
		b.Errorf("%s has %d bytes", name, len(content))
	}
	dir := "../../docs/screenshots"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
		b.Fatal(err)
	}
}

// shrink encodes a picture with its 256 most frequent colours.
func shrink(b *tab, content []byte) []byte {
	b.Helper()
	full, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		b.Fatal(err)
	}
	bounds := full.Bounds()
	counts := map[color.RGBA]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[color.RGBAModel.Convert(full.At(x, y)).(color.RGBA)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return cmp.Compare(counts[b], counts[a]) })
	var palette color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	small := image.NewPaletted(bounds, palette)
	draw.Draw(small, bounds, full, bounds.Min, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}
