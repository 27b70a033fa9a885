package environment

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
)

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

func TestSigningKeyIsNeededUnlessForDevelopment(t *testing.T) {
	t.Parallel()

	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	for _, tt := range []struct {
		key      string
		demo, ok bool
	}{
		{"", false, false}, {"", true, true}, {key, false, true}, {key, true, true}, {"x", true, false},
	} {
		if err := checkKey(tt.key, tt.demo); (err == nil) != tt.ok {
			t.Errorf("%.10q, demo %t: %v", tt.key, tt.demo, err)
		}
	}
}
