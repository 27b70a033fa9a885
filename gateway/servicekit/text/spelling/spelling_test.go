package spelling

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNearestHasTheSmallestEditDistance(t *testing.T) {
	t.Parallel()
	known := []string{"reference", "vessel", "origin", "destination"}
	for name, want := range map[string]string{
		"vesel": "vessel", "Vessel": "vessel", "vessel_name": "vessel", "ref": "", "referenz": "reference",
		"dest": "", "origen": "origin", "x": "", "": "", strings.Repeat("vessel", 100): "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("the nearest to %q is %q, want %q", name, got, want)
		}
	}
}

func TestLongNamesAreCut(t *testing.T) {
	t.Parallel()
	if got := Unknown("member", strings.Repeat("é", 5000), []string{"a"}); utf8.RuneCountInString(got) > 80 {
		t.Errorf("%s", got)
	}
}

func ExampleUnknown() {
	fmt.Println(Unknown("member", "vesel", []string{"reference", "vessel"}))
	fmt.Println(Unknown("parameter", "sort", []string{"page", "per_page"}))
	// Output:
	// there is no member "vesel"; did you mean "vessel"?
	// there is no parameter "sort"; there is page, per_page
}

func ExampleNearest() {
	known := []string{"shipments:read", "documents:read"}
	fmt.Printf("%q %q\n", Nearest("Shipment:red", known), Nearest("everything", known))
	// Output: "shipments:read" ""
}
