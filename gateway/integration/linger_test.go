package integration

import (
	"net/http"
	"strings"
	"testing"
)

// A client that is still sending its body when the gateway refuses the request gets the response, not a reset
// connection. Clients without keep-alive are affected.
func TestRequestsRefusedBeforeTheirBodyGetAResponse(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	good, _ := g.tokens.create("")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	body := strings.Repeat("x", 4<<20)
	for range 20 {
		for token, want := range map[string]int{"malformed": http.StatusUnauthorized, good: http.StatusRequestEntityTooLarge} {
			request := g.request(t, "/api/v1/shipments", newCaller(t), token)
			again, err := http.NewRequestWithContext(t.Context(), http.MethodPost, request.URL.String(), strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			again.Header = request.Header
			response, err := client.Do(again)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != want && response.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("%s, want %d", response.Status, want)
			}
		}
	}
}
