package integration

import (
	"fmt"
	"net/http"
	"testing"
)

// A token's list applies to the address of the connection, or to that from a trusted proxy. Headers of clients have no
// effect.
func TestAddressListsMeetTheTrueClientAddress(t *testing.T) {
	t.Parallel()

	tokens := newTokensService(t)
	behindProxy := start(t, options{tokens: tokens})
	atTheDoor := start(t, options{tokens: tokens, env: map[string]string{"TRUSTED_PROXIES": ""}})
	otherProxy := start(t, options{tokens: tokens, env: map[string]string{"TRUSTED_PROXIES": "192.0.2.0/24 2001:db8:ffff::/48"}})
	for _, tt := range []struct {
		name      string
		gateway   *gateway
		list      string
		forwarded string // X-Forwarded-For
		want      int
	}{
		{"v4 range", behindProxy, "198.51.100.0/24", "198.51.100.7", 200},
		{"v4 range, outside", behindProxy, "198.51.100.0/24", "198.51.101.7", 403},
		{"v4 address", behindProxy, "198.51.100.7", "198.51.100.7", 200},
		{"v4 address, its neighbour", behindProxy, "198.51.100.7", "198.51.100.8", 403},
		{"v6 range", behindProxy, "2001:db8:1::/48", "2001:DB8:1::7", 200},
		{"v6 range, outside", behindProxy, "2001:db8:1::/48", "2001:db8:2::7", 403},
		{"v6 address, its neighbour in the /64", behindProxy, "2001:db8:1::7", "2001:db8:1::8", 403},
		{"v4 mapped into v6, v4 range", behindProxy, "198.51.100.0/24", "::ffff:198.51.100.7", 200},
		{"v4 mapped in hexadecimal", behindProxy, "198.51.100.0/24", "::ffff:c633:6407", 200},
		{"v4, mapped range", behindProxy, "::ffff:198.51.100.0/120", "198.51.100.7", 200},
		{"v4, all of v6", behindProxy, "::/0", "198.51.100.7", 403},
		{"v6, all of v4", behindProxy, "0.0.0.0/0", "2001:db8::7", 403},
		{"v4 in v6 by another mapping", behindProxy, "198.51.100.0/24", "64:ff9b::c633:6407", 403},
		{"the client's claim, before what the proxy saw", behindProxy, "198.51.100.0/24", "198.51.100.7, 203.0.113.9", 403},
		{"the proxy itself", behindProxy, "127.0.0.1", "198.51.100.7", 403},
		{"no proxy", behindProxy, "127.0.0.1", "", 200},
		{"a claim at the door", atTheDoor, "198.51.100.0/24", "198.51.100.7", 403},
		{"the true address at the door", atTheDoor, "127.0.0.0/8", "198.51.100.7", 200},
		{"a claim of being a trusted proxy", otherProxy, "198.51.100.0/24", "198.51.100.7, 192.0.2.1", 403},
		{"the address of a client that claims another", otherProxy, "::ffff:127.0.0.1", "198.51.100.7, 192.0.2.1", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			token, _ := tokens.create(fmt.Sprintf(`,"ip_allow":["203.0.113.200/32",%q]`, tt.list))
			request := tt.gateway.request(t, "/api/v1/shipments", tt.forwarded, token)
			if tt.forwarded == "" {
				request.Header.Del("X-Forwarded-For")
			}
			// Other headers that some proxies and frameworks use.
			for _, name := range []string{"Forwarded", "X-Real-Ip", "X-Client-Address", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "X-Forwarded"} {
				request.Header.Set(name, "203.0.113.200")
			}
			a := tt.gateway.do(t, request)
			if a.StatusCode == http.StatusTooManyRequests && tt.want == http.StatusForbidden {
				return // refused, and not for the first time: these addresses are the same in each run
			}
			if a.StatusCode != tt.want || tt.want == http.StatusForbidden && a.problem(t)["code"] != "address_not_allowed" {
				t.Errorf("%s %s", a.Status, a.body)
			}
		})
	}
}
