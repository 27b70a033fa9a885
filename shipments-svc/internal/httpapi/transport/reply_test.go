package transport

import (
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestNothingIsSentOfAReplyThatCannotBeEncoded: the status goes out only when
// the body is complete, so the error can still become a 500.
func TestNothingIsSentOfAReplyThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	err := reply{
		status: http.StatusOK,
		header: http.Header{"Etag": {"x"}},
		body:   []any{"begun", math.NaN()},
	}.write(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if err == nil || w.Body.Len() > 0 || len(w.Header()) > 0 {
		t.Errorf("%v; %d bytes and %v were sent", err, w.Body.Len(), w.Header())
	}
}
