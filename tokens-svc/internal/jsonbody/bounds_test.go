package jsonbody

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestABodyBeyondTheBoundsIsRefused, with a pointer to the part that is.
func TestABodyBeyondTheBoundsIsRefused(t *testing.T) {
	t.Parallel()
	many := func(part string, n int) string { return strings.TrimSuffix(strings.Repeat(part+",", n), ",") }
	var members strings.Builder
	for i := range maxMembers + 1 {
		_, _ = fmt.Fprintf(&members, `"m%d":1,`, i)
	}
	for text, want := range map[string]string{
		`{"a":{"b":[` + many("{}", maxElements+1) + `]}}`:           "out_of_range /a/b",
		`{"a":{` + strings.TrimSuffix(members.String(), ",") + `}}`: "out_of_range /a",
		`{"a":{"` + strings.Repeat("n", maxName+1) + `":1}}`:        "too_long /a",
		`{"a":["x","` + strings.Repeat("x", maxScalar) + `"]}`:      "too_long /a/1",
		`[` + many(`[`+many("[]", maxElements)+`]`, 6) + `]`:        "out_of_range ",
	} {
		_, err := Parse([]byte(text))
		beyond, ok := errors.AsType[*LimitError](err)
		if !ok || beyond.Code+" "+beyond.Pointer != want {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
	_, err := Parse([]byte(strings.Repeat("[", maxDepth+1)))
	if deep, ok := errors.AsType[*SyntaxError](err); !ok || deep.Offset != maxDepth+1 {
		t.Errorf("too deep: %v", err)
	}
}
