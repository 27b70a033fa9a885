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
	r, err := Parse(entry(7, 5)+", "+entry(3, 4), Bounds{MaxVersion: 9, Bytes: 4, Longer: true})
	if err != nil || len(r) != 2 || r[0].Version != 7 || string(r[0].Text) != "kkkkk" || r[1].Version != 3 {
		t.Errorf("%v (%v)", r, err)
	}
	if k, known := r.Find(3); !known || string(k.Text) != "kkkk" {
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
	exact := Bounds{MaxVersion: 9, Bytes: 4}
	for text, want := range map[string]string{
		"":                              "entry 1: want version:base64, the version a whole number from 1 to 9",
		entry(0, 4):                     "entry 1: want version:base64, the version a whole number from 1 to 9",
		entry(10, 4):                    "entry 1: want version:base64, the version a whole number from 1 to 9",
		"1:***":                         "entry 1: version 1 is not base64",
		entry(1, 5):                     "entry 1: version 1 has 5 bytes; exactly 4 are needed",
		entry(2, 4) + "," + entry(2, 4): "entry 2: version 2 is given twice",
		entry(2, 3) + ",x": "entry 1: version 2 has 3 bytes; exactly 4 are needed\nentry 2: want " +
			"version:base64, the version a whole number from 1 to 9",
	} {
		if r, err := Parse(text, exact); err == nil || err.Error() != want || r != nil {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Parse(entry(1, 3), Bounds{MaxVersion: 9, Bytes: 4, Longer: true}); err == nil ||
		err.Error() != "entry 1: version 1 has 3 bytes; at least 4 are needed" {
		t.Errorf("%v", err)
	}
}
