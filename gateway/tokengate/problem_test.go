package tokengate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func TestProblemOfErrorsBehindTheGate(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		err    error
		status int
		code   string
	}{
		{caddyhttp.Error(404, nil), 404, "not_found"},
		{caddyhttp.Error(405, nil), 405, "method_not_allowed"},
		{caddyhttp.Error(413, errors.New("large")), 413, "body_too_large"},
		{caddyhttp.Error(502, nil), 502, "upstream_unreachable"},
		{caddyhttp.Error(503, nil), 503, "upstream_unavailable"},
		{caddyhttp.Error(504, nil), 504, "upstream_timeout"},
		{fmt.Errorf("wrapped: %w", caddyhttp.Error(504, nil)), 504, "upstream_timeout"},
		{caddyhttp.Error(418, nil), 418, "bad_request"},
		{caddyhttp.Error(507, nil), 500, "internal_error"},
		{caddyhttp.Error(499, errors.New("client gone")), 499, "client_closed_request"},
		{caddyhttp.Error(408, errors.New("i/o timeout")), 408, "request_timeout"},
		{errors.New("secret detail"), 500, "internal_error"},
	} {
		p := problemOf(tt.err)
		if p.Status != tt.status || p.Code != tt.code || p.Title == "" || p.Detail == "" ||
			strings.Contains(p.Detail, "secret") {
			t.Errorf("%v: %+v", tt.err, p)
		}
	}
}
