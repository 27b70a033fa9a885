package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
