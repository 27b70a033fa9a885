package metrics

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestCallsAreCountedByEndpointAndResult(t *testing.T) {
	t.Parallel()
	m := New(new(sql.DB), func() int64 { return 0 })
	m.Observe("introspect", "active", 2*time.Millisecond)
	m.Observe("introspect", "active", 3*time.Millisecond)
	m.Observe("token", "ok", time.Second)
	if n := testutil.CollectAndCount(m.calls); n != 2 {
		t.Errorf("%d series, want 2", n)
	}
	problems, err := testutil.GatherAndLint(m.Gatherer())
	if err != nil || len(problems) != 0 {
		t.Errorf("%v, %v", problems, err)
	}
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "tokens_endpoint_seconds" && strings.Contains(f.String(), "sample_count:2") {
			return
		}
	}
	t.Error("two introspections are not counted as two")
}
