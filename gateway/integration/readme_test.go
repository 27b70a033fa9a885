package integration

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documented describes each variable of the shipped Caddyfile. Names and defaults are read from the Caddyfile and its
// routes; the test fails on a name that only one of the two has.
var documented = []struct{ name, meaning string }{
	{"GATEWAY_ADDRESS", "the public listener, `:port`; with `GATEWAY_TLS=auto` followed by the hosts that certificates are obtained for, such as `https://:8080 https://api.example.com:8080`. GATEWAY_BIND has the addresses to listen on"},
	{"GATEWAY_INNER_ADDRESS", "the internal listener, `:port`, with /livez, /readyz and /metrics; another port than the public one's, never published"},
	{"GATEWAY_BIND", "the IP addresses that both listen on, separated by spaces; unset: all"},
	{"GATEWAY_TLS", "`on`: the public listener uses TLS with the certificate of two files; `auto`: with certificates that it obtains; `off`: it does not use TLS, because a load balancer in front terminates it"},
	{"GATEWAY_TLS_CERTIFICATE", "path of the certificate and those above it, in PEM; read again by a reload"},
	{"GATEWAY_TLS_KEY", "path of its private key, in PEM"},
	{"ACME_DIRECTORY", "with `GATEWAY_TLS=auto`: the certificate authority (RFC 8555)"},
	{"ACME_EMAIL", "with `GATEWAY_TLS=auto`: address for the authority's notices about certificates"},
	{"GATEWAY_CREDENTIAL", "**secret**: the gateway's credential at tokens-svc, at least 32 bytes"},
	{"GATEWAY_CREDENTIAL_FILE", "path of a file that holds it instead"},
	{"GATEWAY_SIGNING_KEY", "**secret**: the key that signs assertions: Ed25519, as `openssl genpkey -algorithm ed25519` writes it"},
	{"GATEWAY_SIGNING_KEY_FILE", "path of a file that holds it instead"},
	{"QUAYSIDE_DEMO", "development mode: `true` accepts the built-in demo credential and key, and a missing key. Never enable in production"},
	{"REDIS_URL", "**secret**: Redis, Sentinels or a cluster, see Redis; unset: `redis://127.0.0.1:6379/0`"},
	{"REDIS_URL_FILE", "path of a file that holds it instead"},
	{"REDIS_DOWN", "while Redis is unavailable: `local` (each gateway allows its share of every window), `deny` (503) or `allow` (no limit)"},
	{"GATEWAY_REPLICAS", "the least number of gateways that shares are computed for; they count themselves in Redis, see When Redis is away"},
	{"WINDOWS_MODE", "`enforce`, or `shadow`: requests are counted and responses show the window, but none is refused"},
	{"TOKENS_INTERNAL_URL", "the internal listener of tokens-svc, where tokens are introspected; all addresses of the name are used, looked up each second"},
	{"TOKENS_HOST", "tokens-svc; all addresses of the name are used, looked up each second. An IPv6 address is written in brackets"},
	{"TOKENS_PORT", "its public port"},
	{"SHIPMENTS_HOST", "shipments-svc; all addresses of the name are used, looked up each second. An IPv6 address is written in brackets"},
	{"SHIPMENTS_PORT", "its public port"},
	{"SERVICE_ROUTES", "files with the routes of further services: a path, or a pattern such as `/etc/quayside/services/*.caddy`, or several separated by spaces; unset: none; read again by a reload. See [Routes](#routes)"},
	{"GATEWAY_SHUTDOWN_DELAY", "delay between SIGTERM and draining, at most `1h`, during which /readyz returns 503 and requests are served: the time that a load balancer in front needs to notice"},
	{"TRUSTED_PROXIES", "address ranges, separated by spaces, of the proxies in front whose X-Forwarded-For is trusted; unset: none"},
	{"CORS_ALLOWED_ORIGINS", "origins as browsers write them (lower case, no default port, no wildcard), separated by spaces, whose pages may use the API from a browser: `https://app.example`, or `*` for all; unset: none. Cookies and other credentials of a browser are never allowed"},
	{"DEBUG_ENDPOINTS", "`true`: the internal listener serves profiles at /debug/pprof/ and the state of circuit breakers and caches at /debug/state"},
	{"LOG_LEVEL", "debug, info, warn or error"},
}

const (
	tableBegin = "<!-- config -->\n"
	tableEnd   = "<!-- /config -->\n"
)

func TestREADMEListsTheEnvironment(t *testing.T) {
	t.Parallel()

	routes, err := filepath.Glob("../routes/*.caddy")
	if err != nil || len(routes) == 0 {
		t.Fatalf("%d files of routes, %v", len(routes), err)
	}
	var caddyfile []byte
	for _, path := range append(routes, "../Caddyfile") {
		part, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		caddyfile = append(caddyfile, part...)
	}
	defaults := map[string]string{}
	for _, match := range regexp.MustCompile(`\{\$(\w+):?([^}]*)\}|\{env\.(\w+)\}`).FindAllStringSubmatch(string(caddyfile), -1) {
		defaults[match[1]+match[3]] = match[2]
	}

	var table bytes.Buffer
	table.WriteString("| variable | default | what it is |\n|---|---|---|\n")
	for _, variable := range documented {
		byDefault, used := defaults[variable.name]
		if !used {
			t.Errorf("the Caddyfile does not use %s", variable.name)
		}
		if byDefault != "" {
			byDefault = "`" + byDefault + "`"
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", variable.name, byDefault, variable.meaning)
		delete(defaults, variable.name)
	}
	for name := range defaults {
		t.Errorf("the Caddyfile uses %s, which has no description", name)
	}

	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(readme), tableBegin)
	current, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		t.Fatal("the README lacks the markers of the table")
	}
	if *update {
		if err := os.WriteFile("../README.md", []byte(before+tableBegin+table.String()+tableEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if current != table.String() {
		t.Errorf("the README's table is not\n%s", table.String())
	}
}
