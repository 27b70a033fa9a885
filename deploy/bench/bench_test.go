package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/deploy/bench/benchmark"
)

// TestMain lets the test's own program be the children that a run starts.
func TestMain(m *testing.M) {
	benchmark.Child(children)
	os.Exit(m.Run())
}

// TestAShortRunMeasuresEverything is a whole run with a tiny load. Its figures
// mean nothing, but all exist, and the responses are the expected ones.
// On a busy machine the 250 ms of tokens-svc may be over: then it is 503.
func TestAShortRunMeasuresEverything(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("measuring needs Linux")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	profiles := t.TempDir()
	report, err := runAll(t.Context(), settings{
		root: root, race: true, rounds: 1, tokens: 8, connections: 4, rate: 200,
		warmup: 100 * time.Millisecond, length: 300 * time.Millisecond,
		profiles: profiles, profiled: 300 * time.Millisecond, log: io.Discard,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range report.scenarios {
		for _, m := range []mode{saturated, steady} {
			for _, target := range append([]string{gateway}, sc.beside...) {
				series := report.results[measurement{sc.key, m, target}]
				if len(series) != 1 {
					t.Fatalf("%s, %s, %s: %d measurements", sc.title, m, target, len(series))
				}
				f := series[0]
				if f.throughput <= 0 || f.cpu <= 0 || f.cpu > 60 || (f.p99 > 0) != (m == steady) {
					t.Errorf("%s, %s, %s: %+v", sc.title, m, target, f)
				}
				if f.redisCPU <= 0 && sc.key != "redis-gone" {
					t.Errorf("%s, %s, %s: Redis's CPU is %g", sc.title, m, target, f.redisCPU)
				}
				f.checkAnswers(t, sc, target)
			}
		}
		if calls := report.results[measurement{sc.key, saturated, scriptCalls}]; sc.scriptKeys > 0 && (len(calls) != 1 || calls[0].redisCPU <= 0) {
			t.Errorf("%s: script calls %+v", sc.title, calls)
		}
		if info, err := os.Stat(filepath.Join(profiles, sc.key+"-saturated.pprof")); err != nil || info.Size() == 0 {
			t.Errorf("%s: no profile: %v", sc.title, err)
		}
	}
	if len(report.goals()) != len(goals)+1 {
		t.Errorf("%d goals, want %d", len(report.goals()), len(goals)+1)
	}
	text := report.Markdown()
	for _, want := range []string{"all refused (429), steady | gateway", "peak memory", "Redis " + report.redis} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// checkAnswers fails the test when there are answers that not even a busy
// machine explains, or none that are right.
func (f figures) checkAnswers(t *testing.T, sc scenario, target string) {
	t.Helper()
	slow := f.wrong[http.StatusServiceUnavailable]
	for status, n := range f.wrong {
		if status != http.StatusServiceUnavailable || target != gateway {
			t.Errorf("%s, %s: %d answers of status %d", sc.title, target, n, status)
		}
	}
	if slow >= f.answers {
		t.Errorf("%s, %s: all of %d answers were 503", sc.title, target, f.answers)
	}
}
