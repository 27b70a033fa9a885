package browser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// The embedded Redoc is the published bundle, byte for byte.
func TestRedocIsThePublishedBundle(t *testing.T) {
	t.Parallel()
	if stack == nil {
		t.Skip("no product is running")
	}
	page := fetch(t, "/docs")
	script := regexp.MustCompile(`/docs/redoc-([0-9.]+)\.js`).FindSubmatch(page)
	if script == nil {
		t.Fatalf("no script in\n%s", page)
	}
	dir := t.TempDir()
	pack := exec.CommandContext(t.Context(), "npm", "pack", "--silent", "redoc@"+string(script[1]))
	pack.Dir = dir
	name, err := pack.Output()
	if err != nil {
		t.Fatalf("npm pack: %v", err)
	}
	if !bytes.Equal(bundleOf(t, filepath.Join(dir, strings.TrimSpace(string(name)))), fetch(t, string(script[0]))) {
		t.Errorf("%s differs from the published bundle", script[0])
	}
}

// bundleOf returns the bundle from an npm package of Redoc.
func bundleOf(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unpacked); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			t.Fatalf("%s has no bundle", path)
		}
		if err != nil {
			t.Fatal(err)
		}
		if entry.Name == "package/bundles/redoc.standalone.js" {
			content, err := io.ReadAll(archive)
			if err != nil {
				t.Fatal(err)
			}
			return content
		}
	}
}

func fetch(t *testing.T, path string) []byte {
	t.Helper()
	status, content := request(t, http.MethodGet, path, "", "")
	if status != http.StatusOK {
		t.Fatalf("GET %s: %d", path, status)
	}
	return content
}
