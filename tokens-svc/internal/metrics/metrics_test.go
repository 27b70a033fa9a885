package metrics

import (
	"database/sql"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestIntrospectionsAreCountedByResult(t *testing.T) {
	t.Parallel()
	m := New(new(sql.DB))
	m.Introspected("active")
	m.Introspected("active")
	if n := testutil.CollectAndCount(m.introspections); n != 1 {
		t.Errorf("%d series, want 1", n)
	}
	if n := testutil.ToFloat64(m.introspections.WithLabelValues("active")); n != 2 {
		t.Errorf("%v introspections, want 2", n)
	}
	if problems, err := testutil.GatherAndLint(m); err != nil || len(problems) != 0 {
		t.Errorf("%v, %v", problems, err)
	}
}
