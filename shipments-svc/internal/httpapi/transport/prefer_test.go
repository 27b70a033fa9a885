package transport

import (
	"net/http"
	"testing"
	"time"
)

func TestAMalformedPreferenceToWaitIsIgnored(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"wait=0": 0, "wait=soon": 0, "wait=-1": 0, "wait": 0, "wait-for=25": 0, "\u00a0wait=25": 0, "wait=0, wait=25": 0,
		"wait=7": 7 * time.Second, `respond-async, Wait = "20";x`: 20 * time.Second, "wait=26": 25 * time.Second,
		"wait=99999999999999999999": 25 * time.Second,
	} {
		if got := preferredWait(&http.Request{Header: http.Header{"Prefer": {value}}}); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
