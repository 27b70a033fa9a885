package health_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/internal/health"
)

func TestCheckAcceptsOnlyStatus200(t *testing.T) {
	t.Parallel()

	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("requested %s", r.URL.Path)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	for _, spelt := range []string{address, ":" + port} {
		if err := health.Check(t.Context(), spelt, "/readyz"); err != nil {
			t.Errorf("%s: %v", spelt, err)
		}
	}
	status = http.StatusServiceUnavailable
	if err := health.Check(t.Context(), address, "/readyz"); err == nil {
		t.Error("503 is taken for ready")
	}
	server.Close()
	if err := health.Check(t.Context(), address, "/readyz"); err == nil {
		t.Error("an address without a listener is ready")
	}
	if err := health.Check(t.Context(), "9080", "/readyz"); err == nil {
		t.Error("an address without a port is accepted")
	}
}

func TestAddressIsWhereTheGatewayListens(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct{ inner, bind, want string }{
		{"", "", ":9080"},
		{":19080", "", ":19080"},
		{"", "127.0.0.1", "127.0.0.1:9080"},
		{":19080", " 10.0.0.5 [::1]", "10.0.0.5:19080"},
		{":19080", "[::1]", "[::1]:19080"},
	} {
		if got := health.Address(tt.inner, tt.bind); got != tt.want {
			t.Errorf("Address(%q, %q) = %q, want %q", tt.inner, tt.bind, got, tt.want)
		}
	}
}
