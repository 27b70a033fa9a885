package tokengate

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

const (
	testUser    = "usr_01k9x3v7t2e8sbq4m6n0pacdfg"
	sessionBody = `{"active":true,"sub":"` + testUser + `","sid":"ses_01k9x3v7t2e8sbq4m6n0pacdfg","name":"Zoë / Fresh",` +
		`"organization_id":"` + testOrg + `","organization_name":"Obst & Söhne","scope":"shipments:read",` +
		`"auth_time":1795183200}`
	notMember = `{"active":true,"sub":"` + testUser + `","sid":"ses_01k9x3v7t2e8sbq4m6n0pacdfg","name":"Anna"}`
	inactive  = `{"active":false}`
)

// visit returns a request of a browser with a session and with forged headers.
func visit(method, path string) *http.Request {
	r := httptest.NewRequest(method, path, http.NoBody)
	r.Header = http.Header{
		"Cookie": {"other=1", "__Host-quayside=secret; view-data=test"}, "Accept": {"text/html"}, "User-Agent": {"browser"},
		"Authorization": {"Bearer " + testToken}, "X-User-Id": {"usr_forged"}, "X_user_name": {"forged"},
		"X-User-Auth-Time": {"1"},
		"X-Token-Id":       {"tok_000000000001"}, "X-Organization-Id": {"org_forged"}, "Sec-Fetch-Site": {"same-origin"},
	}
	return r
}

func TestASessionIsForwardedAsThePerson(t *testing.T) {
	t.Parallel()
	g := newTestGate(t, new(Gate), activeBody)
	g.session = sessionBody
	w, got := g.serve(t, visit(http.MethodPost, "/shipments/"+testOrg+"/x"),
		func(w http.ResponseWriter, _ *http.Request) error {
			w.Header()["Set-Cookie"] = []string{"quayside=forged", "view-data=test; Path=/", " quayside=forged"}
			w.WriteHeader(http.StatusNoContent)
			return nil
		})
	if w.Code != http.StatusNoContent || !slices.Equal(w.Header()["Set-Cookie"], []string{"view-data=test; Path=/"}) {
		t.Errorf("%d, %v", w.Code, w.Header())
	}
	for name, want := range map[string]string{
		"X-User-Id": testUser, "X-User-Name": "Zo%C3%AB%20%2F%20Fresh", "X-Organization-Id": testOrg,
		"X-Organization-Name": "Obst%20&%20S%C3%B6hne", "X-Token-Permissions": "shipments:read",
		"X-User-Auth-Time": "1795183200", "X-Token-Id": "", "Authorization": "", "X_user_name": "",
		"Cookie": "view-data=test",
	} {
		if value := strings.Join(got.Header[name], ", "); value != want {
			t.Errorf("%s: %q, want %q", name, value, want)
		}
	}
	if field(w, "X-RateLimit-Limit") != "600" || field(w, "X-RateLimit-Remaining") != "599" {
		t.Errorf("%v", w.Header())
	}
	if g.asked.Get("cookie") != "other=1; __Host-quayside=secret; view-data=test" ||
		g.asked.Get("organization") != testOrg || g.asked.Get("user_agent") != "browser" ||
		g.asked.Get("client") != "192.0.2.1" {
		t.Errorf("tokens-svc got %v", g.asked)
	}
}

func TestARequestWithoutAPersonIsNotForwarded(t *testing.T) {
	t.Parallel()
	page := "/shipments/" + testOrg + "/x?y=1"
	for name, tt := range map[string]struct {
		session, method, path string
		change                func(http.Header)
		status                int
		code, location        string
	}{
		"no cookie": {
			sessionBody, "GET", page, func(h http.Header) { h.Del("Cookie") }, 303, "",
			"/sign-in?next=" + "%2Fshipments%2F" + testOrg + "%2Fx%3Fy%3D1",
		},
		"ended": {
			inactive, "GET", page, nil, 303, "",
			"/sign-in?ended=1&next=" + "%2Fshipments%2F" + testOrg + "%2Fx%3Fy%3D1",
		},
		"a form":        {inactive, "POST", page, nil, 303, "", "/sign-in?ended=1&next=%2Fshipments%2F" + testOrg},
		"a program":     {inactive, "GET", page, func(h http.Header) { h.Del("Accept") }, 401, "sign_in_required", ""},
		"another first": {`{"active":false,"next":"/settings/password"}`, "GET", page, nil, 303, "", "/settings/password"},
		"empty":         {`{}`, "GET", page, nil, 503, "", ""},
		"elsewhere":     {`{"active":false,"next":"//evil.example"}`, "GET", page, nil, 503, "", ""},
		"no member":     {notMember, "GET", page, nil, 404, "", ""},
		"another site": {
			sessionBody, "POST", page, func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") }, 403,
			"", "",
		},
		"no answer":        {"", "GET", page, nil, 503, "", ""},
		"not an answer":    {`{"active":true,"sub":"usr_1"}`, "GET", page, nil, 503, "", ""},
		"another org":      {sessionBody, "GET", "/shipments/org_01k9x3v7t2e8sbq4m6n0pacdfh", nil, 503, "", ""},
		"header injection": {strings.Replace(sessionBody, "shipments:read", `x\r\ny`, 1), "GET", page, nil, 503, "", ""},
	} {
		g := newTestGate(t, new(Gate), activeBody)
		g.session = tt.session
		r := visit(tt.method, tt.path)
		if tt.change != nil {
			tt.change(r.Header)
		}
		w, got := g.serve(t, r, nil)
		if w.Code != tt.status || got.forwarded || w.Header().Get("Location") != tt.location ||
			field(w, "X-RateLimit-Limit") == "" {
			t.Errorf("%s: %d to %q, forwarded %v, %v", name, w.Code, w.Header().Get("Location"), got.forwarded, w.Header())
		}
		if tt.code != "" && code(t, w) != tt.code {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
}

// A session is looked up for each request, so that one that has ended is refused at once.
func TestASessionIsNotCached(t *testing.T) {
	t.Parallel()
	g := newTestGate(t, new(Gate), activeBody)
	g.session = sessionBody
	if _, got := g.serve(t, visit(http.MethodGet, "/shipments"), nil); !got.forwarded {
		t.Fatal("a session is refused")
	}
	g.mu.Lock()
	g.session = inactive
	g.mu.Unlock()
	if _, got := g.serve(t, visit(http.MethodGet, "/shipments"), nil); got.forwarded {
		t.Error("an ended session is forwarded")
	}
}

// Neither requests without a session, which any site's page can cause, nor unknown sessions lock out a person at the
// same address.
func TestAPersonDoesNotPayForOthersAtTheAddress(t *testing.T) {
	t.Parallel()
	g := newTestGate(t, new(Gate), activeBody)
	answer := func(body string) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.session = body
	}
	send := func(cookie string) (int, bool) {
		r := visit(http.MethodGet, "/shipments")
		r.Header.Set("Cookie", cookie)
		w, got := g.serve(t, r, nil)
		return w.Code, got.forwarded
	}
	answer(sessionBody)
	if status, forwarded := send("quayside=mine"); !forwarded {
		t.Fatalf("a session gets %d", status)
	}
	answer(inactive)
	for range publicWindow.Limit {
		send("other=1")
	}
	for range invalidTokenWindow.Limit {
		send("quayside=unknown")
	}
	answer(sessionBody)
	if status, forwarded := send("other=1; quayside=mine"); !forwarded { // other cookies come and go
		t.Errorf("the person gets %d", status)
	}
	if status, _ := send("quayside=another"); status != http.StatusTooManyRequests {
		t.Errorf("one more unknown session gets %d", status)
	}
}

// Responses that people are still reading take no place from others, as those to known tokens do not.
func TestASignedInPersonHoldsNoPlaceWhileReading(t *testing.T) {
	t.Parallel()
	g := newTestGate(t, new(Gate), activeBody)
	g.session = sessionBody
	deepest := 0
	var open func(depth int)
	open = func(depth int) {
		if _, got := g.serve(t, visit(http.MethodGet, "/shipments"), func(http.ResponseWriter, *http.Request) error {
			if deepest = depth; depth < 300 {
				open(depth + 1)
			}
			return nil
		}); !got.forwarded {
			t.Errorf("with %d responses in flight", depth-1)
		}
	}
	open(1)
	if deepest != 300 {
		t.Errorf("%d responses in flight", deepest)
	}
}
