package jsonbody

import (
	"math"
	"slices"
	"testing"
)

func TestTextsAndSequencesAreRead(t *testing.T) {
	t.Parallel()
	body := parse(t, `{"texts":[" a ","Valparai\u0301so"],"none":[],"number":9223372036854775807}`)
	o := body.Object()
	if got := o.Texts("texts"); !slices.Equal(got, []string{"a", "Valparaíso"}) {
		t.Errorf("%q", got)
	}
	if got := o.Texts("none"); got == nil || len(got) != 0 {
		t.Errorf("an empty array is %v", got)
	}
	if o.Texts("missing") != nil || o.Sequence("missing") != 0 || o.Has("missing") || !o.Has("none") {
		t.Error("a missing member has a value")
	}
	if n := o.Sequence("number"); n != math.MaxInt64 {
		t.Errorf("%d", n)
	}
	if faults := body.Faults(); faults != nil {
		t.Errorf("faults %v", faults)
	}
}

func TestTextsAndSequencesOfWrongTypesAreFaults(t *testing.T) {
	t.Parallel()
	body := parse(t, `{"a":"x","b":["x",null],"c":-1,"d":1.5,"e":"1","f":9223372036854775808}`)
	o := body.Object()
	for _, name := range []string{"a", "b"} {
		if got := o.Texts(name); got != nil {
			t.Errorf("%s is %q", name, got)
		}
	}
	for _, name := range []string{"c", "d", "e", "f"} {
		if got := o.Sequence(name); got != 0 {
			t.Errorf("%s is %d", name, got)
		}
	}
	var at []string
	for _, f := range body.Faults() {
		at = append(at, f.Pointer)
	}
	if !slices.Equal(at, []string{"/a", "/b/1", "/c", "/d", "/e", "/f"}) {
		t.Errorf("faults at %q", at)
	}
}
