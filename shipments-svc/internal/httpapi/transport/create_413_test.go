package transport_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestCreateRefusesMoreThanOneMebibyte(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for name, body := range map[string]string{
		"one byte more":   valid + strings.Repeat(" ", 1<<20-len(valid)+1),
		"much more":       strings.Repeat(" ", 4<<20),
		"more, malformed": strings.Repeat("x", 1<<20+1),
	} {
		p := a.do(t, call{method: http.MethodPost, body: body}).wants(t, http.StatusRequestEntityTooLarge, "body_too_large")
		if p.Detail != "The body may have at most 1048576 bytes." {
			t.Errorf("%s: %s", name, p.Detail)
		}
	}
	if n := a.total(t); n != 0 {
		t.Errorf("%d shipments were stored", n)
	}
}
