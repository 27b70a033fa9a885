package identity

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
)

// demoSeed is what the key of the demo begins with, which is published.
const demoSeed = "demo-"

// ParseKey reads a private key as `openssl genpkey -algorithm ed25519` writes it: PKCS #8 in PEM. Errors
// repeat nothing of it.
func ParseKey(text string) (ed25519.PrivateKey, error) {
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != "PRIVATE KEY" || strings.TrimSpace(string(rest)) != "" {
		return nil, errors.New("not one PRIVATE KEY in PEM, as `openssl genpkey -algorithm ed25519` writes it")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("not a key in PKCS #8")
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("not an Ed25519 key")
	}
	return key, nil
}

// Demo reports whether key is the built-in demo key, which is public.
func Demo(key ed25519.PrivateKey) bool { return strings.HasPrefix(string(key.Seed()), demoSeed) }
