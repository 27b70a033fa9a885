package transport_test

import (
	"errors"
	"net/http"
	"testing"
)

func TestOnlyFormsAreRead(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for _, mediaType := range []string{
		"", "application/json", "text/plain", "multipart/form-data; boundary=x",
		"application/x-www-form-urlencoded;;",
	} {
		res := p.introspect(t, "token=x", func(r *http.Request) { r.Header.Set("Content-Type", mediaType) })
		wantProblem(t, res, http.StatusUnsupportedMediaType, "unsupported_media_type")
	}
}

func TestFormMayHaveACharset(t *testing.T) {
	t.Parallel()
	p := start(t)
	res := p.introspect(t, "token=x", func(r *http.Request) {
		r.Header.Set("Content-Type", "Application/X-WWW-Form-URLEncoded; charset=utf-8")
	})
	wantBody(t, res, `{"active":false}`)
}
