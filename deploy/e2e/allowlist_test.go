package e2e

import (
	"net/http"
	"testing"
)

// proxy is an address that the stack under test trusts as a proxy in front of
// the gateway.
const proxy = "127.0.0.200"

// The address is that of the connection or the one that a trusted proxy reports, in
// any notation. Headers of other clients are ignored.
func TestATokenWorksFromItsAddressesOnly(t *testing.T) {
	t.Parallel()
	token := fresh(t, "shipments:read", "--ip-allow", "127.0.0.110,192.0.2.0/24,2001:db8::/32").Secret
	forwarded := func(by string) http.Header { return http.Header{"X-Forwarded-For": {by}} }
	for _, c := range []struct {
		name, from string
		header     http.Header
		status     int
	}{
		{"an address of the list", "127.0.0.110", nil, http.StatusOK},
		{"another", "127.0.0.112", nil, http.StatusForbidden},
		{"in a range, through a trusted proxy", proxy, forwarded("192.0.2.77"), http.StatusOK},
		{"mapped into IPv6, through a trusted proxy", proxy, forwarded("::ffff:192.0.2.77"), http.StatusOK},
		{"in a range of IPv6, through a trusted proxy", proxy, forwarded("2001:db8:1::9"), http.StatusOK},
		{"beside a range of IPv6, through a trusted proxy", proxy, forwarded("2001:db9::9"), http.StatusForbidden},
		{"the address that the trusted proxy received", proxy, forwarded("192.0.2.77, 198.51.100.1"), http.StatusForbidden},
		{"the address that a client claims", "127.0.0.112", forwarded("192.0.2.77"), http.StatusForbidden},
		{"the address that a client claims in another header", "127.0.0.112", http.Header{
			"X-Client-Address": {"192.0.2.77"}, "X-Real-Ip": {"192.0.2.77"}, "Forwarded": {"for=192.0.2.77"},
		}, http.StatusForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := do(t, call{path: "/api/v1/token", token: token, from: c.from, header: c.header})
			if c.status == http.StatusOK {
				a.wants(t, http.StatusOK, "")
				return
			}
			a.wants(t, c.status, "address_not_allowed")
			if policy := a.header.Get("Ratelimit-Policy"); policy != `"address";q=100;w=60` {
				t.Errorf("charged is %s, not the address", policy)
			}
		})
	}
}
