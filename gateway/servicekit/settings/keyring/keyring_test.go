package keyring

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

func entry(version, size int) string {
	return fmt.Sprintf("%d:%s", version, base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", size))))
}

func TestTheNewestKeyIsTheFirst(t *testing.T) {
	t.Parallel()
	r, err := Parse(entry(7, 33) + ", " + entry(3, 32))
	if err != nil || len(r) != 2 || r[0].Version != 7 || len(r[0].Text) != 33 || r[1].Version != 3 {
		t.Errorf("%v (%v)", r, err)
	}
	if k, known := r.Find(3); !known || string(k.Text) != strings.Repeat("k", 32) {
		t.Errorf("key 3 is %q, known %t", k.Text, known)
	}
	if _, known := r.Find(4); known {
		t.Error("there is a key 4")
	}
	if !r.AnyBeginsWith("kkkkk") || r.AnyBeginsWith("x") {
		t.Error("AnyBeginsWith does not find the beginning of a key")
	}
	if shown := fmt.Sprintf("%v %+v %#v %s %x", r, r, r[0], r[1], r); shown != "7, 3 7, 3 7 3 7, 3" {
		t.Errorf("it prints as %s", shown)
	}
}

func TestAllErrorsAreReportedAtOnceWithoutKeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "entry 1: want version:base64, the version a whole number from 1 to 32767",
		entry(0, 32):                      "entry 1: want version:base64, the version a whole number from 1 to 32767",
		entry(32768, 32):                  "entry 1: want version:base64, the version a whole number from 1 to 32767",
		"1:***":                           "entry 1: version 1 is not base64",
		entry(2, 32) + "," + entry(2, 32): "entry 2: version 2 is given twice",
		entry(2, 31) + ",x": "entry 1: version 2 has 31 bytes; at least 32 are needed\nentry 2: want " +
			"version:base64, the version a whole number from 1 to 32767",
	} {
		if r, err := Parse(text); err == nil || err.Error() != want || r != nil {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
