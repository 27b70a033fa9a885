package integration

import (
	"strings"
	"testing"
)

func TestMetricsNameNoTokenOrCaller(t *testing.T) {
	t.Parallel()
	g := start(t, options{})
	token, id := g.tokens.create("")
	caller := newCaller(t)
	g.get(t, "/api/v1/shipments", caller, token)
	metrics := g.metrics(t)
	if !strings.Contains(metrics, `quayside_gateway_requests_total{outcome="forwarded"} 1`+"\n") {
		t.Error("the request is not counted")
	}
	for _, unwanted := range []string{token[30:], id, testOrganization, caller} {
		if strings.Contains(metrics, unwanted) {
			t.Errorf("%s is in the metrics", unwanted)
		}
	}
}
