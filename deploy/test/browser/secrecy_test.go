package browser

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Tokens are created, used, rotated and revoked in the browser and through the API.
// Then everything that is stored is searched for 8 consecutive characters of the
// secrets of tokens, of the session and of passwords.
func TestSecretsAreStoredAndLoggedNowhere(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := open(t)
	addresses := b.recordAddresses()
	b.visit(o.path("/api"))
	b.signIn(o.owner)
	var secrets []string
	keep := func(token string) string {
		secrets = append(secrets, secretOf(token))
		return token
	}

	first := keep(b.generate())
	b.mayUseClipboard(true)
	b.click(`[data-copy="token"]`)
	get(t, b, "/api/v1/shipments", first)
	get(t, b, "/api/v1/shipments?token="+first, first)
	get(t, b, "/"+first, first)
	b.reload()
	b.visit(o.path("/api"))
	b.follow(`a[aria-label="Rotate ERP"]`)
	b.accessible()
	b.follow("#submit")
	second := keep(b.shownToken())
	b.accessible()
	get(t, b, "/api/v1/shipments", second)
	b.follow("#done")
	b.accessible()
	b.click(`a[aria-label="End overlap now: ERP"]`)
	b.awaits(`!!document.querySelector("dialog[open]")`)
	b.accessible()
	b.follow("dialog #revoke")
	refused(t, b, first)

	b.follow("#generate")
	b.fill("#name", "Admin")
	b.click("label:has(#preset-full)")
	b.follow("#submit")
	admin := keep(b.shownToken())
	made := keep(post(t, "/api/v1/tokens", admin, `{"token":{"name":"By API","permissions":["shipments:read"]}}`))
	id := "/api/v1/tokens/tok_" + made[10:22]
	rotated := keep(post(t, id+"/rotate", admin, `{"grace_seconds":3600}`))
	keep(post(t, "/api/v1/token/rotate", rotated, `{"grace_seconds":3600}`))
	post(t, id+"/revoke", admin, `{"reason":"end of its life"}`)
	b.follow("#done")
	b.visit(o.path("/audit-log"))
	b.reloadsUntil(o.path("/api?show=all"), `document.querySelector("#tokens").innerText.includes("`+b.address+`")`)

	secret := append(slices.Clone(secrets), o.owner.password)
	for _, c := range cookies(b) {
		secret = append(secret, c.Value)
	}
	searched := pieces(secret...)
	for _, name := range []string{"tokens", "shipments"} {
		clean(t, "the database "+name, databaseDump(t, name), searched)
	}
	clean(t, "Redis", redisDump(t), searched)
	for _, name := range []string{"gateway", "tokens-svc", "shipments-svc"} {
		clean(t, "the metrics of "+name, metrics(t, stack.Program(name)), searched)
	}
	for path, content := range files(t, stack.LogDir()) {
		if !strings.Contains(path, "redis") {
			clean(t, path, content, searched)
		}
	}
	clean(t, "the traces", traces.received(), searched)
	clean(t, "the addresses that the browser requested", []byte(strings.Join(addresses(), "\n")), searched)
	for _, c := range cookies(b) {
		clean(t, "the cookie "+c.Name, []byte(c.Value), pieces(append(secrets, o.owner.password)...))
	}
	status, log := request(t, http.MethodGet, "/api/v1/audit-events?per_page=100", admin, "")
	if status != http.StatusOK || !bytes.Contains(log, []byte("token.rotated")) {
		t.Errorf("the audit log: %d %.200s", status, log)
	}
	clean(t, "the audit log", log, searched)
}

// traces are the requests with spans, in protobuf.
var traces spans

type spans struct {
	lock sync.Mutex
	raw  []byte
}

func (s *spans) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.lock.Lock()
	defer s.lock.Unlock()
	s.raw = append(s.raw, body...)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (s *spans) received() []byte {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Clone(s.raw)
}

// recordAddresses returns a function that lists every address that the browser has
// requested since, and those in the tab's history.
func (b *tab) recordAddresses() func() []string {
	b.Helper()
	var lock sync.Mutex
	var addresses []string
	if err := chromedp.Listen(b.ctx, func(event any) {
		if sent, ok := event.(*network.EventRequestWillBeSent); ok {
			lock.Lock()
			defer lock.Unlock()
			addresses = append(addresses, sent.Request.URL, sent.DocumentURL)
		}
	}); err != nil {
		b.Fatal(err)
	}
	return func() []string {
		history := ask(b, chromedp.NavigationEntries())
		lock.Lock()
		defer lock.Unlock()
		for _, entry := range history.Entries {
			addresses = append(addresses, entry.URL, entry.Title)
		}
		return addresses
	}
}

// post sends a POST to the API with a token, and returns the text of the token in
// the response, if any.
func post(t *testing.T, path, token, body string) (secret string) {
	t.Helper()
	status, content := request(t, http.MethodPost, path, token, body)
	if status >= http.StatusBadRequest {
		t.Fatalf("POST %s: %d %s", path, status, content)
	}
	var answer struct{ Token struct{ Secret string } }
	if err := json.Unmarshal(content, &answer); err != nil {
		t.Fatalf("POST %s: %v: %s", path, err, content)
	}
	return answer.Token.Secret
}

func request(t *testing.T, method, path, token, body string) (status int, content []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, stack.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if content, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, content
}
