package transport_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestInvalidTokensReturnExactlyInactive(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, good := p.create(t, nil)
	text := good.Reveal()
	for name, form := range map[string]string{
		"empty":              "token=",
		"text":               "token=hello",
		"one character off":  "token=" + text[:40] + flip(text[40]) + text[41:],
		"too long to be one": "token=" + strings.Repeat("x", 2000),
		"with white space":   "token=" + text + "+",
		"unknown":            "token=shpt_live_000000000001_0000000000000000000000000000000027i4HK",
		"unknown, with a hint": "token=shpt_live_000000000001_0000000000000000000000000000000027i4HK" +
			"&token_type_hint=access_token",
		"not UTF-8":               "token=%ff%00",
		"of another environment?": "token=" + strings.Replace(text, "_live_", "_test_", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantBody(t, p.introspect(t, form, nil), `{"active":false}`)
		})
	}
}

func flip(c byte) string {
	if c == '0' {
		return "1"
	}
	return "0"
}

func TestEachConfiguredCredentialIsAccepted(t *testing.T) {
	t.Parallel()
	p := start(t)
	for _, authorization := range []string{
		"Bearer " + gatewayCredential, "Bearer " + olderCredential, "bearer  " + gatewayCredential,
	} {
		res := p.introspect(t, "token=x", func(r *http.Request) { r.Header.Set("Authorization", authorization) })
		wantBody(t, res, `{"active":false}`)
	}
}
