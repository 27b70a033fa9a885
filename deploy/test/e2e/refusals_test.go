package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Each row is a request and the error in its response.
func TestEveryErrorNamesItsCause(t *testing.T) {
	t.Parallel()
	write := fresh(t, "shipments:write").Secret
	read := fresh(t, "shipments:read").Secret
	webhooks := fresh(t, "webhooks:manage").Secret
	const list = "/api/v1/shipments"
	post := http.MethodPost
	for name, c := range map[string]struct {
		call
		status int
		code   string
	}{
		"unknown path":        {call{path: "/api/v1/nothing", token: write}, 404, "not_found"},
		"wrong method":        {call{method: http.MethodDelete, path: list, token: write}, 405, "method_not_allowed"},
		"wrong method, token": {call{method: post, path: "/api/v1/token", token: write, body: "{}"}, 405, "method_not_allowed"},
		"no permission, read": {call{path: list, token: webhooks}, 403, "insufficient_permission"},
		"no permission":       {call{method: post, path: list, token: read, body: valid}, 403, "insufficient_permission"},
		"page 0":              {call{path: list + "?page=0", token: write}, 400, "invalid_parameter"},
		"per_page no number":  {call{path: list + "?per_page=ten", token: write}, 400, "invalid_parameter"},
		"unknown status":      {call{path: list + "?status=lost", token: write}, 400, "invalid_parameter"},
		"repeated parameter":  {call{path: list + "?page=1&page=2", token: write}, 400, "invalid_parameter"},
		"unknown parameter":   {call{path: list + "?pages=1", token: write}, 400, "unknown_parameter"},
		"malformed JSON":      {call{method: post, path: list, token: write, body: `{"shipment":`}, 400, "malformed_json"},
		"unknown field": {call{
			method: post, path: list, token: write,
			body: strings.Replace(valid, `"vessel"`, `"vesel"`, 1),
		}, 422, "validation_failed"},
		"missing field": {call{method: post, path: list, token: write, body: `{"shipment":{}}`}, 422, "validation_failed"},
		"NUL": {call{
			method: post, path: list, token: write,
			body: strings.Replace(valid, "PO-4711", `PO\u0000`, 1),
		}, 422, "validation_failed"},
		"another media type": {call{
			method: post, path: list, token: write, body: valid,
			header: http.Header{"Content-Type": {"text/plain"}},
		}, 415, "unsupported_media_type"},
		"over 1 MiB": {call{
			method: post, path: list, token: write,
			body: `{"x":"` + strings.Repeat("x", 1<<20) + `"}`,
		}, 413, "body_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			a := do(t, c.call)
			a.wants(t, c.status, c.code)
			if a.window.limit != 100 || a.window.remaining >= 100 {
				t.Errorf("the token's window was not charged: %+v", a.window)
			}
			switch c.status {
			case http.StatusMethodNotAllowed:
				if a.header.Get("Allow") == "" {
					t.Error("405 without Allow")
				}
			case http.StatusForbidden:
				if !strings.Contains(a.header.Get("Www-Authenticate"), `error="insufficient_scope"`) {
					t.Errorf("WWW-Authenticate is %q", a.header.Get("Www-Authenticate"))
				}
			}
		})
	}
}
