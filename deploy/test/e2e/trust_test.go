package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// At the service's own port a client could claim any address and so avoid the limit
// of sign-in attempts by address.
func TestPagesAreServedThroughTheGatewayOnly(t *testing.T) {
	t.Parallel()
	for i := range 60 {
		form := strings.NewReader("email=nobody%40acme.example&password=wrong-password")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+stack.Program("tokens-svc").Address+"/sign-in", form)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{
			"Content-Type": {"application/x-www-form-urlencoded"}, "X-Client-Address": {fmt.Sprintf("198.51.100.%d", i)},
		}
		if a := send(t, req, ""); a.status != http.StatusUnauthorized || !strings.Contains(string(a.body), `"missing_identity"`) {
			t.Fatalf("attempt %d at the service's port: %d %s", i, a.status, a.body)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stack.URL+"/sign-in", nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := send(t, req, ""); a.status != http.StatusOK {
		t.Errorf("through the gateway: %d %s", a.status, a.body)
	}
}

// The signature is valid only at the service that it was created for.
func TestServicesRefuseIdentityHeadersWithoutTheGatewaysSignature(t *testing.T) {
	t.Parallel()
	mine := fresh(t, "admin")
	for _, service := range []struct{ name, path string }{
		{"shipments-svc", "/api/v1/shipments"},
		{"tokens-svc", "/api/v1/token"},
	} {
		for name, header := range map[string]http.Header{
			"nothing": {},
			"a token": {"Authorization": {"Bearer " + mine.Secret}},
			"an organization": {
				"X-Organization-Id": {stack.Demo.Organization}, "X-Token-Id": {mine.ID}, "X-Token-Permissions": {"admin"},
			},
			"an assertion of its own": {
				"X-Organization-Id": {stack.Demo.Organization}, "X-Token-Id": {mine.ID}, "X-Token-Permissions": {"admin"},
				"X-Gateway-Assertion": {"eyJhbGciOiJub25lIn0.eyJpc3MiOiJxdWF5c2lkZS1nYXRld2F5In0."},
			},
		} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+stack.Program(service.name).Address+service.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = header
			a := send(t, req, "")
			if a.status != http.StatusUnauthorized || !strings.Contains(string(a.body), `"missing_identity"`) {
				t.Errorf("%s with %s: %d %s", service.name, name, a.status, a.body)
			}
		}
	}
}
