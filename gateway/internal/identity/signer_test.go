package identity_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/internal/identity"
)

var update = flag.Bool("update", false, "rewrite the assertions in testdata/contract")

// The assertions of a token, a person and a page.
const (
	tokenGolden  = "assertion.json"
	personGolden = "person_assertion.json"
	pageGolden   = "page_assertion.json"
)

func goldenPath(name string) string { return filepath.Join("../../testdata/contract", name) }

// golden is one assertion that the services' tests verify.
type golden struct {
	Seed         string    `json:"seed"` // the private key of RFC 8032, in hexadecimal
	At           time.Time `json:"at"`
	Audience     string    `json:"audience"`
	Token        string    `json:"token,omitempty"`
	User         string    `json:"user,omitempty"`
	Name         string    `json:"name,omitempty"`
	AuthTime     int64     `json:"auth_time,omitempty"`
	Session      string    `json:"session,omitempty"`
	Organization string    `json:"organization,omitempty"`
	Permissions  string    `json:"permissions,omitempty"`
	Client       string    `json:"client,omitempty"`
	Assertion    string    `json:"assertion"`

	OrganizationName string `json:"organization_name,omitempty"`
}

func (g golden) caller() identity.Caller {
	return identity.Caller{
		Subject: g.Token + g.User, OrganizationID: g.Organization, Permissions: g.Permissions,
		Name: g.Name, OrganizationName: g.OrganizationName, SessionID: g.Session, AuthTime: g.AuthTime,
		ClientAddress: g.Client,
	}
}

func read(t *testing.T, name string) golden {
	t.Helper()
	content, err := os.ReadFile(goldenPath(name))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(content, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// clock is a time that tests set.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func newSigner(t *testing.T, g golden, now func() time.Time) *identity.Signer {
	t.Helper()
	seed, err := hex.DecodeString(g.Seed)
	if err != nil {
		t.Fatal(err)
	}
	s, err := identity.NewSigner(ed25519.NewKeyFromSeed(seed), "quayside-gateway", now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func assert(t *testing.T, s *identity.Signer, audience string, caller identity.Caller) string {
	t.Helper()
	text, err := s.Assertion(audience, caller)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheContractsAssertionsAreMade(t *testing.T) {
	t.Parallel()
	for _, name := range []string{tokenGolden, personGolden, pageGolden} {
		g := read(t, name)
		got := assert(t, newSigner(t, g, func() time.Time { return g.At }), g.Audience, g.caller())
		if got == g.Assertion {
			continue
		}
		if !*update {
			t.Errorf("%s: the assertion is\n%s, want\n%s", name, got, g.Assertion)
			continue
		}
		g.Assertion = got
		content, err := json.MarshalIndent(g, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(goldenPath(name), append(content, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnAssertionIsHandedOutAgainForHalfItsLife(t *testing.T) {
	t.Parallel()
	g := read(t, tokenGolden)
	at := &clock{g.At}
	s := newSigner(t, g, at.Now)
	first := assert(t, s, g.Audience, g.caller())
	at.now = g.At.Add(identity.Lifetime/2 - time.Millisecond)
	if assert(t, s, g.Audience, g.caller()) != first {
		t.Error("it was signed again too soon")
	}
	at.now = g.At.Add(identity.Lifetime / 2)
	if assert(t, s, g.Audience, g.caller()) == first {
		t.Error("it was handed out in the second half of its life")
	}
}

func TestEachPrincipalAndAudienceHasItsOwnAssertion(t *testing.T) {
	t.Parallel()
	g := read(t, tokenGolden)
	s := newSigner(t, g, func() time.Time { return g.At })
	page := identity.Caller{ClientAddress: "192.0.2.7"}
	seen := map[string]bool{assert(t, s, g.Audience, g.caller()): true}
	for _, other := range []struct {
		audience string
		caller   identity.Caller
	}{
		{"tokens-svc", g.caller()},
		{g.Audience, identity.Caller{
			Subject: "tok_000000000001", OrganizationID: g.Organization,
			Permissions: g.Permissions,
		}},
		{g.Audience, identity.Caller{
			Subject: g.Token, OrganizationID: "org_01k9x3v7t2e8sbq4m6n0pacdfh",
			Permissions: g.Permissions,
		}},
		{g.Audience, identity.Caller{Subject: g.Token, OrganizationID: g.Organization, Permissions: "shipments:read"}},
		{g.Audience, page},
		{"tokens-svc", page},
		{g.Audience, identity.Caller{ClientAddress: "192.0.2.8"}},
	} {
		text := assert(t, s, other.audience, other.caller)
		if seen[text] {
			t.Errorf("%+v has an assertion of another", other)
		}
		seen[text] = true
	}
}

func TestKeysAreEd25519InPKCS8(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed([]byte("demo-key-of-thirty-two-bytes-abc"))
	good := encode(t, "PRIVATE KEY", key)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	if parsed, err := identity.ParseKey(good); err != nil || !parsed.Equal(key) || !identity.Demo(parsed) {
		t.Errorf("a good key: %v", err)
	}
	if identity.Demo(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))) {
		t.Error("a private key is taken for the demo's")
	}
	for name, text := range map[string]string{
		"nothing":       "",
		"no PEM":        "MC4CAQAwBQYDK2VwBCIEIA",
		"two keys":      good + good,
		"an RSA key":    encode(t, "PRIVATE KEY", other),
		"another label": strings.ReplaceAll(good, "PRIVATE", "PUBLIC"),
		"cut short":     string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte{48, 46}})),
	} {
		if _, err := identity.ParseKey(text); err == nil {
			t.Errorf("%s was taken for a key", name)
		} else if len(text) > 0 && strings.Contains(err.Error(), text) {
			t.Errorf("%s: the key is in the error: %v", name, err)
		}
	}
}

func encode(t *testing.T, label string, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der}))
}

func BenchmarkAssertionOfABusyToken(b *testing.B) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	s, err := identity.NewSigner(key, "quayside-gateway", time.Now)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	caller := identity.Caller{
		Subject: "tok_4fZyo82mVyR1", OrganizationID: "org_01k9x3v7t2e8sbq4m6n0pacdfg",
		Permissions: "shipments:read",
	}
	for b.Loop() {
		if _, err := s.Assertion("shipments-svc", caller); err != nil {
			b.Fatal(err)
		}
	}
}
