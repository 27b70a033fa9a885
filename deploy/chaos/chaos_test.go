package main

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/deploy/promises"
	"github.com/quayside/quayside/deploy/test/devstack"
)

// A run without a fault, with a component unplugged and with a replica killed
// keeps the promises that hold on any machine.
func TestAShortRunKeepsTheSafetyPromises(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	err = run(t.Context(), config{
		root: root, dir: filepath.Join(t.TempDir(), "topology"), logs: filepath.Join(t.TempDir(), "log"),
		titles: regexp.MustCompile("^(baseline: .*|tokens-svc: unplugged|one of two shipments-svc: killed)$"),
		rest:   time.Second, report: &text,
	})
	if errors.Is(err, devstack.ErrOneAddress) {
		t.Skip(err)
	}
	if err != nil && !errors.Is(err, promises.ErrBroken) {
		t.Fatalf("%v\n%s", err, &text)
	}
	for _, title := range []string{"baseline: no fault", "tokens-svc: unplugged", "one of two shipments-svc: killed"} {
		if !strings.Contains(text.String(), "\n"+title+", ") {
			t.Errorf("%s was not observed", title)
		}
	}
	for _, never := range []promise{failsClosed, neverA401, exact, keepsWrites} {
		if n := strings.Count(text.String(), "  kept    "+never.text); n != 3 {
			t.Errorf("kept %d times of 3: %s", n, never.text)
		}
	}
	if t.Failed() {
		t.Log(text.String())
	}
}

func TestFaultsAreCompleteAndDistinct(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range faults {
		if seen[f.title()] || f.injection == nil || f.part == "" || f.name == "" {
			t.Errorf("%q is incomplete or a duplicate", f.title())
		}
		seen[f.title()] = true
		if len(f.own) == 0 {
			t.Errorf("%s has no promise of its own", f.title())
		}
	}
}

// The sum of all durations of load, without preparation and counting.
func TestAFullRunTakesUnderTenMinutes(t *testing.T) {
	t.Parallel()
	if total := loadTime(faults); total > 8*time.Minute {
		t.Errorf("%s of load alone", total)
	}
}

func TestRequiredFaultsExist(t *testing.T) {
	t.Parallel()
	for _, title := range []string{
		"Redis: slow", "Redis: unplugged", "Redis: hung", "Redis: flapping", "Redis: failing over", "Redis: a key of the wrong type",
		"tokens-svc: slow", "tokens-svc: unplugged", "tokens-svc: hung", "tokens-svc: garbage",
		"Postgres: unplugged", "Postgres: hung", "Postgres: restarted", "Postgres: failing over", "Postgres: out of connections",
		"one of two shipments-svc: killed", "one of two shipments-svc: slow",
		"restarts: both shipments-svc in turn, 5 times", "restarts: configuration reloaded 20 times", "restarts: SIGTERM to the gateway",
		"gateway: killed",
		"the rest: disk full", "the rest: gateway's log pipe blocked", "the rest: 1,000 half-open connections",
	} {
		if !slices.ContainsFunc(faults, func(f fault) bool { return f.title() == title }) {
			t.Errorf("no fault has the title %s", title)
		}
	}
}
