package tokengate

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
)

func TestSettingsAreReadFromTheCaddyfile(t *testing.T) {
	t.Parallel()

	got := new(Gate)
	err := got.UnmarshalCaddyfile(caddyfile.NewTestDispenser(`token_gate {
		introspection a extended
		client b
		credential c
		timeout 1s
		tokens d e {
			length 40
			id 12 f
			checksum
		}
		organizations g
		limit 5 1m {h}
		zone i {j} 6 2m
		zone k {l} 7 3m
		redis m
		redis_down deny
		replicas 2
		signing_key n
		issuer o
		cors_origins p q
		realm r
		session_cookies s t
		sign_in u
		pages v
	}`))
	minutes := func(n int) caddy.Duration { return caddy.Duration(time.Duration(n) * time.Minute) }
	want := &Gate{
		Introspection: "a", Extended: true, ClientID: "b", Credential: "c", Timeout: caddy.Duration(time.Second),
		Tokens:        bearer.Format{Prefixes: []string{"d", "e"}, Length: 40, IDLength: 12, Subject: "f", Checksum: true},
		Organizations: "g", Limit: Zone{Key: "{h}", Requests: 5, Window: minutes(1)},
		Zones: []Zone{{"i", "{j}", 6, minutes(2)}, {"k", "{l}", 7, minutes(3)}}, Redis: "m", RedisDown: "deny", Replicas: 2,
		SigningKey: "n", Issuer: "o", CORSOrigins: []string{"p", "q"}, Realm: "r", SessionCookies: []string{"s", "t"},
		SignIn: "u", Pages: "v",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{
		"x", "{\nunknown x\n}", "{\nissuer\n}", "{\nissuer a b\n}", "{\nissuer a\nissuer a\n}", "{\nreplicas 0\n}",
		"{\nreplicas two\n}", "{\nlimit 5\n}", "{\nzone a\n}", "{\ntokens a {\nlength\n}\n}", "{\ntokens a {\nx\n}\n}",
		"{\ntimeout x\n}", "{\nintrospection a b\n}", "{\nlimit 5 1m a b\n}",
	} {
		if err := new(Gate).UnmarshalCaddyfile(caddyfile.NewTestDispenser("token_gate " + text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestInvalidSettingsAreReportedTogether(t *testing.T) {
	t.Parallel()

	g := &Gate{
		Introspection: "ftp://tokens", Extended: true, RedisDown: "x", Replicas: -1, Organizations: "(",
		CORSOrigins: []string{"https://app.example/"}, Redis: "a-secret", Credential: "{env.TYPO}",
		Zones: []Zone{{Name: "burst", Requests: 1, Window: 1}}, Tokens: bearer.Format{Length: -1},
		open: []*openPaths{{Kind: "session"}},
	}
	err := provision(t, g)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, part := range []string{
		"introspection must be", "extended needs", "redis_down", "replicas", "cors_origins", "redis is not", "zone burst",
		"credential: ", "tokens have", "missing closing", "routes with sessions need",
	} {
		if !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "a-secret") {
			t.Errorf("%s is missing in %v", part, err)
		}
	}
}

func TestAnUnknownKindOfPathNeedsAToken(t *testing.T) {
	t.Parallel()

	for _, open := range []*openPaths{
		{Kind: "publik", Paths: []string{"/"}},
		{Paths: []string{"/"}},
		{Kind: "public"},
		{Kind: "public", Paths: []string{"x"}},
		{Kind: "public", Paths: []string{"/*/x"}},
	} {
		if open.Validate() == nil {
			t.Errorf("%+v is accepted", open)
		}
	}
	g := &Gate{open: []*openPaths{{Kind: "publik", Paths: []string{"/x"}}}}
	if got := g.routeOf(request("GET", "/x"), false); got != tokenRoute {
		t.Errorf("route %v", got)
	}
}

func TestIntrospectionIsAURL(t *testing.T) {
	t.Parallel()

	for introspection, ok := range map[string]bool{
		"http://tokens": true, "https://tokens:9082/x": true, "": false, "tokens": false, "ftp://tokens": false,
		"http://":            false,
		"http://user@tokens": false, "http://%zz": false,
	} {
		service, err := newTokensService(Gate{Introspection: introspection})
		if (err == nil) != ok {
			t.Errorf("introspection %q: %v", introspection, err)
		}
		if err == nil {
			service.Close()
		}
	}
}

func TestEqualSubsOfTwoIssuersHaveTwoWindows(t *testing.T) {
	t.Parallel()

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"active":true,"sub":"7","iss":%q}`, r.URL.Query().Get("iss"))
	}))
	defer server.Close()
	for path, want := range map[string]string{
		"/a": "token:" + server.URL + "/a:7", "/a?iss=x": "token:x:7", "/extended": "7",
	} {
		service, err := newTokensService(Gate{Introspection: server.URL + path, Extended: path == "/extended"})
		if err != nil {
			t.Fatal(err)
		}
		result, err := service.introspector.Introspect(t.Context(), "a token")
		if err != nil || result.Lineage != want {
			t.Errorf("%s: %+v, %v, want %s", path, result, err, want)
		}
		service.Close()
	}
}

// newKey returns a new signing key.
func newKey(t *testing.T) string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func TestOriginsAreSchemeAndHost(t *testing.T) {
	t.Parallel()

	if c, err := newCORS(nil); c != nil || err != nil {
		t.Errorf("%v, %v", c, err)
	}
	for _, wrong := range []string{
		"app.example", "https://", "https://App.example", "https://app.example/", "ftp://app.example",
		"https://app.example?x", "https://u@app.example", "http://%zz", "",
	} {
		if _, err := newCORS([]string{"https://good.example", wrong}); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
	some, err := newCORS([]string{"https://app.example", "http://app.example:8080"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := newCORS([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string][3]bool{
		"https://app.example": {true, true}, "http://app.example:8080": {true, true}, "http://app.example": {false, true},
		"": {false, false},
	} {
		if got := [3]bool{some.allows(origin), all.allows(origin), cors(nil).allows(origin)}; got != want {
			t.Errorf("%q: %v", origin, got)
		}
	}
}
