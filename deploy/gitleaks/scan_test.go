// Package gitleaks ships the rule by which secret scanners know a token of
// ours, and proves with the real scanner that it finds tokens and nothing else,
// and that this repository holds none.
package gitleaks

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scanner is the path of gitleaks, built from the version that
// deploy/tools/gitleaks pins.
var scanner string

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "quayside-gitleaks-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	scanner = filepath.Join(dir, "gitleaks")
	build := exec.Command("go", "build", "-C", "../tools/gitleaks", "-o", scanner, "github.com/zricethezav/gitleaks/v8")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build gitleaks: %w:\n%s", err, out)
	}
	return m.Run(), nil
}

type finding struct{ RuleID, File, Secret string }

// scan runs gitleaks over a directory as a user would.
func scan(t *testing.T, config, dir string) (found []finding) {
	t.Helper()
	config, err := filepath.Abs(config)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), scanner, "dir", "--config", config,
		"--no-banner", "--exit-code", "0", "--report-format", "json", "--report-path", "-", ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gitleaks: %v\n%s", err, &stderr)
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v: %.200s", err, out)
	}
	return found
}

// newToken makes a token as tokens-svc does.
func newToken(env string) string {
	text := "shpt_" + env + "_" + random(12) + "_" + random(32)
	sum := crc32.ChecksumIEEE([]byte(text))
	check := make([]byte, 6)
	for i := range check {
		check[len(check)-1-i] = base62[sum%62]
		sum /= 62
	}
	return text + string(check)
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	for i := range b {
		b[i] = base62[int(b[i])%len(base62)] // uneven, which a scanner does not mind
	}
	return string(b)
}

func TestTokensInAnyFileAreFound(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"main.go":      `const token = "%s"`,
		".env":         "QUAYSIDE_TOKEN=%s\n",
		"config.json":  `{"quayside":{"token":"%s"}}`,
		"app.log":      `{"level":"debug","msg":"request","header":"Authorization: Bearer %s"}`,
		"ci.yaml":      "env:\n  TOKEN: %s # works until spring\n",
		"call.sh":      "curl -H 'Authorization: Bearer %s' https://api.example/api/v1/shipments",
		"history.txt":  "https://api.example/?token=Bearer%%20%s&page=1",
		"escaped.json": `{"mail":"here it is:\n%s\nbye"}`,
		"end.txt":      "%s",
		"ERP.properties": "# from Settings\r\napi.token = %s\r\n" +
			"api.url = https://api.example\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, env := range []string{"live", "test"} {
				dir, token := t.TempDir(), newToken(env)
				plant(t, dir, name, fmt.Sprintf(content, token))
				var secrets []string
				for _, f := range scan(t, "quayside.toml", dir) {
					if f.RuleID == "quayside-api-token" {
						secrets = append(secrets, f.Secret)
					}
				}
				// Percent-encoded text is also scanned decoded.
				if secrets = slices.Compact(secrets); len(secrets) != 1 || secrets[0] != token {
					t.Errorf("found %q, want %q", secrets, token)
				}
			}
		})
	}
}

func TestTextsThatAreNoTokensAreNotFound(t *testing.T) {
	t.Parallel()
	token := newToken("live")
	public, rest := token[:23], token[23:]
	for name, content := range map[string]string{
		"public part":      "token " + public + "… was used from 192.0.2.1",
		"id":               `{"token_id":"tok_` + token[10:22] + `","X-Token-ID":"tok_` + token[10:22] + `"}`,
		"one short":        "TOKEN=" + token[:60],
		"one long":         "TOKEN=" + token + "x",
		"another env":      "TOKEN=" + strings.Replace(token, "live", "prod", 1),
		"another alphabet": "TOKEN=" + public + "-" + rest[1:],
		"another prefix":   "TOKEN=" + strings.Replace(token, "shpt", "ship", 1),
		"placeholder": "TOKEN=shpt_live_xxxxxxxxxxxx_" + strings.Repeat("x", 38) +
			"\nTOKEN=shpt_test_" + strings.Repeat("0", 12) + "_" + strings.Repeat("0", 38) +
			"\nTOKEN=shpt_live_…\nTOKEN=shpt_<env>_<id>_<secret><checksum>\n",
		"variable": `curl -H "Authorization: Bearer $QUAYSIDE_TOKEN" "$QUAYSIDE_URL/api/v1/shipments"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			plant(t, dir, "notes.txt", content)
			for _, f := range scan(t, "quayside.toml", dir) {
				// A key that looks random is the general rules' business, whatever its prefix.
				if f.RuleID != "generic-api-key" {
					t.Errorf("%s in %q", f.RuleID, content)
				}
			}
		})
	}
}

func TestATokensIDIsNoSecretToTheGeneralRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plant(t, dir, "headers.json", `{"X-Token-ID": "tok_`+random(12)+`"}`)
	if found := scan(t, "quayside.toml", dir); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}

// TestThisRepositoryHoldsNoSecret scans what lies in the checkout, committed
// or about to be.
func TestThisRepositoryHoldsNoSecret(t *testing.T) {
	t.Parallel()
	for _, f := range scan(t, "../../.gitleaks.toml", "../..") {
		t.Errorf("%s: %s: %.30s…", f.File, f.RuleID, f.Secret)
	}
}

// TestTheRepositorysAllowancesCoverNoRealToken: a token in a test's data is
// still a token.
func TestTheRepositorysAllowancesCoverNoRealToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rules, err := os.ReadFile("quayside.toml")
	if err != nil {
		t.Fatal(err)
	}
	plant(t, dir, "deploy/gitleaks/quayside.toml", string(rules))
	for _, name := range []string{"x_test.go", "gateway/testdata/contract/tokens.json", "README.md"} {
		plant(t, dir, name, "token = '"+newToken("live")+"'")
	}
	if found := scan(t, "../../.gitleaks.toml", dir); len(found) != 3 {
		t.Errorf("found %+v, want one in each of three files", found)
	}
}

func plant(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
