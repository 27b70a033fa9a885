package health_test

import (
	"testing"

	"github.com/quayside/quayside/gateway/internal/caddy/health"
)

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
