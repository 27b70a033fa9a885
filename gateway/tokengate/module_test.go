package tokengate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

func provision(t *testing.T, g *Gate) error {
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

func credentialFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "credential")
	if err := os.WriteFile(path, []byte(" a-credential-of-forty-bytes-and-two-lines\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReloadKeepsCacheAndConnections(t *testing.T) {
	t.Parallel()

	file := credentialFile(t)
	before, after := &Gate{CredentialFile: file, Demo: "true"}, &Gate{CredentialFile: file, Demo: "true"}
	for _, g := range []*Gate{before, after} {
		if err := provision(t, g); err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); err != nil {
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
	again := &Gate{CredentialFile: file, Demo: "true"}
	if err := provision(t, again); err != nil || again.tokens != after.tokens {
		t.Errorf("the old configuration's end was the end of what the new one uses: %v", err)
	}
	other := &Gate{CredentialFile: file, Demo: "true", Introspection: "http://tokens:9082/internal/v1/introspect"}
	if err := provision(t, other); err != nil || other.tokens == after.tokens {
		t.Errorf("another tokens service shares answers with the first: %v", err)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()

	g := &Gate{CredentialFile: credentialFile(t), Demo: "true", RedisFile: "{env.SURELY_NOT_SET}"}
	if err := provision(t, g); err != nil {
		t.Fatal(err)
	}
	if g.Introspection != defaultIntrospection || g.credential != "a-credential-of-forty-bytes-and-two-lines" {
		t.Errorf("introspection %q, credential %q", g.Introspection, g.credential)
	}
}

func TestSecretsAsTextAreRefused(t *testing.T) {
	t.Parallel()

	const text = "a-credential-of-forty-bytes-on-one-line"
	for name, g := range map[string]*Gate{
		"credential":                 {Credential: text},
		"credential, partly":         {Credential: text + "{env.HOME}"},
		"redis":                      {Redis: "redis://127.0.0.1:6379", CredentialFile: credentialFile(t)},
		"a placeholder of a request": {Credential: "{http.request.header.x}"},
	} {
		err := provision(t, g)
		if err == nil {
			err = g.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), "must be one placeholder") || strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
