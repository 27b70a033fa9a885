package tokengate

import (
	"context"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

func provision(t testing.TB, g *Gate) error {
	t.Helper()
	ctx, cancel := caddy.NewContext(caddy.Context{Context: context.Background()})
	t.Cleanup(cancel)
	t.Cleanup(func() {
		if err := g.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	return g.Provision(ctx)
}

func TestReloadKeepsCacheAndConnections(t *testing.T) {
	t.Parallel()

	before, after := &Gate{Introspection: "https://tokens/x"}, &Gate{Introspection: "https://tokens/x"}
	for _, g := range []*Gate{before, after} {
		if err := provision(t, g); err != nil {
			t.Fatal(err)
		}
	}
	if before.tokens != after.tokens || before.windows != after.windows {
		t.Error("a gate of the same settings starts anew")
	}
	// As Caddy does it: the new configuration is there before the old one is cleaned up.
	if err := before.Cleanup(); err != nil {
		t.Fatal(err)
	}
	again := &Gate{Introspection: "https://tokens/x"}
	if err := provision(t, again); err != nil || again.tokens != after.tokens {
		t.Errorf("the old configuration's end was the end of what the new one uses: %v", err)
	}
	other := &Gate{Introspection: "https://tokens/x", ClientID: "other"}
	if err := provision(t, other); err != nil || other.tokens == after.tokens {
		t.Errorf("another tokens service shares answers with the first: %v", err)
	}
}
