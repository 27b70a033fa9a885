package transport_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestAllFaultsOfAnEndpointAreReported(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	one := hooksPath + "/" + a.hook(t).ID
	for body, want := range map[string]string{
		`{}`:                      "required /webhook_endpoint",
		`{"webhook_endpoint":{}}`: "required /webhook_endpoint/url",
		`{"webhook_endpoint":{"url":"http://example.com"}}`: "invalid_value /webhook_endpoint/url",
		`{"webhook_endpoint":{"url":7}}`:                    "invalid_type /webhook_endpoint/url",
		`{"webhook_endpoint":{"url":"https://a.example","secret":"x"}}`: "unknown_field " +
			"/webhook_endpoint/secret",
		`{"webhook_endpoint":{"url":"https://a.example","event_types":1}}`: "invalid_type " +
			"/webhook_endpoint/event_types",
		`{"webhook_endpoint":{"url":"x","event_types":["shipment.created","y",1]}}`: "invalid_type " +
			"/webhook_endpoint/event_types/2 invalid_value /webhook_endpoint/url",
		`{"webhook_endpoint":{"url":"x","description":"\u0007","event_types":["y"]}}`: "invalid_value " +
			"/webhook_endpoint/url invalid_text /webhook_endpoint/description invalid_value /webhook_endpoint/event_types/0",
	} {
		if got := strings.Join(unprocessable(t, a.do(t, call{method: http.MethodPost, path: hooksPath, body: body})),
			" "); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	for body, want := range map[string]string{
		`{"webhook_endpoint":{"status":"deleted"}}`: "invalid_value /webhook_endpoint/status",
		`{"webhook_endpoint":{"url":""}}`:           "required /webhook_endpoint/url",
	} {
		if got := strings.Join(unprocessable(t, a.do(t, call{method: http.MethodPatch, path: one, body: body})),
			" "); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	const nobodys = "evt_00000000000000000000000000"
	for body, want := range map[string]string{
		`{}`:                                "required /event_ids",
		`{"until":3}`:                       "required /event_ids",
		`{"event_ids":[]}`:                  "out_of_range /event_ids",
		`{"event_ids":["x"]}`:               "invalid_value /event_ids/0",
		`{"event_ids":["` + nobodys + `"]}`: "invalid_value /event_ids/0",
		`{"event_ids":["` + nobodys + `"],"after":1}`: "invalid_value /event_ids",
		`{"after":"1"}`: "invalid_type /after",
		`{"event_ids":[` + strings.Repeat(`"x",`, 100) + `"x"]}`: "out_of_range /event_ids",
	} {
		if got := strings.Join(unprocessable(t, a.do(t, call{method: http.MethodPost, path: one + "/replay", body: body})),
			" "); got != want {
			t.Errorf("%.60s: %q, want %q", body, got, want)
		}
	}
	for _, action := range []string{"/test", "/rotate_secret"} {
		if got := strings.Join(unprocessable(t, a.do(t,
			call{method: http.MethodPost, path: one + action, body: `{"x":1}`})), " "); got != "unknown_field /x" {
			t.Errorf("%s: %q", action, got)
		}
	}
}

// unprocessable returns the faults of an answer.
func unprocessable(t *testing.T, res answer) (faults []string) {
	t.Helper()
	if res.status != http.StatusUnprocessableEntity {
		t.Errorf("status %d: %s", res.status, res.body)
		return nil
	}
	for _, f := range res.wants(t, http.StatusUnprocessableEntity, codeOf(t, res)).Errors {
		faults = append(faults, f.Code+" "+f.Pointer)
	}
	return faults
}

func codeOf(t *testing.T, res answer) string {
	t.Helper()
	var p struct {
		Code                          string
		Type, Title, Detail, Instance string
		Status                        int
		RequestID                     string `json:"request_id"`
		Errors                        []any
	}
	decode(t, res.body, &p)
	return p.Code
}
