package seed

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestExample: the example of README.md is valid, and has every status and result.
func TestExample(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../../../testdata/seed.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	all, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var statuses []shipments.Status
	var results []shipments.Result
	for _, d := range all {
		statuses = append(statuses, d.Status)
		for _, c := range d.Checks {
			results = append(results, c.Result)
		}
	}
	for _, s := range shipments.Statuses {
		if !slices.Contains(statuses, s) {
			t.Errorf("no shipment is %s", s)
		}
	}
	for _, r := range shipments.Results {
		if !slices.Contains(results, r) {
			t.Errorf("no check has the result %s", r)
		}
	}
	first := all[0]
	if first.Reference != "CFE-2026-0117" || first.ApprovedAt.Format(time.RFC3339Nano) != "2026-10-06T09:05:33.012Z" ||
		!reflect.DeepEqual(
			first.Pallets[1],
			shipments.Pallet{Number: "36009123450002", ProduceName: "Avocado Hass", Calibre: "18", Boxes: 264, BoxWeight: 4000},
		) {
		t.Errorf("%+v", first)
	}
}

func TestReadIsStrict(t *testing.T) {
	t.Parallel()
	_, err := Read(strings.NewReader(`{"shipments":[
		{"id":"ship_1","reference":1,"pallets":[{"boxes":"1","box_weight_kg":1.2345}],"checks":{}},
		{"referenz":"x","created_at":"now"}, 7], "more":1}`))
	want := `nothing was stored:
  /shipments/2: an element of shipments must be an object, not a number
  /shipments/0/id: id must be ship_ and 26 lower-case characters of Crockford's base32
  /shipments/0/reference: reference must be a string, not a number
  /shipments/0/pallets/0/boxes: boxes must be a number, not a string
  /shipments/0/pallets/0/box_weight_kg: box_weight_kg must have at most 3 decimals
  /shipments/0/checks: checks must be an array, not an object
  /shipments/1/created_at: created_at must be a time such as 2026-11-20T14:03:52.123Z
  /more: there is no member "more"; there is shipments
  /shipments/1/referenz: there is no member "referenz"; did you mean "reference"?`
	if got := Explain(err, "").Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReadNeedsJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"shipments":[]}{}`} {
		_, err := Read(strings.NewReader(text))
		if _, ok := errors.AsType[*jsonbody.SyntaxError](err); !ok || !errors.Is(Explain(err, ""), err) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReadReturnsErrorsOfItsReader(t *testing.T) {
	t.Parallel()
	want := errors.New("pipe broke")
	if _, err := Read(brokenReader{want}); !errors.Is(err, want) {
		t.Errorf("%v", err)
	}
}

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }
