package integration

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// However a client writes the path or the host, by HTTP/1.1 or by HTTP/2 with prior knowledge, with a token or without:
// what belongs to the internal listener is not on the public one, and what it shows contains no secret.
func TestInnerEndpointsAreNotReachableAtThePublicListener(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: map[string]string{"DEBUG_ENDPOINTS": "true", "REDIS_DOWN": "allow"}})
	token, id := g.tokens.create(plenty)
	g.introspect(t, token)
	inner := strings.TrimPrefix(g.inner, "http://")
	_, innerPort, _ := strings.Cut(inner, ":")
	targets := []string{g.inner + "/debug/state", g.inner + "/metrics", "http://" + inner + "/livez"}
	for _, path := range []string{"/debug/state", "/debug/pprof/cmdline", "/debug/pprof/", "/debug", "/metrics", "/livez", "/readyz"} {
		name := strings.TrimPrefix(path, "/")
		targets = append(targets, path, path+"/", path+"?a=b", path+";a", "/"+path, "/./"+name, "/docs/.."+path, "/docs/%2e%2e"+path, "/docs/..%2f"+name,
			"/docs/..%5c"+name, "/%"+map[byte]string{'d': "64", 'm': "6d", 'l': "6c", 'r': "72"}[name[0]]+name[1:], "/"+strings.ToUpper(name),
			"/"+strings.ReplaceAll(name, "/", "%2F"), "/"+strings.ReplaceAll(name, "/", "//"), "/settings/.."+path, "/:"+innerPort+path)
	}
	for _, version2 := range []bool{false, true} {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetHTTP1(!version2)
		transport.Protocols.SetUnencryptedHTTP2(version2)
		t.Cleanup(transport.CloseIdleConnections)
		for _, target := range targets {
			if version2 && target[0] != '/' {
				continue // HTTP/2 has no such form
			}
			for n, host := range []string{"", inner, "localhost:" + innerPort, "127.0.0.1"} {
				request := g.request(t, "/", newCaller(t), []string{token, ""}[n%2])
				request.URL.Opaque, request.Host = target, host
				if strings.HasPrefix(target, "//") { // would be read as a host
					request.URL = &url.URL{Scheme: "http", Host: request.URL.Host, Path: target}
				}
				response, err := transport.RoundTrip(request)
				if err != nil {
					t.Fatalf("%s: %v", target, err)
				}
				body, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if want := []int{http.StatusNotFound, http.StatusUnauthorized}[n%2]; err != nil || response.StatusCode != want {
					t.Errorf("HTTP/2 %t, %s, Host %q: %s %v %.100s", version2, target, host, response.Status, err, body)
				}
			}
		}
	}
	for _, path := range []string{"/debug/state", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1", "/debug/pprof/heap", "/debug/pprof/allocs", "/debug/pprof/symbol", "/debug/pprof/trace?seconds=0.1"} {
		status, body := g.inside(t, path)
		if status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
		for _, secret := range []string{token, id, testCredential, "PRIVATE KEY", "redis://"} {
			if strings.Contains(body, secret) {
				t.Errorf("%s shows %s", path, secret)
			}
		}
	}
}
