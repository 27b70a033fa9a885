package transport_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// report sends a body as a gateway reports usage.
func (p *program) report(tb testing.TB, body string, change func(*http.Request)) *httptest.ResponseRecorder {
	tb.Helper()
	r := httptest.NewRequestWithContext(tb.Context(), http.MethodPost, "/internal/v1/usage", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+gatewayCredential)
	if change != nil {
		change(r)
	}
	return answer(p.internal, r)
}

func reportOf(id tokens.TokenID, at time.Time, count, refused int) string {
	return fmt.Sprintf(`{"token":%q,"last_used_at":%q,"count":%d,"refused":%d,"address":"192.0.2.1"}`,
		id, at.Format("2006-01-02T15:04:05.000Z"), count, refused)
}

func reports(entries ...string) string { return `{"usage":[` + strings.Join(entries, ",") + `]}` }

func wantNoContent(tb testing.TB, res *httptest.ResponseRecorder) {
	tb.Helper()
	if res.Code != http.StatusNoContent || res.Body.Len() != 0 || res.Header().Get("Cache-Control") != "no-store" {
		tb.Errorf("%d %v %s", res.Code, res.Header(), res.Body)
	}
}

func TestReportsAreAddedUp(t *testing.T) {
	t.Parallel()
	p := start(t)
	token, _ := p.create(t, nil)
	before := created.Add(-time.Minute)
	wantNoContent(t, p.report(t, reports(reportOf(token.ID, created, 120, 3), reportOf("tok_zzzzzzzzzzzz", created, 1,
		0)),
		nil))
	// Late, and one token twice.
	wantNoContent(t, p.report(t, reports(reportOf(token.ID, before, 10, 0), reportOf(token.ID, before, 1, 1)), nil))
	wantNoContent(t, p.report(t, `{"usage":[{"token":"`+string(token.ID)+
		`","last_used_at":"2026-11-20T14:00:00Z"}]}`, nil))
	wantNoContent(t, p.report(t, reports(), nil))
	wantNoContent(t, p.report(t, `{"usage":[{"token":"`+string(token.ID)+`","last_used_at":"2026-11-20T14:00:00Z",
		"count":0,"refused":0,"results":[0,0,1,0,0,0],"errors":[{"at":"2999-11-20T14:00:00Z","status":429,
		"request_id":"req_1","request":"GET /"}]}]}`, nil))
	if _, errors, err := p.service.History(t.Context(), org, token.ID, created); err != nil || len(errors) != 1 ||
		errors[0].At.Year() == 2999 {
		t.Errorf("%+v, %v", errors, err)
	}
	usage, err := p.service.Usage(t.Context(), org, token)
	if err != nil {
		t.Fatal(err)
	}
	u := usage[token.ID]
	if u.Requests != 131 || u.Refused != 4 || !u.LastUsedAt.Equal(created) || u.Address.String() != "192.0.2.1" {
		t.Errorf("%+v", u)
	}
}

func TestInvalidReportIsRejectedCompletely(t *testing.T) {
	t.Parallel()
	p := start(t)
	token, _ := p.create(t, nil)
	good := reportOf(token.ID, created, 1, 0)
	for body, want := range map[string]struct {
		status  int
		code    string
		pointer string
	}{
		``:                       {http.StatusBadRequest, "malformed_json", ""},
		`{"usage":[` + good:      {http.StatusBadRequest, "malformed_json", ""},
		reports(good) + `{}`:     {http.StatusBadRequest, "malformed_json", ""},
		`{"usage":[}`:            {http.StatusBadRequest, "malformed_json", ""},
		`[]`:                     {http.StatusBadRequest, "malformed_json", ""},
		`{"usage":[],"x":1}`:     {http.StatusBadRequest, "malformed_json", ""},
		reports(`{"count":"1"}`): {http.StatusBadRequest, "malformed_json", ""},
		`{}`:                     {http.StatusUnprocessableEntity, "validation_failed", "/usage"},
		reports(good, `{}`):      {http.StatusUnprocessableEntity, "validation_failed", "/usage/1"},
		reports(good, `{"token":"tok_zzzzzzzzzzzz","last_used_at":"2026-11-20T14:03:52Z","count":-1}`): {
			http.StatusUnprocessableEntity, "validation_failed", "/usage/1",
		},
		reports(`{"token":"tok_zzzzzzzzzzzz","last_used_at":"2026-11-20T14:03:52Z","results":[0,-1,0,0,0,0]}`): {
			http.StatusUnprocessableEntity, "validation_failed", "/usage/0",
		},
		reports(strings.Repeat(`{},`, 10_000) + `{}`): {http.StatusUnprocessableEntity, "validation_failed", "/usage"},
		reports(good) + strings.Repeat(" ", 4<<20):    {http.StatusRequestEntityTooLarge, "body_too_large", ""},
	} {
		problem := wantProblem(t, p.report(t, body, nil), want.status, want.code)
		if want.pointer != "" && (len(problem.Errors) == 0 || problem.Errors[0].Pointer != want.pointer) {
			t.Errorf("%.100s: %+v, want %s", body, problem.Errors, want.pointer)
		}
	}
	wantProblem(t, p.report(t, reports(good), func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }),
		http.StatusUnsupportedMediaType, "unsupported_media_type")
	wantProblem(t, p.report(t, reports(good), func(r *http.Request) { r.Header.Del("Authorization") }),
		http.StatusUnauthorized, "invalid_credential")
	usage, err := p.service.Usage(t.Context(), org, token)
	if u := usage[token.ID]; err != nil || !u.LastUsedAt.IsZero() {
		t.Errorf("something was recorded: %+v, %v", u, err)
	}
	wantUnavailable(t, over(t, "postgres://nobody@127.0.0.1:1/tokens?sslmode=disable").report(t, reports(good), nil))
}
