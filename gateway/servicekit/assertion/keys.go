package assertion

import (
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// demoSeed is the private key of development mode, which is public.
const demoSeed = "demo-gateway-key-for-laptops-xx-"

// Keys are the gateways' public keys.
type Keys struct{ byID map[string]ed25519.PublicKey }

// ParseKeys reads public keys as `openssl pkey -pubout` writes them: PEM blocks, one
// after the other. An empty text has no key.
func ParseKeys(text string) (Keys, error) {
	keys := Keys{byID: map[string]ed25519.PublicKey{}}
	for rest := []byte(strings.TrimSpace(text)); len(rest) > 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "PUBLIC KEY" {
			return Keys{}, errors.New("not PUBLIC KEY blocks in PEM, as `openssl pkey -pubout` writes them")
		}
		parsed, _ := x509.ParsePKIXPublicKey(block.Bytes)
		key, ok := parsed.(ed25519.PublicKey)
		if !ok {
			return Keys{}, fmt.Errorf("public key %d is malformed, or not an Ed25519 key", len(keys.byID)+1)
		}
		if err := keys.add(key); err != nil {
			return Keys{}, err
		}
		rest = []byte(strings.TrimSpace(string(rest)))
	}
	return keys, nil
}

// DevelopmentOnly returns why the keys protect nothing, or "".
func (k Keys) DevelopmentOnly() string {
	if len(k.byID) == 0 {
		return "is not set: without it any client of this port can choose its identity"
	}
	demo := ed25519.NewKeyFromSeed([]byte(demoSeed)).Public().(ed25519.PublicKey)
	for _, key := range k.byID {
		if demo.Equal(key) {
			return "has the built-in key of development mode, which is public"
		}
	}
	return ""
}

// add adds a key under its kid, the thumbprint of RFC 7638.
func (k Keys) add(key ed25519.PublicKey) error {
	sum, err := (&jose.JSONWebKey{Key: key}).Thumbprint(crypto.SHA256)
	if err != nil {
		return err
	}
	k.byID[base64.RawURLEncoding.EncodeToString(sum)] = key
	return nil
}
