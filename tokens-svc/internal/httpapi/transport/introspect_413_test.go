package transport_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestAFormOfMoreThan4096BytesIsRefused(t *testing.T) {
	t.Parallel()
	p := start(t)
	form := "token=" + strings.Repeat("x", 4096-len("token="))
	wantBody(t, p.introspect(t, form, nil), `{"active":false}`)
	p = with(t, failing(errors.New("must not be asked")))
	wantProblem(t, p.introspect(t, form+"x", nil), http.StatusRequestEntityTooLarge, "body_too_large")
}
