package transport_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestUnexpectedErrorIsLoggedOnceAndNotReturned(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]func(context.Context) error{
		"an error":        func(context.Context) error { return errors.New("secret cause") },
		"a panic":         func(context.Context) error { panic("secret cause") },
		"a runtime error": func(ctx context.Context) error { return ctx.Value("secret").(error) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPIOf(t, fakeService(fakeRepository{list: list}), nil)
			res := a.do(t, call{})
			p := res.wants(t, http.StatusInternalServerError, "internal_error")
			if strings.Contains(string(res.body), "secret") ||
				p.Detail != "An unexpected error occurred; it is logged under the request_id." {
				t.Errorf("the client sees %s", res.body)
			}
			log := a.log.String()
			if strings.Count(log, `"level":"ERROR"`) != 1 || strings.Count(log, p.RequestID) != 2 ||
				!strings.Contains(log, a.org) {
				t.Errorf("the log is %s", log)
			}
			if name != "a runtime error" && !strings.Contains(log, "secret cause") {
				t.Errorf("the cause is not in %s", log)
			}
			if strings.HasPrefix(name, "a ") && !strings.Contains(log, "unforeseen_500_test.go") {
				t.Errorf("there is no stack in %s", log)
			}
			if got := a.observed.String(); name == "an error" && got != "GET /api/v1/shipments internal_error\n" {
				t.Errorf("observed %q", got)
			}
		})
	}
}
