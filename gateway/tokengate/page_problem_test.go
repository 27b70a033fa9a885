package tokengate

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestOnlyAProblemThatABrowserNavigatedToIsShownAsHTML(t *testing.T) {
	t.Parallel()

	const asProblem = "application/problem+json"
	for name, tt := range map[string]struct {
		method, accept, contentType, encoding string
		status                                int
		want                                  bool
	}{
		"problem":         {http.MethodGet, "text/html", asProblem, "", 400, true},
		"below 400":       {http.MethodGet, "text/html", asProblem, "", 399, false},
		"HEAD":            {http.MethodHead, "text/html", asProblem, "", 400, false},
		"a program":       {http.MethodGet, "*/*", asProblem, "", 400, false},
		"another type":    {http.MethodGet, "text/html", "application/json", "", 400, false},
		"encoded problem": {http.MethodGet, "text/html", asProblem, "gzip", 400, false},
	} {
		r := httptest.NewRequest(tt.method, "/settings", nil)
		r.Header.Set("Accept", tt.accept)
		w := httptest.NewRecorder()
		out := new(Gate).newResponseWriter(w, r)
		out.Header().Set("Content-Type", tt.contentType)
		if tt.encoding != "" {
			out.Header().Set("Content-Encoding", tt.encoding)
		}
		out.WriteHeader(tt.status)
		_, _ = io.WriteString(out, `{"title":"Wrong","detail":"It is.","code":"wrong"}`)
		out.finish()
		if got := strings.Contains(w.Body.String(), "<h1>Wrong</h1>"); got != tt.want || w.Code != tt.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestUnreadableProblemIsShownByItsStatus(t *testing.T) {
	t.Parallel()

	r := httptest.NewRequest(http.MethodGet, "/settings", nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	out := new(Gate).newResponseWriter(w, r)
	out.Header().Set("Content-Type", "application/problem+json")
	out.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(out, `{"title":"half`)
	out.finish()
	if text := w.Body.String(); !strings.Contains(text, "<h1>Bad Gateway</h1>") ||
		!strings.Contains(text, "/problems/upstream_unreachable") {
		t.Errorf("%d %s", w.Code, text)
	}
}
