package config

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestServingTakesTheGatewaysKeys: without them every client that reaches the port would
// be believed, which is for laptops.
func TestServingTakesTheGatewaysKeys(t *testing.T) {
	t.Parallel()
	const (
		own  = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\n-----END PUBLIC KEY-----\n"
		demo = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGSR5YkoVpZ8WWNdLyJogt74qjaAM/p9D+qgUXM3knXA=\n-----END PUBLIC KEY-----\n"
	)
	for name, c := range map[string]struct {
		cfg  Config
		want string // in the error; none when empty
	}{
		"a key":               {Config{GatewayPublicKeys: own}, ""},
		"none":                {Config{}, "is not set"},
		"none, on a laptop":   {Config{Demo: true}, ""},
		"the demo's":          {Config{GatewayPublicKeys: demo}, "is public"},
		"the demo's, laptop":  {Config{GatewayPublicKeys: demo, Demo: true}, ""},
		"garbage on a laptop": {Config{GatewayPublicKeys: "garbage", Demo: true}, "openssl pkey -pubout"},
	} {
		_, err := c.cfg.GatewayKeys()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestServingTakesKeysForWebhookSecrets of one's own, even on a laptop.
func TestServingTakesKeysForWebhookSecrets(t *testing.T) {
	t.Parallel()
	key := func(text string) string { return "1:" + base64.StdEncoding.EncodeToString([]byte(text)) }
	own, demo := key("hunter2 hunter2 hunter2 hunter2."), key("demo-webhook-key-for-laptops-xxx")
	for name, c := range map[string]struct {
		cfg  Config
		want string // in the error; none when empty
	}{
		"a key":              {Config{WebhookKeys: own}, ""},
		"none, on a laptop":  {Config{Demo: true}, "openssl rand"},
		"the demo's":         {Config{WebhookKeys: demo}, "demo key"},
		"the demo's, laptop": {Config{WebhookKeys: demo, Demo: true}, ""},
		"a short one":        {Config{WebhookKeys: key("hunter2")}, "exactly 32"},
	} {
		_, err := c.cfg.SealingKeys()
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
