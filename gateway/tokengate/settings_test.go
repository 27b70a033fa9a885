package tokengate

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"reflect"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func TestSettingsAreReadFromTheCaddyfile(t *testing.T) {
	t.Parallel()

	got := new(Gate)
	err := got.UnmarshalCaddyfile(caddyfile.NewTestDispenser(`token_gate {
		introspection a
		credential b
		signing_key d
		redis f
		redis_down h
		replicas i
		cors_origins o p
		issuer s
		demo t
	}`))
	want := &Gate{
		Introspection: "a", Credential: "b", SigningKey: "d", Redis: "f", RedisDown: "h", Replicas: "i",
		CORSOrigins: []string{"o", "p"}, Issuer: "s", Demo: "t",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{
		"token_gate x", "token_gate {\nunknown x\n}", "token_gate {\nissuer\n}", "token_gate {\nissuer a b\n}",
		"token_gate {\nissuer a\nissuer a\n}",
	} {
		if err := new(Gate).UnmarshalCaddyfile(caddyfile.NewTestDispenser(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestInvalidSettingsAreReportedTogether(t *testing.T) {
	t.Parallel()

	g := &Gate{
		Introspection: "ftp://tokens", RedisDown: "x", Replicas: "0",
		CORSOrigins: []string{"https://app.example/"}, Redis: "a-secret", Demo: "maybe",
	}
	err := provision(t, g)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, part := range []string{
		"introspection must be", "redis_down", "replicas", "cors_origins", "demo is", "REDIS_URL is not",
		"signing key is missing", "credential is missing",
	} {
		if !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "a-secret") {
			t.Errorf("%s is missing in %v", part, err)
		}
	}
}

// An unset variable is not the default: a misspelt REDIS_DOWN=deny would allow what it is to refuse.
func TestPlaceholdersWithoutAValueAreErrors(t *testing.T) {
	t.Parallel()

	for name, g := range map[string]*Gate{
		"redis": {Redis: "{env.TYPO}"}, "redis_down": {RedisDown: "{env.TYPO}"}, "replicas": {Replicas: "{env.TYPO}"},
		"introspection": {Introspection: "http://{unknown}"}, "issuer": {Issuer: "{env.TYPO}"}, "demo": {Demo: "{env.TYPO}"},
	} {
		g.Credential = testCredential
		if g.Demo == "" {
			g.Demo = "true"
		}
		if err := provision(t, g); err == nil || !strings.Contains(err.Error(), "placeholder") {
			t.Errorf("%s: %v", name, err)
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
		service, err := newTokensService(tokensServiceKey{introspection: introspection})
		if (err == nil) != ok {
			t.Errorf("introspection %q: %v", introspection, err)
		}
		if err == nil {
			_ = service.Destruct()
		}
	}
}

func TestCredentialIsLongPrintableAndNotTheDemos(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("x", minCredentialBytes)
	for _, tt := range []struct {
		credential string
		demo, ok   bool
	}{
		{long, false, true},
		{"!~" + long, false, true},
		{"", true, false},
		{long[1:], true, false},
		{long + " ", true, false},
		{long + "\x7f", true, false},
		{"demo-" + long, false, false},
		{"demo-" + long, true, true},
	} {
		if err := checkCredential(tt.credential, tt.demo); (err == nil) != tt.ok {
			t.Errorf("%q, demo %t: %v", tt.credential, tt.demo, err)
		}
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

func TestSigningKeyIsNeededUnlessForDevelopment(t *testing.T) {
	t.Parallel()

	key := newKey(t)
	for _, tt := range []struct {
		key       string
		demo      bool
		ok, isSet bool
	}{
		{"", false, false, false},
		{"", true, true, false},
		{key, false, true, true},
		{key, true, true, true},
		{"x", true, false, false},
	} {
		signer, err := newSigner(tt.key, "gateway", tt.demo)
		if (err == nil) != tt.ok || (signer != nil) != tt.isSet {
			t.Errorf("%.10q, demo %t: %v", tt.key, tt.demo, err)
		}
		if signer != nil {
			signer.Close()
		}
	}
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

func TestLimiterOptions(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		down, replicas string
		want           ratelimit.Options
		text           string // of the error
	}{
		{"", "1", ratelimit.Options{Replicas: 1}, ""},
		{"deny", "3", ratelimit.Options{Down: ratelimit.DownDeny, Replicas: 3}, ""},
		{down: "open", replicas: "1", text: `redis_down is "open"`},
		{replicas: "0", text: `replicas is "0"`},
		{replicas: "two", text: `replicas is "two"`},
	} {
		got, err := limiterOptions(tt.down, tt.replicas)
		switch {
		case tt.text != "":
			if err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%+v: %v", tt, err)
			}
		case err != nil || got != tt.want:
			t.Errorf("%+v: %+v, %v", tt, got, err)
		}
	}
}
