package upstream

import (
	"context"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/gateway/internal/caddy/metrics"
)

func TestHandlerIsReadFromTheCaddyfile(t *testing.T) {
	t.Parallel()

	parse := func(text string) (*Handler, error) {
		h := new(Handler)
		return h, h.UnmarshalCaddyfile(caddyfile.NewTestDispenser(text))
	}
	got, err := parse("service shipments-svc shipments:8081 {\nanswer_within 3s\nmax_body 5MiB\n}")
	if err != nil || got.Name != "shipments-svc" || got.Address != "shipments:8081" || got.AnswerWithin != caddy.Duration(3*time.Second) || got.MaxBody != 5<<20 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := parse("service a b:80 {\nmax_body 1TiB\n}"); err != nil || got.MaxBody != 1<<40 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := parse("service a b:65535 {\nanswer_within 5m\n}"); err != nil || got.AnswerWithin != caddy.Duration(5*time.Minute) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{
		"service a b:0", "service a b:x", "service a b:65536", "service a b:-1", "service a b:80/x", "service a /b:80", "service /a b:80",
		"service", "service a", "service a b", "service a b:80 c", "service a b:80 {\nanswer_within\n}", "service a b:80 {\nanswer_within 1s 2s\n}", "service a b:80 {\nanswer_within x\n}",
		"service a b:80 {\nanswer_within 6m\n}", "service a b:80 {\nanswer_within 0s\n}", "service a b:80 {\nanswer_within -1s\n}", "service a b:80 {\nanswer_within 1s\nanswer_within 1s\n}",
		"service a b:80 {\nmax_body x\n}", "service a b:80 {\nmax_body 0\n}", "service a b:80 {\nmax_body 1025GiB\n}", "service a b:80 {\nmax_body 1\nmax_body 1\n}", "service a b:80 {\nother 1\n}",
	} {
		if got, err := parse(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestProvisionHasDefaultsAndWatchesTheService(t *testing.T) {
	t.Parallel()

	ctx, cancel := caddy.NewContext(caddy.Context{Context: context.Background()})
	defer cancel()
	address := replicas(t, 1, nil)[0].Listener.Addr().String()
	h := &Handler{Name: "some-svc", Address: address}
	if err := h.Provision(ctx); err != nil {
		t.Fatal(err)
	}
	if h.transport.timeout != defaultAnswerWithin || h.MaxBody != defaultMaxBody || h.assertion != AssertionPrefix+"some-svc" {
		t.Errorf("%+v with a timeout of %v", h, h.transport.timeout)
	}
	set := &Handler{Address: address, AnswerWithin: caddy.Duration(time.Second), MaxBody: 1}
	if err := set.Provision(ctx); err != nil || set.transport.timeout != time.Second || set.MaxBody != 1 || set.transport.service != h.transport.service {
		t.Errorf("%+v, %v", set, err)
	}
	for _, one := range []*Handler{h, set} {
		if _, watched := services.References(address); !watched {
			t.Error("not watched while in use")
		}
		if err := one.Cleanup(); err != nil {
			t.Error(err)
		}
	}
	if _, watched := services.References(address); watched {
		t.Error("without a watcher")
	}
	wrong := &Handler{Address: "no port"}
	if err := wrong.Provision(ctx); err == nil {
		t.Error("an address without a port is accepted")
	}
	if err := wrong.Cleanup(); err != nil {
		t.Error(err)
	}
}

func TestMetricsCountAddressesByState(t *testing.T) {
	t.Parallel()

	all := replicas(t, 4, nil)
	transport, _ := transportTo(t, all)
	s := transport.service
	s.stop = func() {}
	if _, _, err := services.LoadOrNew(s.name, func() (caddy.Destructor, error) { return s, nil }); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = services.Delete(s.name) }()
	addresses := *s.addresses.Load()
	addresses[1].setState(suspect)
	addresses[1].outlier.eject(time.Now())
	addresses[2].setState(unhealthy)
	addresses[2].outlier.eject(time.Now())
	addresses[3].outlier.eject(time.Now().Add(-time.Hour)) // it is over

	registry := prometheus.NewRegistry()
	if err := metrics.Register(registry, addressCollector{}); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if family.GetName() == "quayside_gateway_upstream_addresses" && labels["service"] == s.name {
				got[labels["state"]] = metric.GetGauge().GetValue()
			}
		}
	}
	want := map[string]float64{"healthy": 2, "recovering": 0, "unknown": 0, "suspect": 0, "ejected": 1, "unhealthy": 1}
	for name, n := range want {
		if got, ok := got[name]; !ok || got != n {
			t.Errorf("%v addresses are %s, want %v", got, name, n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
}
