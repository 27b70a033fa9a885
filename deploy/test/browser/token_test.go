package browser

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

func TestATokenIsGeneratedShownOnceCopiedAndUsed(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := enter(t, o)
	b.sees("No tokens yet")
	b.accessible()
	b.follow("#generate")
	b.accessible()
	b.follow("#submit") // without a name
	b.accessible()
	b.fill("#name", "ERP")
	b.follow("#submit")
	token := b.shownToken()
	b.accessible()

	b.mayUseClipboard(true)
	for _, format := range []struct{ tab, button, want string }{
		{"#tab-token-button", `[data-copy="token"]`, token},
		{"#tab-env-button", `[data-copy="env"]`, "QUAYSIDE_TOKEN=" + token},
		{"#tab-curl-button", `[data-copy="curl"]`, "curl " + stack.PublicURL + "/api/v1/shipments \\\n" +
			"  -H \"Authorization: Bearer " + token + "\" \\\n  -H \"Content-Type: application/json\""},
	} {
		b.click(format.tab)
		b.click(format.button)
		b.awaits(`document.querySelector("#copied").textContent.includes("Copied.")`)
		if got := eval[string](b, "navigator.clipboard.readText()"); got != format.want {
			t.Errorf("%s copied %q, want %q", format.button, got, format.want)
		}
		b.accessible()
	}

	b.sees("Waiting for the first request…")
	if status := get(t, b, "/api/v1/shipments", token); status != http.StatusOK {
		t.Errorf("the new token's first request: %d", status)
	}
	if status := get(t, b, "/api/v1/shipments/none", token); status != http.StatusNotFound {
		t.Errorf("a shipment that is not there: %d", status)
	}
	b.sees("first request received from " + b.address) // gateways report usage every 10 seconds
	b.awaits(`/^✓ \d\d:\d\d:\d\d: /.test(document.querySelector("#first-use").textContent)`)
	b.accessible()
	b.follow("#done")
	b.sees("shpt_live_" + token[10:22] + "_…")
	b.sees(b.address)
	if page := eval[string](b, "document.documentElement.outerHTML"); holds([]byte(page), pieces(secretOf(token))) {
		t.Error("the list contains a piece of the secret")
	}
	b.accessible()
	b.follow("#tokens tbody th a")
	b.reloadsUntil(b.path(),
		`/404 Not Found\s+GET .api.v1.shipments.none\s+req_/.test(document.querySelector("#errors").innerText)`)
	b.sees("Succeeded 1")
	b.accessible()
	b.follow(`a[href="?span=30d"]`)
	b.sees("Requests in 30 days")
	b.visit(o.path("/api/usage"))
	b.sees("Other 4xx 1")
	b.accessible()
}

// Without the permission, and where execCommand fails as well, the token is selected
// so that the keyboard can copy it.
func TestCopyingReportsSuccessOnlyAfterCopying(t *testing.T) {
	t.Parallel()
	b := enter(t, found(t, "Cape Fresh Exports"))
	token := b.generate()
	b.mayUseClipboard(false)
	eval[bool](b, `(document.execCommand = () => false, true)`)
	b.click(`[data-copy="token"]`)
	b.awaits(`document.querySelector("#copied").textContent.startsWith("Couldn't copy.")`)
	if selected := eval[string](b, "getSelection().toString()"); selected != token {
		t.Errorf("selected is %q", selected)
	}
	b.accessible()
}

// There navigator.clipboard exists only on localhost.
func TestCopyingWorksOnPlainHTTP(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := openAt(t, "http://quayside.test"+stack.URL[strings.LastIndexByte(stack.URL, ':'):])
	b.visit(o.path("/api"))
	b.signIn(o.owner)
	token := b.generate()
	if eval[bool](b, "!!navigator.clipboard") {
		t.Fatal("the page has navigator.clipboard, which plain HTTP must not have")
	}
	b.click(`[data-copy="token"]`)
	b.awaits(`document.querySelector("#copied").textContent.includes("Copied.")`)
	b.follow("#done")
	b.visit(o.path("/api/new"))
	b.do(chromedp.Focus(chromedp.CSS("#name")), edit("paste"))
	if got := eval[string](b, `document.querySelector("#name").value`); got != token {
		t.Errorf("pasted is %q", got)
	}
}

// generate creates a token called ERP with the defaults of the form and returns its
// text.
func (b *tab) generate() string {
	b.Helper()
	b.follow("#generate")
	b.fill("#name", "ERP")
	b.follow("#submit")
	return b.shownToken()
}

// shownToken reads the token on the page that shows it.
func (b *tab) shownToken() string {
	b.Helper()
	b.sees("Copy your new token")
	token := eval[string](b, `document.querySelector("#token").textContent`)
	if len(token) != 61 || !strings.HasPrefix(token, "shpt_") {
		b.Fatalf("shown is %q", token)
	}
	return token
}

// onlyToken fails the test unless the list has one token, ERP.
func (b *tab) onlyToken() {
	b.Helper()
	names := eval[string](b, `[...document.querySelectorAll("#tokens tbody th a")].map(a => a.textContent).join(", ")`)
	if names != "ERP" {
		b.Errorf("the list has %q, want ERP alone", names)
	}
}

// mayUseClipboard grants or denies the browser's clipboard permission.
func (b *tab) mayUseClipboard(yes bool) {
	b.Helper()
	setting := browser.PermissionSettingDenied
	if yes {
		setting = browser.PermissionSettingGranted
	}
	for _, name := range []string{"clipboard-write", "clipboard-read"} {
		if _, err := chromedp.CallBrowser(b.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: setting, Origin: b.base,
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// get sends a GET to the API with a token, from the browser's address. On a busy machine the introspection of a new
// token may take longer than its 250 ms; then get repeats the request.
func get(t *testing.T, b *tab, path, token string) (status int) {
	t.Helper()
	for range 20 {
		var body []byte
		status, body = getOnce(t, b, path, token)
		if status != http.StatusServiceUnavailable || !bytes.Contains(body, []byte(`"auth_unavailable"`)) {
			break
		}
	}
	return status
}

func getOnce(t *testing.T, b *tab, path, token string) (status int, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stack.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(b.address)}}
	client := &http.Client{
		Timeout:   patience,
		Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true},
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if body, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, body
}

// refused waits until a token is refused.
func refused(t *testing.T, b *tab, token string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(500 * time.Millisecond) {
		status := get(t, b, "/api/v1/token", token)
		if status == http.StatusUnauthorized {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s the token is not refused: %d", patience, status)
		}
	}
}
