package tokengate

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func TestEnforcementSettings(t *testing.T) {
	t.Setenv("REPLICAS_OF_TEST", "3")
	for _, tt := range []struct {
		gate Gate
		want enforcement
		text string // of the error
	}{
		{Gate{}, enforcement{ratelimit.Options{Down: ratelimit.DownLocal, Replicas: 1}, false}, ""},
		{
			Gate{RedisDown: "deny", Replicas: "{env.REPLICAS_OF_TEST}", Mode: "shadow"},
			enforcement{ratelimit.Options{Down: ratelimit.DownDeny, Replicas: 3}, true},
			"",
		},
		{
			Gate{RedisDown: "allow", Replicas: "{env.SURELY_NOT_SET}", Mode: "enforce"},
			enforcement{ratelimit.Options{Down: ratelimit.DownAllow, Replicas: 1}, false},
			"",
		},
		{gate: Gate{RedisDown: "open"}, text: `redis_down is "open"`},
		{gate: Gate{Replicas: "0"}, text: `replicas is "0"`},
		{gate: Gate{Replicas: "two"}, text: `replicas is "two"`},
		{gate: Gate{Mode: "off"}, text: `mode is "off"`},
	} {
		got, err := tt.gate.readEnforcement(caddy.NewReplacer())
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
