package assertion

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"testing"
)

// contract is the headers that the gateway sends.
func contract(t *testing.T) http.Header {
	t.Helper()
	content, err := os.ReadFile("../testdata/contract/identity.json")
	if err != nil {
		t.Fatal(err)
	}
	var headers map[string]string
	if err := json.Unmarshal(content, &headers); err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	for name, value := range headers {
		h.Set(name, value)
	}
	return h
}

func TestTheContractsHeadersAreRead(t *testing.T) {
	t.Parallel()
	id, err := FromHeader(contract(t))
	if err != nil {
		t.Fatal(err)
	}
	if id.Organization != "org_01k9x3v7t2e8sbq4m6n0pacdfg" || id.Token != "tok_4fZyo82mVyR1" ||
		!slices.Equal(id.Permissions, []string{"shipments:read", "shipments:write"}) {
		t.Errorf("%+v", id)
	}
}

func TestIncompleteIdentitiesAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(http.Header){
		"no organization":    func(h http.Header) { h.Del(HeaderOrganization) },
		"empty organization": func(h http.Header) { h.Set(HeaderOrganization, "") },
		"short organization": func(h http.Header) { h.Set(HeaderOrganization, "org_01k9x3v7t2e8sbq4m6n0pacdf") },
		"another kind of id": func(h http.Header) { h.Set(HeaderOrganization, "ship_01k9x3v7t2e8sbq4m6n0pacdfg") },
		"upper case":         func(h http.Header) { h.Set(HeaderOrganization, "org_01K9X3V7T2E8SBQ4M6N0PACDFG") },
		"list of organizations": func(h http.Header) {
			h.Set(HeaderOrganization, h.Get(HeaderOrganization)+", "+h.Get(HeaderOrganization))
		},
		"two organizations":     func(h http.Header) { h.Add(HeaderOrganization, h.Get(HeaderOrganization)) },
		"no token":              func(h http.Header) { h.Del(HeaderToken) },
		"two tokens":            func(h http.Header) { h.Add(HeaderToken, "tok_000000000001") },
		"another kind of token": func(h http.Header) { h.Set(HeaderToken, "shpt_live_000000000001") },
		"no permissions":        func(h http.Header) { h.Del(HeaderPermissions) },
		"permissions twice":     func(h http.Header) { h.Add(HeaderPermissions, "admin") },
		"nothing":               func(h http.Header) { clear(h) },
	} {
		h := contract(t)
		change(h)
		if id, err := FromHeader(h); !errors.Is(err, ErrMissing) || id.Organization != "" || id.Permissions != nil {
			t.Errorf("%s: %+v, %v; want no identity and ErrMissing", name, id, err)
		}
	}
}

func TestATokenMayHaveNoPermission(t *testing.T) {
	t.Parallel()
	h := contract(t)
	h.Set(HeaderPermissions, "")
	if id, err := FromHeader(h); err != nil || len(id.Permissions) != 0 {
		t.Errorf("%+v, %v", id, err)
	}
}
