package jsonbody

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// scalar is the default limit of a string.
const scalar = 64 << 10

// TestBodiesBeyondTheLimitsAreRefused, with a pointer to the part that is.
func TestBodiesBeyondTheLimitsAreRefused(t *testing.T) {
	t.Parallel()
	many := func(part string, n int) string { return strings.TrimSuffix(strings.Repeat(part+",", n), ",") }
	var members strings.Builder
	for i := range maxMembers + 1 {
		_, _ = fmt.Fprintf(&members, `"m%d":1,`, i)
	}
	for text, want := range map[string]string{
		`{"a":{"b":[` + many("{}", 101) + `]}}`:                      "out_of_range /a/b",
		`[` + many(`1`, 101) + `]`:                                   "out_of_range ",
		`{"a":{` + strings.TrimSuffix(members.String(), ",") + `}}`:  "out_of_range /a",
		`{"a":{"` + strings.Repeat("n", maxName+1) + `":1}}`:         "too_long /a",
		`{"a":["x","` + strings.Repeat("x", scalar) + `"]}`:          "too_long /a/1",
		`{"a":` + strings.Repeat("9", scalar+1) + `}`:                "too_long /a",
		`[` + many(`[`+many("[]", 100)+`]`, 21) + `]`:                "out_of_range ",
		`{"a":[` + many(`{"x":"\ud83c\udf4a"}`, 101) + `],"b":"\q"}`: "out_of_range /a",
	} {
		_, err := Parse([]byte(text), Limits{Elements: 100})
		beyond, ok := errors.AsType[*LimitError](err)
		if !ok || beyond.Code+" "+beyond.Pointer != want {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{
		`[` + many("{}", 100) + `]`, `{"a":"` + strings.Repeat("x", scalar-2) + `"}`,
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
	} {
		if _, err := Parse([]byte(text), Limits{Elements: 100}); err != nil {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

// TestMemoryIsBoundedByLimits, and not by the size of the body: 4.8 million
// elements cost as much as the 10,000 that are read.
func TestMemoryIsBoundedByLimits(t *testing.T) {
	text := []byte(`{"document":{"pallets":[` + strings.Repeat("{},", 4_800_000) + `{}]}}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Parse(text, Limits{Elements: 10_000})
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("accepted")
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
}
