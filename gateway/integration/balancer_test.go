package integration

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A TCP load balancer sends the client's address by the PROXY protocol, which nothing else may do.
func TestTheAddressOfABalancedClientIsBelievedOfBalancersOnly(t *testing.T) {
	t.Parallel()

	for balancers, want := range map[string]int{"127.0.0.0/8": http.StatusOK, "": http.StatusBadRequest} {
		g := start(t, options{env: map[string]string{"GATEWAY_BALANCERS": balancers, "TRUSTED_PROXIES": ""}})
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(g.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "PROXY TCP4 192.0.2.77 192.0.2.1 1234 80\r\nGET /robots.txt HTTP/1.1\r\nHost: a\r\n\r\n")
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("balancers %q: %s", balancers, response.Status)
		}
		if want == http.StatusOK && !strings.Contains(g.logOf(t, 1), `"client":"192.0.2.77"`) {
			t.Errorf("the log lacks the client:\n%s", g.log)
		}
	}
}
