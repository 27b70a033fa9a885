package integration

import (
	"strings"
	"testing"
)

func TestMetricsHaveOutcomesAndNoIdentities(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	token, id := g.tokens.create("")
	caller := newCaller(t)
	g.get(t, "/api/v1/shipments", caller, token)
	g.get(t, "/api/v1/shipments", caller, token)
	g.get(t, "/api/v1/shipments", newCaller(t), "")
	g.get(t, "/problems", caller, "")
	metrics := g.metrics(t)
	for _, want := range []string{
		`quayside_gateway_requests_total{outcome="forwarded"} 2`,
		`quayside_gateway_requests_total{outcome="missing_token"} 1`,
		`quayside_gateway_requests_total{outcome="public"} 1`,
		`quayside_gateway_introspection_seconds_count{source="service"} 1`,
		`quayside_gateway_introspection_seconds_count{source="cache"} 1`,
		`quayside_gateway_window_decisions_total{decision="allowed",source="redis",window="token"} 2`,
		`quayside_gateway_window_decisions_total{decision="allowed",source="local",window="no-token"} 1`,
	} {
		if !strings.Contains(metrics, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if !strings.Contains(metrics, "quayside_build_info{revision=\"") {
		t.Error("no build_info")
	}
	for _, unwanted := range []string{token[30:], id, testOrganization, caller} {
		if strings.Contains(metrics, unwanted) {
			t.Errorf("%s is in the metrics", unwanted)
		}
	}
}
