package e2e

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Without the gateway, a service refuses the headers that the gateway strips, in every spelling.
func TestServicesRefuseIdentityHeadersInEverySpelling(t *testing.T) {
	t.Parallel()
	mine := fresh(t, "admin")
	const unsigned = "eyJhbGciOiJub25lIn0.eyJpc3MiOiJxdWF5c2lkZS1nYXRld2F5In0."
	claims := []struct{ name, value string }{
		{"X-Organization-ID", stack.Demo.Organization},
		{"X-Token-ID", mine.ID},
		{"X-Token-Permissions", "admin shipments:read shipments:write"},
		{"X-Gateway-Assertion", unsigned},
		{"X-Request-ID", "req_0123456789abcdefghjkmnpqrs"},
		{"X-Client-Address", "127.0.0.1"},
	}
	// Each is a spelling of one header; a request has all identity headers in that spelling.
	spellings := map[string]func(name, value string) string{
		"as documented": func(name, value string) string { return name + ": " + value },
		"in lower case": func(name, value string) string { return strings.ToLower(name) + ": " + value },
		"in upper case": func(name, value string) string { return strings.ToUpper(name) + ": " + value },
		"with _":        func(name, value string) string { return strings.ReplaceAll(name, "-", "_") + ": " + value },
		"with one _":    func(name, value string) string { return strings.Replace(name, "-", "_", 1) + ": " + value },
		"with .":        func(name, value string) string { return strings.ReplaceAll(name, "-", ".") + ": " + value },
		"as CGI has it": func(name, value string) string {
			return "HTTP_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + ": " + value
		},
		"twice, the same":    func(name, value string) string { return name + ": " + value + "\r\n" + name + ": " + value },
		"twice, first empty": func(name, value string) string { return name + ":\r\n" + name + ": " + value },
		"twice, other case":  func(name, value string) string { return name + ": x\r\n" + strings.ToLower(name) + ": " + value },
		"in a list":          func(name, value string) string { return name + ": x, " + value },
		"with spaces around": func(name, value string) string { return name + ": \t " + value + " \t" },
		"space before colon": func(name, value string) string { return name + " : " + value },
		"folded":             func(name, value string) string { return name + ":\r\n " + value },
		"in a folded line":   func(name, value string) string { return "X-A: b\r\n " + name + ": " + value },
		"after a bare LF":    func(name, value string) string { return "X-A: b\n" + name + ": " + value },
		"after a bare CR":    func(name, value string) string { return "X-A: b\r" + name + ": " + value },
		"and in Connection":  func(name, value string) string { return "Connection: " + name + "\r\n" + name + ": " + value },
		"forwarded as others": func(name, value string) string {
			return "X-Forwarded-" + name[2:] + ": " + value + "\r\nX-Original-" + name[2:] + ": " + value
		},
	}
	for _, service := range []struct{ name, path string }{
		{"shipments-svc", "/api/v1/shipments"},
		{"tokens-svc", "/api/v1/tokens"},
	} {
		refused := func(how, request string) {
			status, body := sendRaw(t, stack.Program(service.name).Address, request)
			if status != http.StatusBadRequest && (status != http.StatusUnauthorized || !strings.Contains(body, `"missing_identity"`)) {
				t.Errorf("%s, %s: %d %s", service.name, how, status, body)
			}
		}
		for how, spelling := range spellings {
			var lines []string
			for _, claim := range claims {
				lines = append(lines, spelling(claim.name, claim.value))
			}
			refused(how, "GET "+service.path+" HTTP/1.1\r\nHost: api\r\nConnection: close\r\n"+strings.Join(lines, "\r\n")+"\r\n\r\n")
		}
		var names, trailers []string
		for _, claim := range claims {
			names, trailers = append(names, claim.name), append(trailers, claim.name+": "+claim.value)
		}
		chunked := "POST " + service.path + " HTTP/1.1\r\nHost: api\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"
		end := "\r\n2\r\n{}\r\n0\r\n" + strings.Join(trailers, "\r\n") + "\r\n\r\n"
		refused("in trailers", chunked+"Trailer: "+strings.Join(names, ", ")+"\r\n"+end)
		refused("in trailers unannounced", chunked+end)
		refused("in the query", "GET "+service.path+"?"+strings.NewReplacer(": ", "=", " ", "%20").Replace(strings.Join(trailers, "&"))+" HTTP/1.1\r\nHost: api\r\nConnection: close\r\n\r\n")
	}
}

// sendRaw sends a request unchanged and returns the response.
func sendRaw(t *testing.T, to, request string) (status int, body string) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}
