package transport

import (
	"strings"
	"testing"
)

// FuzzMatches: whatever the header, a tag is found where it stands in a
// well-formed list, and nothing else is ever taken for it.
func FuzzMatches(f *testing.F) {
	for _, seed := range []string{`"2.1"`, `W/"2.1"`, `*`, `"a", "b"`, `"a`, `,`, `""`, "\x00", `"2.1" "2.1"`} {
		f.Add(seed)
	}
	const tag = `"2.1"`
	f.Fuzz(func(t *testing.T, header string) {
		if !matches([]string{tag, header}, tag) {
			t.Errorf("%q hides the tag before it", header)
		}
		if strings.Trim(header, " \t") != "*" && matches([]string{header}, `"no client can have this one`+"\x00"+`"`) {
			t.Errorf("%q matches a tag that it does not have", header)
		}
	})
}
