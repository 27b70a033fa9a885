package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
)

func TestTemperaturesTakeBoundedMemory(t *testing.T) {
	const size = 64 << 10
	bound := int(temperatures.GetMaximum())
	body := `"` + strings.Repeat("x", size-2) + `"`
	for n := range 2 * bound / size {
		if got := store(t, n, body); got != body {
			t.Fatalf("the answer to %d has %d bytes", n, len(got))
		}
	}
	temperatures.CleanUp()
	if kept := temperatures.EstimatedSize() * size; kept > bound || kept < bound/2 {
		t.Errorf("%d bytes are kept, of at most %d", kept, bound)
	}
}

func store(t *testing.T, shipment int, body string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPut,
		fmt.Sprintf("/api/v1/shipments/ship_%d/temperature", shipment), strings.NewReader(body))
	r.Header.Set(assertion.HeaderOrganization, "org_01m7xzb0gzec9swnkhafwhcvka")
	r.Header.Set(assertion.HeaderToken, "tok_1")
	r.Header.Set(assertion.HeaderPermissions, "temperatures:write")
	w := httptest.NewRecorder()
	handler, err := routes()
	if err != nil {
		t.Fatal(err)
	}
	handler.ServeHTTP(w, r)
	return w.Body.String()
}

func TestThePageShowsWhatTheAPIKeeps(t *testing.T) {
	store(t, 1, `{"celsius":3.5}`)
	handler, err := routes()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/temperatures/org_01m7xzb0gzec9swnkhafwhcvka", nil)
	r.Header.Set(assertion.HeaderOrganization, "org_01m7xzb0gzec9swnkhafwhcvka")
	r.Header.Set("X-User-Id", "usr_01m7xzb0gzec9swnkhafwhcvka")
	r.Header.Set("X-User-Name", "Thandi")
	r.Header.Set("X-Organization-Name", "Cape%20Fresh")
	r.Header.Set(assertion.HeaderPermissions, "temperatures:read")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	for _, want := range []string{"ship_1", "3.5", "Thandi", "Cape Fresh"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s on the page: %d %s", want, w.Code, w.Body)
		}
	}
}
