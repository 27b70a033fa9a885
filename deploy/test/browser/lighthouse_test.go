package browser

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var measure = flag.Bool("lighthouse", false, "measure the pages with Lighthouse")

// TestLighthouse wants at least 95 of 100 points for each page in each of Lighthouse's four categories, on a slow
// phone.
// It takes half a minute for each page, and its points depend on what else the machine does.
func TestLighthouse(t *testing.T) {
	if !*measure {
		t.Skip("measures with -lighthouse only")
	}
	o := found(t, "Cape Fresh Exports")
	b := enter(t, o)
	b.generate()
	b.visit(o.shipments(""))
	way{tab: b}.newShipment("CFE-2026-0464")
	shipment := b.path()
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{packingList(t)}))
	b.follow("#attach")
	b.awaits(`!!document.querySelector("#decision")`)
	var session []string
	for _, cookie := range cookies(b) {
		session = append(session, cookie.Name+"="+cookie.Value)
	}
	headers, _ := json.Marshal(map[string]string{"Cookie": strings.Join(session, "; ")})
	for _, page := range []struct{ name, path, headers string }{
		{"front", "/", "{}"},
		{"docs", "/docs", "{}"},
		{"guide", "/docs/webhooks", "{}"},
		{"operation", "/docs/reference/shipments/attachDocument", "{}"},
		{"status", "/status", "{}"},
		{"sign-in", "/sign-in", "{}"},
		{"forgot", "/sign-in/forgot", "{}"},
		{"account", "/settings/account", string(headers)},
		{"organizations", "/settings", string(headers)},
		{"shipments", o.shipments(""), string(headers)},
		{"shipment", shipment, string(headers)},
		{"new shipment", o.shipments("/new"), string(headers)},
		{"templates", o.shipments("/templates"), string(headers)},
		{"webhooks", "/webhooks/" + o.id, string(headers)},
		{"tokens", o.path("/api"), string(headers)},
		{"new token", o.path("/api/new"), string(headers)},
		{"members", o.path("/members"), string(headers)},
		{"audit log", o.path("/audit-log"), string(headers)},
		{"organization", o.path("/organization"), string(headers)},
	} {
		t.Run(page.name, func(t *testing.T) {
			report := filepath.Join(t.TempDir(), "report.json")
			lighthouse := exec.CommandContext(t.Context(), "npx", "--yes", "lighthouse@"+lighthouseVersion, stack.URL+page.path,
				"--quiet", "--output=json", "--output-path="+report, "--extra-headers="+page.headers,
				"--only-categories=performance,accessibility,best-practices,seo",
				"--chrome-flags=--headless=new --no-sandbox --disable-gpu")
			lighthouse.Env = append(os.Environ(), "CHROME_PATH="+chromium)
			if out, err := lighthouse.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			checkPoints(t, report)
		})
	}
}

const lighthouseVersion = "12.8.2"

// checkPoints fails the test if a category has less than 95 points, and names what takes them.
func checkPoints(t *testing.T, report string) {
	t.Helper()
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		FinalURL   string `json:"finalDisplayedUrl"`
		Categories map[string]struct {
			Score float64 `json:"score"`
			Parts []struct {
				ID     string  `json:"id"`
				Weight float64 `json:"weight"`
			} `json:"auditRefs"`
		} `json:"categories"`
		Audits map[string]struct {
			Score *float64 `json:"score"`
		} `json:"audits"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(result.Categories)) {
		category := result.Categories[name]
		t.Logf("%s: %s %.0f", result.FinalURL, name, 100*category.Score)
		if category.Score >= 0.95 {
			continue
		}
		for _, part := range category.Parts {
			if score := result.Audits[part.ID].Score; part.Weight > 0 && score != nil && *score < 0.9 {
				t.Errorf("%s of %s: %s %.2f", name, result.FinalURL, part.ID, *score)
			}
		}
	}
}
