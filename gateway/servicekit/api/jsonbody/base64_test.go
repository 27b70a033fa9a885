package jsonbody

import (
	"strings"
	"testing"
)

func TestBase64(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("QUJD", 100_000)
	for text, want := range map[string]string{
		`"YWI="`: "ab", `"YWI"`: "ab", `"Y\u0057I=\r\n"`: "ab", `"YWJj\nZGVm"`: "abcdef",
		`"\/\/\/\/"`: "\xff\xff\xff", `""`: "",
		`"` + long + `"`: strings.Repeat("ABC", 100_000),
	} {
		body, err := Parse([]byte(`{"a":`+text+`}`), Limits{Elements: 1, Long: "/a"})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := body.Object().Base64("a"); !ok || string(got) != want || body.Faults() != nil {
			t.Errorf("%.40s: %.40q, %v", text, got, body.Faults())
		}
	}
	for text, want := range map[string]string{
		`{"a":7}`: InvalidType, `{"a":"Y"}`: InvalidValue, `{"a":"YWI=YWI="}`: InvalidValue, `{"a":"-_-_"}`: InvalidValue,
	} {
		body := parse(t, text)
		if got, _ := body.Object().Base64("a"); got != nil {
			t.Errorf("%s: %q", text, got)
		}
		if faults := body.Faults(); len(faults) != 1 || faults[0].Code != want || faults[0].Pointer != "/a" {
			t.Errorf("%s: %v", text, faults)
		}
	}
	if _, ok := parse(t, `{}`).Object().Base64("a"); ok {
		t.Error("a missing member")
	}
	if _, err := Parse([]byte(`{"b":"`+long+`"}`), Limits{Elements: 1, Long: "/a"}); err == nil {
		t.Error("another long member is accepted")
	}
}
