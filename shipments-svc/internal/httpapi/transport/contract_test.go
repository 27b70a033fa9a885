package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestTheIdentityIsReadAsTheContractHasIt: what the gateway sends is what is
// understood here.
func TestTheIdentityIsReadAsTheContractHasIt(t *testing.T) {
	t.Parallel()
	var headers map[string]string
	golden(t, "identity.json", &headers)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	var got caller
	identified(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = *callerOf(r.Context())
	})).ServeHTTP(httptest.NewRecorder(), r)
	if got.err != nil {
		t.Fatal(got.err)
	}
	org, _ := publicid.Parse("org", headers[assertion.HeaderOrganization])
	if got.org != shipments.OrgID(org) ||
		!slices.Equal(got.Permissions, []string{"shipments:read", "shipments:write"}) {
		t.Errorf("%+v", got)
	}
	if requestid.Of(r) != "req_01k9x3v7t2e8sbq4m6n0pacdfh" {
		t.Errorf("request id %q", requestid.Of(r))
	}
}

// TestProblemsMatchTheContract, member by member and in order.
func TestProblemsMatchTheContract(t *testing.T) {
	t.Parallel()
	want := golden(t, "problem.json", new(json.RawMessage))
	p := problem.New(
		http.StatusUnprocessableEntity, "validation_failed", "Validation failed", "2 fields are not valid; see errors.",
	)
	p.Errors = []problem.Field{
		{Code: "required", Pointer: "/shipment/vessel", Detail: "vessel is required"},
		{Code: "invalid_parameter", Parameter: "per_page", Detail: "per_page must be a whole number from 1"},
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/api/v1/shipments?x=1", nil)
	r.Header.Set(requestid.Header, "req_01k9x3v7t2e8sbq4m6n0pacdfh")
	p.Write(w, r)
	var got bytes.Buffer
	if err := json.Indent(&got, w.Body.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(got.Bytes()), bytes.TrimSpace(want)) {
		t.Errorf("%s, want %s", got.Bytes(), want)
	}
}

func golden(t *testing.T, name string, into any) []byte {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/contract/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
	return text
}
