package jsonbody

import (
	"slices"
	"testing"
)

func TestTextsAreRead(t *testing.T) {
	t.Parallel()
	body := parse(t, `{"texts":[" a ","Valparai\u0301so"],"none":[]}`)
	o := body.Object()
	if got := o.Texts("texts"); !slices.Equal(got, []string{"a", "Valparaíso"}) {
		t.Errorf("%q", got)
	}
	if got := o.Texts("none"); got == nil || len(got) != 0 {
		t.Errorf("an empty array is %v", got)
	}
	if o.Texts("missing") != nil || o.Has("missing") || !o.Has("none") {
		t.Error("a missing member has a value")
	}
	if faults := body.Faults(); faults != nil {
		t.Errorf("faults %v", faults)
	}
}

func TestTextsOfWrongTypesAreFaults(t *testing.T) {
	t.Parallel()
	body := parse(t, `{"a":"x","b":["x",null]}`)
	o := body.Object()
	for _, name := range []string{"a", "b"} {
		if got := o.Texts(name); got != nil {
			t.Errorf("%s is %q", name, got)
		}
	}
	var at []string
	for _, f := range body.Faults() {
		at = append(at, f.Pointer)
	}
	if !slices.Equal(at, []string{"/a", "/b/1"}) {
		t.Errorf("faults at %q", at)
	}
}
