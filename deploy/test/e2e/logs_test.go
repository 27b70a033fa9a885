package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// start starts a stopped program.
func start(t *testing.T, name string) {
	t.Helper()
	if err := stack.Program(name).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func stop(t *testing.T, stopper interface{ Stop() error }) {
	t.Helper()
	if err := stopper.Stop(); err != nil {
		t.Fatal(err)
	}
}

// recovers waits until the token works at both services: within five seconds after the
// end of a fault, without a restart of other programs.
func recovers(t *testing.T, token string) {
	t.Helper()
	eventually(t, 5*time.Second, "recovery of both services", func() bool {
		return do(t, call{path: "/api/v1/shipments", token: token}).status == http.StatusOK &&
			do(t, call{path: "/api/v1/token", token: token}).status == http.StatusOK
	})
}

func TestTokensServiceUnavailableIsNever401(t *testing.T) {
	known, unknown := fresh(t, "shipments:read").Secret, fresh(t, "shipments:read").Secret
	do(t, call{path: "/api/v1/shipments", token: known}).wants(t, http.StatusOK, "")
	stop(t, stack.Program("tokens-svc"))

	do(t, call{path: "/api/v1/shipments", token: known}).wants(t, http.StatusOK, "")
	a := do(t, call{path: "/api/v1/shipments", token: unknown})
	a.wants(t, http.StatusServiceUnavailable, "auth_unavailable")
	if a.header.Get("Retry-After") != "2" || a.header.Get("Www-Authenticate") != "" {
		t.Errorf("503 has %v", a.header)
	}
	a = do(t, call{path: "/api/v1/token", token: known})
	if a.status != http.StatusBadGateway && a.status != http.StatusServiceUnavailable {
		t.Errorf("a route of the stopped service: %d %s", a.status, a.body)
	}

	start(t, "tokens-svc")
	recovers(t, unknown)
}

func TestShipmentsServiceUnavailableIs502Or503(t *testing.T) {
	token := fresh(t, "shipments:read").Secret
	stop(t, stack.Program("shipments-svc"))
	a := do(t, call{path: "/api/v1/shipments", token: token})
	if a.status != http.StatusBadGateway && a.status != http.StatusServiceUnavailable || !strings.HasPrefix(a.problem(t).Code, "upstream_") {
		t.Errorf("%d %s", a.status, a.body)
	}
	start(t, "shipments-svc")
	recovers(t, token)
}

func TestPostgresUnavailableIs503AndKeepsAcknowledgedWrites(t *testing.T) {
	token := fresh(t, "shipments:write").Secret
	a := do(t, call{method: http.MethodPost, path: "/api/v1/shipments", token: token, body: valid})
	a.wants(t, http.StatusCreated, "")
	location := a.header.Get("Location")

	if err := stack.StopPostgres(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []call{
		{path: "/api/v1/shipments", token: token},
		{path: location, token: token},
		{method: http.MethodPost, path: "/api/v1/shipments", token: token, body: valid},
	} {
		a := do(t, c)
		a.wants(t, http.StatusServiceUnavailable, "")
		if a.header.Get("Retry-After") == "" {
			t.Errorf("503 without Retry-After: %v", a.header)
		}
	}
	if err := stack.StartPostgres(t.Context()); err != nil {
		t.Fatal(err)
	}
	recovers(t, token)
	do(t, call{path: location, token: token}).wants(t, http.StatusOK, "")
}

// Requests within the limit pass, without a delay.
func TestWithoutRedisTheGatewayCountsLocally(t *testing.T) {
	token := fresh(t, "shipments:read").Secret
	do(t, call{path: "/api/v1/shipments", token: token}).wants(t, http.StatusOK, "")
	if err := stack.StopRedis(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		begin := time.Now()
		a := do(t, call{path: "/api/v1/shipments", token: token})
		a.wants(t, http.StatusOK, "")
		if took := time.Since(begin); took > time.Second {
			t.Errorf("the answer took %s", took)
		}
		if left := a.header.Get("X-RateLimit-Remaining"); left == "" || left == "100" {
			t.Errorf("%q requests are left", left)
		}
	}
	do(t, call{path: "/api/v1/shipments"}).wants(t, http.StatusUnauthorized, "missing_token")
	if err := stack.StartRedis(t.Context()); err != nil {
		t.Fatal(err)
	}
	recovers(t, token)
}

// Ten seconds is the lifetime of a cache entry.
func TestARevokedTokenIsRefusedWithinTenSeconds(t *testing.T) {
	t.Parallel()
	token := fresh(t, "shipments:read")
	do(t, call{path: "/api/v1/shipments", token: token.Secret}).wants(t, http.StatusOK, "")
	if err := stack.RevokeToken(t.Context(), token.ID); err != nil {
		t.Fatal(err)
	}
	var a answer
	eventually(t, 10*time.Second, "the refusal", func() bool {
		a = do(t, call{path: "/api/v1/shipments", token: token.Secret, from: "127.0.0.105"})
		return a.status == http.StatusUnauthorized
	})
	a.wants(t, http.StatusUnauthorized, "invalid_token")
	if p := a.problem(t); !strings.Contains(p.Detail, "revoked") {
		t.Errorf("got the detail %q, want the reason", p.Detail)
	}
}

// The logs are searched for the demo's tokens, which all tests use, and for tokens
// in paths, parameters and other headers.
func TestLogsContainNoToken(t *testing.T) {
	token := fresh(t, "shipments:read").Secret
	for _, c := range []call{
		{path: "/api/v1/shipments?token=" + token, token: token},
		{path: "/" + token, token: token},
		{path: "/api/v1/shipments/" + token, token: token},
		{path: "/api/v1/shipments", token: token, header: http.Header{
			"X-Api-Key": {token}, "Cookie": {"t=" + token}, "Referer": {"https://x.example/?t=" + token},
		}},
	} {
		send(t, c.request(t), "")
	}
	logs, err := filepath.Glob(filepath.Join(stack.LogDir(), "*.log"))
	if err != nil || len(logs) < 3 {
		t.Fatalf("logs: %v (%v)", logs, err)
	}
	for _, path := range logs {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{token, stack.Demo.Token, stack.Demo.TokenReadOnly, stack.Demo.TokenOtherOrg} {
			for _, piece := range []string{secret[23:31], secret[40:48]} {
				if strings.Contains(string(content), piece) {
					t.Errorf("%s contains a piece of a token's secret", filepath.Base(path))
				}
			}
		}
	}
}
