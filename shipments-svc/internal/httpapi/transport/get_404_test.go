package transport_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

// TestGetOfAnotherOrganizationsShipmentEqualsAnUnknownOne: an id that is
// another organization's, unknown or malformed gives the same answer.
func TestGetOfAnotherOrganizationsShipmentEqualsAnUnknownOne(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	theirs := a.as(publicid.New("org")).create(t)
	for name, id := range map[string]string{
		"another organization's": theirs,
		"unknown":                publicid.New("ship"),
		"upper case":             strings.ToUpper(theirs),
		"another prefix":         "doc" + strings.TrimPrefix(theirs, "ship"),
		"too short":              theirs[:len(theirs)-1],
		"too long":               theirs + "0",
		"more than 128 bits":     "ship_8" + theirs[6:],
		"a number":               "1",
		"escaped":                "ship_%00",
		"a quote":                "'%20OR%201=1--",
		"not UTF-8":              "%ff",
		"a slash":                "a%2Fb",
		"very long":              strings.Repeat("x", 4000),
	} {
		p := a.do(t, call{path: collection + "/" + id}).wants(t, http.StatusNotFound, "not_found")
		if p.Title != "Not found" || p.Detail != "There is no such shipment." || p.Instance != collection+"/"+id ||
			p.Errors != nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestUnknownRoutesReturnAProblem(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for _, path := range []string{
		"/", "/api/v1", "/api/v1/shipments/", "/api/v1//shipments", "/api/v2/shipments", "/api/v1/shipments/x/y",
		"/api/v1/token", "/problems/", "/problems/nothing", "/api/v1/../v1/shipments", "/api/v1/shipments/x/approve/y",
	} {
		a.do(t, call{path: path}).wants(t, http.StatusNotFound, "not_found")
	}
}
