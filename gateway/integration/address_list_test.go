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
	for _, tt := range []struct {
		name      string
		gateway   *gateway
		list      string
		forwarded string // X-Forwarded-For
		want      int
	}{
		{"v4 range", behindProxy, "198.51.100.0/24", "198.51.100.7", 200},
		{"v4 range, outside", behindProxy, "198.51.100.0/24", "198.51.101.7", 403},
		{"v6 address, its neighbour in the /64", behindProxy, "2001:db8:1::7/128", "2001:db8:1::8", 403},
		{"the client's claim, before what the proxy saw", behindProxy, "198.51.100.0/24", "198.51.100.7, 203.0.113.9", 403},
		{"a claim at the door", atTheDoor, "198.51.100.0/24", "198.51.100.7", 403},
		{"the true address at the door", atTheDoor, "127.0.0.0/8", "198.51.100.7", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			token, _ := tokens.create(fmt.Sprintf(`,"ip_allow":["203.0.113.200/32",%q]`, tt.list))
			request := tt.gateway.request(t, "/api/v1/shipments", tt.forwarded, token)
			// Other headers that some proxies and frameworks use.
			for _, name := range []string{
				"Forwarded", "X-Real-Ip", "X-Client-Address", "X-Client-Ip", "True-Client-Ip",
				"Cf-Connecting-Ip", "X-Forwarded",
			} {
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
