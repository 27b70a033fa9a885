package transport_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAFormWithoutExactlyOneTokenIsRefused(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for name, form := range map[string]string{
		"nothing":       "",
		"another name":  "access_token=shpt_x",
		"twice":         "token=a&token=b",
		"broken escape": "token=shpt_live_%zz",
		"semicolon":     "token=a;b",
	} {
		res := p.introspect(t, form, nil)
		problem := wantProblem(t, res, http.StatusBadRequest, "invalid_request")
		if strings.Contains(problem.Detail, "shpt") {
			t.Errorf("%s: the problem repeats the form: %s", name, problem.Detail)
		}
	}
}

// TestATokenInTheQueryIsNotRead: addresses end up in logs.
func TestATokenInTheQueryIsNotRead(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	res := p.introspect(t, "", func(r *http.Request) { r.URL.RawQuery = "token=shpt_x" })
	wantProblem(t, res, http.StatusBadRequest, "invalid_request")
}

func TestTruncatedBodyIsRejected(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	res := p.introspect(t, "", func(r *http.Request) {
		r.Body = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))
	})
	wantProblem(t, res, http.StatusBadRequest, "invalid_request")
}
