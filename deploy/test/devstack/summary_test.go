package devstack

import (
	"strings"
	"testing"
)

func TestSkippedTestsAreListedWithTheirReasons(t *testing.T) {
	t.Parallel()
	const p = `"Package":"github.com/quayside/quayside/gateway/x"`
	var out strings.Builder
	err := summarize(&out, strings.NewReader(strings.Join([]string{
		`{"Action":"build-output","ImportPath":"y","Output":"y.go:1:1: no\n"}`,
		`{"Action":"output",` + p + `,"Test":"TestA","Output":"    a_test.go:7: redis-server is not installed\n"}`,
		`{"Action":"output",` + p + `,"Test":"TestB","Output":"=== RUN   TestB\n"}`,
		`{"Action":"output",` + p + `,"Test":"TestB","Output":"    b_test.go:8: got 1\n"}`,
		`{"Action":"output",` + p + `,"Test":"TestC","Output":"    c_test.go:9: fine\n"}`,
		`{"Action":"skip",` + p + `,"Test":"TestA"}`,
		`{"Action":"fail",` + p + `,"Test":"TestB"}`,
		`{"Action":"pass",` + p + `,"Test":"TestC"}`,
		`{"Action":"output",` + p + `,"Output":"panic: lost\n"}`,
		`{"Action":"output",` + p + `,"Test":"TestD","Output":"panic: test timed out\n"}`,
		`{"Action":"output",` + p + `,"Output":"FAIL\tgithub.com/quayside/quayside/gateway/x\t0.1s\n"}`,
		`{"Action":"fail",` + p + `}`,
	}, "\n")))
	const want = "y.go:1:1: no\n" +
		"    b_test.go:8: got 1\n" +
		"FAIL\tgithub.com/quayside/quayside/gateway/x\t0.1s\n" +
		"panic: lost\n" +
		"panic: test timed out\n" +
		"1 tests were skipped\n" +
		"  gateway/x TestA: redis-server is not installed\n"
	if err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}
