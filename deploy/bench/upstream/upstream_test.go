package upstream

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

func TestEveryRequestOfAConnectionIsAnswered(t *testing.T) {
	t.Parallel()
	u, err := Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = u.Close() }()
	client := &http.Client{Transport: new(http.Transport)}
	defer client.CloseIdleConnections()
	for range 3 {
		res, err := client.Get("http://" + u.Address() + "/api/v1/shipments")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || !json.Valid(body) {
			t.Fatalf("%s (%v): %s", res.Status, err, body)
		}
	}
}
