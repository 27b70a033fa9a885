package tokengate

import (
	"errors"
	"net/http"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

// An error quotes what it could not read, which may be a piece of an answer with a secret in it.
func TestReasonsRepeatNoUnparsedInput(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		`dial tcp 127.0.0.1:8081: connect: connection refused`: `dial tcp 127.0.0.1:8081: connect: connection refused`,
		`malformed HTTP response "{\"token\":\"shpt_live_x\""`: `malformed HTTP response "…"`,
		`malformed HTTP status code "se\\" and "cret"`:         `malformed HTTP status code "…" and "…"`,
	} {
		if got := reasonOf(caddyhttp.Error(http.StatusBadGateway, errors.New(text))); got != want {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}

func TestOnlyServerErrorsAreFailuresOfAService(t *testing.T) {
	t.Parallel()

	for status, want := range map[int]string{413: "", 499: "", 500: "broken"} {
		if got := upstreamFailed(nil, problem.Problem{Status: status, Code: "x"}, errors.New("broken")); got != want {
			t.Errorf("%d: %q", status, got)
		}
	}
}
