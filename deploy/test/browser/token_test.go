package browser

import (
	"bytes"
	"context"
	"encoding/json"
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
	if status, _ := get(t, b, "/api/v1/shipments", token); status != http.StatusOK {
		t.Errorf("the new token's first request: %d", status)
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
	b.sees("1 request")
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

// The form is sent again by reload, Back, a double click, a second tab and a
// repeated request.
func TestAFormCreatesOneTokenAndShowsItOnce(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := enter(t, o)
	b.follow("#generate")
	b.fill("#name", "ERP")
	form := eval[string](b, `new URLSearchParams(new FormData(document.querySelector("#generate-form"))).toString()`)
	b.load(chromedp.DoubleClick(chromedp.CSS("#submit")))
	token := b.shownToken()
	secret := pieces(secretOf(token))
	hides := func(b *tab, when string) {
		t.Helper()
		if holds([]byte(eval[string](b, "document.documentElement.outerHTML")), secret) {
			t.Errorf("%s shows the token again", when)
		}
	}

	other := b.another()
	other.visit(o.path("/api"))
	hides(other, "a second tab")
	other.onlyToken()

	if status := b.reload(); status != http.StatusConflict {
		t.Errorf("reloading: got %d", status)
	}
	b.sees("This form was already submitted")
	hides(b, "reloading")
	b.accessible()

	b.visit(o.path("/api"))
	hides(b, "the list")
	for range 3 {
		b.back()
		hides(b, "Back, to "+b.path()+",")
	}
	quoted, _ := json.Marshal(form)
	for range 2 {
		answer := eval[string](other, `fetch("`+o.path("/api")+`", {method: "POST", headers: {"Content-Type":
			"application/x-www-form-urlencoded"}, body: `+string(quoted)+`})
			.then(r => r.text().then(text => r.status + " " + text))`)
		if !strings.HasPrefix(answer, "409 ") || holds([]byte(answer), secret) {
			t.Errorf("the same form again: got %.300s", answer)
		}
	}
	other.visit(o.path("/api?show=all"))
	other.onlyToken()
}

// The entered values are kept.
func TestEachFormErrorIsNextToItsField(t *testing.T) {
	t.Parallel()
	b := enter(t, found(t, "Cape Fresh Exports"))
	b.follow("#generate")
	b.click("label:has(#preset-custom)")
	b.click("label:has(#expiry-custom)")
	b.click("#advanced summary")
	b.fill("#ip_allow", "10.0.0.0/8\n300.1.2.3")
	b.fill("#limit", "101")
	b.click("label:has(#environment-test)")
	if status := b.follow("#submit"); status != http.StatusUnprocessableEntity {
		t.Errorf("a form with mistakes: got %d", status)
	}
	b.awaits(`document.activeElement.id === "summary"`)
	// Errors of single fields are reported first.
	for _, field := range []string{"expires_at", "limit"} {
		if !b.has("#"+field+"-fault") || !b.has(`#summary a[href="#`+field+`"]`) {
			t.Errorf("%s has no error beside it and in the summary:\n%s", field, b.body())
		}
	}
	b.accessible()
	b.click(`#summary a[href="#limit"]`)
	b.awaits(`document.activeElement.id === "limit"`)
	b.fill("#limit", "60")
	b.click("label:has(#expiry-30)")
	if status := b.follow("#submit"); status != http.StatusUnprocessableEntity {
		t.Errorf("a form with mistakes left: %d", status)
	}
	for _, field := range []string{"name", "permissions", "ip_allow"} {
		if !b.has("#"+field+"-fault") || !b.has(`#summary a[href="#`+field+`"]`) {
			t.Errorf("%s has no error beside it and in the summary:\n%s", field, b.body())
		}
	}
	b.accessible()
	for expression, want := range map[string]string{
		`document.querySelector("#ip_allow").value`:                    "10.0.0.0/8\n300.1.2.3",
		`document.querySelector("#limit").value`:                       "60",
		`document.querySelector("[name=preset]:checked").value`:        "custom",
		`document.querySelector("[name=expiry]:checked").value`:        "30",
		`document.querySelector("[name=environment]:checked").value`:   "test",
		`String(document.querySelector("#advanced").open)`:             "true",
		`document.querySelector("#name").getAttribute("aria-invalid")`: "true",
	} {
		if got := eval[string](b, expression); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
	b.fill("#name", "Scanner")
	b.click(`label:has([id="permission-shipments:read"])`)
	b.fill("#ip_allow", "127.0.0.0/8 2001:db8::/32")
	if status := b.follow("#submit"); status != http.StatusOK {
		t.Fatalf("the corrected form: %d\n%s", status, b.body())
	}
	token := b.shownToken()
	if !strings.HasPrefix(token, "shpt_test_") {
		t.Errorf("got the token %.10s…", token)
	}
	_, header := get(t, b, "/api/v1/shipments", token)
	if got := header.Get("X-RateLimit-Limit"); got != "60" {
		t.Errorf("got the limit %s", got)
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
func get(t *testing.T, b *tab, path, token string) (status int, header http.Header) {
	t.Helper()
	for range 20 {
		var body []byte
		status, header, body = getOnce(t, b, path, token)
		if status != http.StatusServiceUnavailable || !bytes.Contains(body, []byte(`"auth_unavailable"`)) {
			break
		}
	}
	return status, header
}

func getOnce(t *testing.T, b *tab, path, token string) (status int, header http.Header, body []byte) {
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
	return res.StatusCode, res.Header, body
}

// refused waits until a token is refused.
func refused(t *testing.T, b *tab, token string) {
	t.Helper()
	answerWithin(t, b, token, "the refusal",
		func(status int, _ http.Header) bool { return status == http.StatusUnauthorized })
}

// answerWithin sends requests with a token until the response is as required, and returns its headers.
func answerWithin(t *testing.T, b *tab, token, what string, is func(int, http.Header) bool) http.Header {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		status, header := get(t, b, "/api/v1/token", token)
		if is(status, header) {
			return header
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s, after %s: got %d %v", what, patience, status, header)
		case <-tick.C:
		}
	}
}
