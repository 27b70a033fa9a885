package webhooks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
)

// secretPrefix is the prefix of secrets of Standard Webhooks.
const secretPrefix = "whsec_"

// Secret is the key of an endpoint's signatures. It prints as its prefix.
type Secret [32]byte

// newSecret returns a random secret.
func newSecret() (s Secret) {
	_, _ = rand.Read(s[:]) // never fails
	return s
}

// Reveal returns the secret's text.
func (s Secret) Reveal() string {
	return secretPrefix + base64.StdEncoding.EncodeToString(s[:])
}

// Sign returns the webhook-signature of a message with this id and Unix time.
func (s Secret) Sign(id string, timestamp int64, body []byte) string {
	mac := hmac.New(sha256.New, s[:])
	_, _ = fmt.Fprintf(mac, "%s.%d.%s", id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Format implements fmt.Formatter, so that no verb shows the secret.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, secretPrefix+"…") }
