package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

func TestOnlyCompleteProblemsExplainFailures(t *testing.T) {
	t.Parallel()
	const whole = `{"type":"/problems/unavailable","title":"Unavailable","status":503,"detail":"later","code":"unavailable","request_id":"req_1"}`
	for name, tt := range map[string]struct {
		status      int
		contentType string
		body        string
		explained   bool
	}{
		"a problem":            {503, "application/problem+json", whole, true},
		"of another status":    {502, "application/problem+json", whole, false},
		"as another type":      {503, "application/json", whole, false},
		"text":                 {503, "text/plain", "no", false},
		"nothing":              {503, "application/problem+json", "", false},
		"of another's request": {503, "application/problem+json", `{"type":"/problems/a","title":"A","status":503,"detail":"a","code":"a","request_id":"req_2"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				w.Header().Set("X-Request-Id", "req_1")
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			}))
			t.Cleanup(server.Close)
			s, _ := newClient(server.URL).do(t.Context(), call{path: "/", from: freshAddress()})
			if s.status != tt.status || s.explained != tt.explained {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A refused connection is distinguished from one that is cut. The local end of an
// open connection is an address at which nothing listens and nothing else can.
func TestRefusedConnections(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(server.Close)
	if s, _ := newClient(server.URL).do(t.Context(), call{path: "/"}); s.refused || s.err == "" || s.status != 0 {
		t.Errorf("an aborted response: %+v", s)
	}
	open, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = open.Close() })
	if s, _ := newClient("http://"+open.LocalAddr().String()).do(t.Context(), call{path: "/"}); !s.refused {
		t.Errorf("an address without a listener: %+v", s)
	}
}

// The checksum of unknown tokens is that of the contract's tokens.
func TestUnknownTokensAreWellFormed(t *testing.T) {
	t.Parallel()
	contract, err := os.ReadFile(filepath.Join("..", "..", "gateway", "testdata", "contract", "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`shpt_(live|test)_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}`)
	if token := unknownToken(); form.FindString(token) != token {
		t.Errorf("malformed: %q", token)
	}
	for _, token := range form.FindAllString(string(contract), 2) { // the valid ones are first
		if got := token[:55] + checksum(token[:55]); got != token {
			t.Errorf("%s should end in %s", token, got[55:])
		}
	}
}
