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

// TestScreenshots takes the screenshots of the main pages for the documents, with -update.
func TestScreenshots(t *testing.T) {
	if !*update {
		t.Skip("takes pictures with -update only")
	}
	o := found(t, "Cape Fresh Exports")
	b := enter(t, o)
	for _, name := range []string{"ERP", "Warehouse scanner", "Carrier feed"} {
		b.visit(o.path("/api/new"))
		b.fill("#name", name)
		b.follow("#submit")
		b.sees("Waiting for the first request…")
	}
	pretendUse(t, o)
	b.visit(o.path("/api"))
	b.take("tokens")

	for _, reference := range []string{"CFE-2026-0464", "CFE-2026-0465"} {
		b.visit(o.shipments(""))
		way{tab: b}.newShipment(reference)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{packingList(t)}))
	b.click("#dry-run")
	b.awaits(`!!document.querySelector("#preview")`)
	b.take("preview")
	b.follow("#attach")
	b.awaits(`!!document.querySelector("#decision")`)
	b.take("shipment")
	b.follow(`nav[aria-label=Shipment] a[href$="/documents"]`)
	b.follow("#documents a")
	b.take("document")
	b.visit(o.shipments(""))
	b.take("shipments")
	b.visit("/docs")
	b.take("docs")
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
