package config

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/settings"
)

// TestServingTakesTheGatewaysKeys: without them assertions are not verified, which is
// for development only.
func TestServingTakesTheGatewaysKeys(t *testing.T) {
	t.Parallel()
	const (
		own = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\n-----END " +
			"PUBLIC KEY-----\n"
		demo = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGSR5YkoVpZ8WWNdLyJogt74qjaAM/p9D+qgUXM3knXA=\n-----END " +
			"PUBLIC KEY-----\n"
	)
	for name, c := range map[string]struct {
		cfg  Settings
		want string // in the error; none when empty
	}{
		"a key":              {Settings{Service: settings.Service{GatewayPublicKeys: own}}, ""},
		"none":               {Settings{}, "is not set"},
		"none, on a laptop":  {Settings{Service: settings.Service{Demo: true}}, ""},
		"the demo's":         {Settings{Service: settings.Service{GatewayPublicKeys: demo}}, "is public"},
		"the demo's, laptop": {Settings{Service: settings.Service{GatewayPublicKeys: demo, Demo: true}}, ""},
		"garbage on a laptop": {
			Settings{Service: settings.Service{GatewayPublicKeys: "garbage", Demo: true}},
			"openssl pkey -pubout",
		},
	} {
		err := Gateways(&Config{Settings: c.cfg})
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
		cfg  Settings
		want string // in the error; none when empty
	}{
		"a key":              {Settings{WebhookKeys: own}, ""},
		"none, on a laptop":  {Settings{Service: settings.Service{Demo: true}}, "openssl rand"},
		"the demo's":         {Settings{WebhookKeys: demo}, "demo key"},
		"the demo's, laptop": {Settings{WebhookKeys: demo, Service: settings.Service{Demo: true}}, ""},
		"a short one":        {Settings{WebhookKeys: key("hunter2")}, "at least 32"},
	} {
		err := Webhooks(&Config{Settings: c.cfg})
		if (err == nil) != (c.want == "") ||
			err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
