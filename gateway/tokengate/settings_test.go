package tokengate

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func TestSettingsAreReadFromTheCaddyfile(t *testing.T) {
	t.Parallel()

	got := new(Gate)
	err := got.UnmarshalCaddyfile(caddyfile.NewTestDispenser(`token_gate {
		introspection a
		credential b
		credential_file c
		signing_key d
		signing_key_file e
		redis f
		redis_file g
		redis_down h
		replicas i
		cors_origins o p
		issuer s
		demo t
	}`))
	want := &Gate{
		Introspection: "a", Credential: "b", CredentialFile: "c", SigningKey: "d", SigningKeyFile: "e", Redis: "f",
		RedisFile: "g",
		RedisDown: "h", Replicas: "i",
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
		CORSOrigins: []string{"https://app.example/"}, CredentialFile: filepath.Join(t.TempDir(), "none"),
		SigningKeyFile: filepath.Join(t.TempDir(), "none"), RedisFile: filepath.Join(t.TempDir(), "none"),
	}
	err := provision(t, g)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, part := range []string{
		"introspection must be", "redis_down", "replicas", "cors_origins", "credential_file",
		"signing_key_file", "redis_file", "credential is missing",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s is missing in %v", part, err)
		}
	}
}

func TestIntrospectionIsAURL(t *testing.T) {
	t.Parallel()

	const credential = "a-credential-of-more-than-32-bytes"
	for introspection, ok := range map[string]bool{
		"http://tokens": true, "https://tokens:9082/x": true, "": false, "tokens": false, "ftp://tokens": false,
		"http://":            false,
		"http://user@tokens": false, "http://%zz": false,
	} {
		g := &Gate{Introspection: introspection, credential: credential}
		if err := g.Validate(); (err == nil) != ok {
			t.Errorf("introspection %q: %v", introspection, err)
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

func TestSecretIsThatOfAPlaceholderOrOfAFile(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	for name, content := range map[string]string{
		"full": " \nsecret\n", "empty": " \n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ reference, path, want, err string }{
		{"", "", "", ""},
		{" value\n", "", "value", ""},
		{"", filepath.Join(dir, "full"), "secret", ""},
		{"{env.SURELY_NOT_SET}", filepath.Join(dir, "full"), "secret", ""},
		{"value", "{env.SURELY_NOT_SET}", "value", ""},
		{"value", filepath.Join(dir, "full"), "", "x and x_file, which is "},
		{"", filepath.Join(dir, "empty"), "", "is empty"},
		{"", filepath.Join(dir, "none"), "", "x_file"},
	} {
		got, err := secret(caddy.NewReplacer(), "x", tt.reference, tt.path)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil &&
			(!strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "value")) {
			t.Errorf("%q, %q: %q, %v", tt.reference, tt.path, got, err)
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
		key        string
		demo       bool
		ok, signer bool
	}{
		{"", false, false, false},
		{"", true, true, false},
		{key, false, true, true},
		{key, true, true, true},
		{"x", true, false, false},
	} {
		g := &Gate{Issuer: "gateway", demo: tt.demo}
		err := g.provisionSigner(tt.key)
		if (err == nil) != tt.ok || (g.signer != nil) != tt.signer || len(g.release) != 0 != tt.signer {
			t.Errorf("%.10q, demo %t: %v, %v", tt.key, tt.demo, g.signer, err)
		}
		if err := g.Cleanup(); err != nil {
			t.Error(err)
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
		if got := [3]bool{some.allows(origin), all.allows(origin), (*cors)(nil).allows(origin)}; got != want {
			t.Errorf("%q: %v", origin, got)
		}
	}
}

func TestLimiterOptions(t *testing.T) {
	t.Setenv("REPLICAS_OF_TEST", "3")
	for _, tt := range []struct {
		gate Gate
		want ratelimit.Options
		text string // of the error
	}{
		{Gate{}, ratelimit.Options{Down: ratelimit.DownLocal, Replicas: 1}, ""},
		{
			Gate{RedisDown: "deny", Replicas: "{env.REPLICAS_OF_TEST}"},
			ratelimit.Options{Down: ratelimit.DownDeny, Replicas: 3},
			"",
		},
		{
			Gate{RedisDown: "allow", Replicas: "{env.SURELY_NOT_SET}"},
			ratelimit.Options{Down: ratelimit.DownAllow, Replicas: 1},
			"",
		},
		{gate: Gate{RedisDown: "open"}, text: `redis_down is "open"`},
		{gate: Gate{Replicas: "0"}, text: `replicas is "0"`},
		{gate: Gate{Replicas: "two"}, text: `replicas is "two"`},
	} {
		got, err := tt.gate.limiterOptions(caddy.NewReplacer())
		switch {
		case tt.text != "":
			if err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%+v: %v, want %s", tt.gate, err, tt.text)
			}
		case err != nil || got != tt.want:
			t.Errorf("%+v: %+v, %v", tt.gate, got, err)
		}
	}
}
