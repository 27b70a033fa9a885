package transport_test

import (
	"net/http"
	"testing"
)

func TestMalformedEventCursorIsRejected(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for query, code := range map[string]string{
		"?after=-1": "invalid_parameter", "?after=1.5": "invalid_parameter", "?after=evt_1": "invalid_parameter",
		"?cursor=42": "invalid_parameter", "?cursor=a-b": "invalid_parameter", "?cursor=a-42&after=42": "invalid_parameter",
		"?after=%2B1":                "invalid_parameter",
		"?after=9223372036854775808": "invalid_parameter", "?after=1&after=1": "invalid_parameter",
		"?limit=0":   "invalid_parameter",
		"?limit=ten": "invalid_parameter", "?page=2": "unknown_parameter",
	} {
		if p := a.do(t, call{path: eventsPath + query}).wants(t, http.StatusBadRequest, code); len(p.Errors) != 1 {
			t.Errorf("%s: %+v", query, p.Errors)
		}
	}
}
