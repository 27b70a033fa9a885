package credential

import (
	"fmt"
	"strings"
	"testing"
)

const newest = "0123456789abcdef0123456789abcdef"

func TestWeakOrUnusableCredentialsAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "entry 1 has 0 bytes",
		newest[1:]:                      "entry 1 has 31 bytes; at least 32 are needed",
		newest + ",":                    "entry 2 has 0 bytes",
		"short," + newest + ",shorter":  "entry 1 has 5 bytes; at least 32 are needed\nentry 3 has 7 bytes",
		newest + "\nX-Header: smuggled": "entry 1 has other characters than visible ASCII",
		newest + "é":                    "entry 1 has other characters than visible ASCII",
	} {
		s, err := Parse(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || s.Accepts(newest) {
			t.Errorf("Parse(%q): %v, want %s", text, err, want)
		}
	}
}

func TestASetDoesNotShowItsCredentials(t *testing.T) {
	t.Parallel()
	s, err := Parse(newest)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", s, s, s, s); strings.Contains(text, newest[:8]) {
		t.Errorf("shows %s", text)
	}
}
