package jsonbody

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func parse(t *testing.T, text string) *Body {
	t.Helper()
	body, err := Parse([]byte(text), Limits{Elements: 100})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return body
}

func TestMembersAreReadAsTheirTypes(t *testing.T) {
	t.Parallel()
	body := parse(t, ` {"text":" Valparai\u0301so ","int":-7,"weight":4.125,"time":"2026-11-20t15:03:52.1234+01:00",
		"object":{"text":"x"},"objects":[{"int":1},{"int":2}]} `)
	o := body.Object()
	got := fmt.Sprintln(o.Text("text"), o.Int("int"), o.Thousandths("weight"),
		o.Time("time").UTC().Format(time.RFC3339Nano),
		o.Object("object").Text("text"))
	if want := "Valparaíso -7 4125 2026-11-20T14:03:52.1234Z x\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i, element := range o.Objects("objects") {
		if element.Int("int") != i+1 {
			t.Errorf("element %d is %+v", i, element)
		}
	}
	if faults := body.Faults(); faults != nil {
		t.Errorf("faults %v", faults)
	}
}

func TestMissingMembersAreZeroAndNoFault(t *testing.T) {
	t.Parallel()
	body := parse(t, `{}`)
	o := body.Object()
	if o.Text("a") != "" || o.Int("b") != 0 || o.Thousandths("c") != 0 || !o.Time("d").IsZero() || o.Objects("e") != nil {
		t.Error("a missing member has a value")
	}
	if faults := body.Faults(); faults != nil {
		t.Errorf("faults %v", faults)
	}
}

func TestMembersOfWrongTypesAreFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"text":1}`:                     InvalidType,
		`{"text":null}`:                  InvalidType,
		`{"int":"1"}`:                    InvalidType,
		`{"int":1.01}`:                   InvalidType,
		`{"weight":"4"}`:                 InvalidType,
		`{"weight":4.1255}`:              OutOfRange,
		`{"weight":1e-4}`:                OutOfRange,
		`{"time":"yesterday"}`:           InvalidValue,
		`{"time":"2026-11-20"}`:          InvalidValue,
		`{"time":"2026-11-20T4:03:52Z"}`: InvalidValue,
		`{"time":"2026-11-20T14:03:52"}`: InvalidValue,
		`{"time":1795183500}`:            InvalidType,
		`{"time":""}`:                    InvalidValue,
		`{"objects":{}}`:                 InvalidType,
		`{"objects":[1]}`:                InvalidType,
		`{"objects":[null]}`:             InvalidType,
		`{"object":[]}`:                  InvalidType,
		`{"texts":"x"}`:                  UnknownField,
		`{"object":{"x":1}}`:             UnknownField,
		`[]`:                             InvalidType,
	} {
		body := parse(t, text)
		o := body.Object()
		o.Text("text")
		o.Int("int")
		o.Thousandths("weight")
		o.Time("time")
		o.Objects("objects")
		if strings.Contains(text, `"object"`) {
			o.Object("object")
		}
		if faults := body.Faults(); len(faults) != 1 || faults[0].Code != want {
			t.Errorf("%s: %+v, want one %s", text, faults, want)
		}
	}
}

func TestThousandthsAreExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"0": 0, "-0": 0, "4": 4000, "4.1": 4100, "0.001": 1, "999.999": 999999, "1e2": 100000, "4.125e0": 4125, "-1.5": -1500,
		"1.100": 1100, "0.29": 290,
	} {
		body := parse(t, `{"w":`+text+`}`)
		if got := body.Object().Thousandths("w"); got != want || body.Faults() != nil {
			t.Errorf("%s is %d, want %d; %v", text, got, want, body.Faults())
		}
	}
}

// FuzzParse: what Parse accepts, encoding/json accepts and reads alike; its
// texts are normal; and reading it never fails.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"shipment":{"reference":"PO"}}`, `{"a":"\ud83c\udf4a"}`, `{"a":"\ud83c"}`, `{"a":"\\ud83c"}`, `{"a":1,"a":2}`,
		`[[[{}]]]`, strings.Repeat("[", 40), "[" + strings.Repeat("1,", 200) + "1]", `{"a":"e\u0301 "}`, `1e999`,
		"\xff", ``, ` null `, `{"":{"~/":[1,{"b":null}]}}`, `"\udf4a\ud83c"`, `{"a":{},"b":{"a":1,"a":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		body, err := Parse(text, Limits{Elements: 100})
		if err != nil {
			if _, ok := errors.AsType[*LimitError](err); ok {
				return // beyond the bounds
			}
			if fault, ok := errors.AsType[*SyntaxError](err); !ok || fault.Offset < 0 || fault.Offset > int64(len(text)) {
				t.Fatalf("%v", err)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatal("accepted what is not JSON")
		}
		o := body.Object()
		var members map[string]any
		_ = json.Unmarshal(text, &members)
		if len(members) != len(o.members) {
			t.Errorf("%d members, encoding/json has %d", len(o.members), len(members))
		}
		for name, value := range members {
			s, isText := value.(string)
			got := o.Text(name)
			if want := norm.NFC.String(strings.TrimSpace(s)); isText && got != want || !norm.NFC.IsNormalString(got) {
				t.Errorf("%q is %q, want %q", name, got, want)
			}
			o.Int(name)
			o.Thousandths(name)
			o.Time(name)
			for _, element := range o.Objects(name) {
				element.Text("a")
			}
		}
		for _, fault := range body.Faults() {
			if !utf8.ValidString(fault.Detail) || !slices.Contains([]string{
				InvalidType, InvalidValue, OutOfRange, UnknownField,
			}, fault.Code) {
				t.Errorf("%+v", fault)
			}
		}
	})
}

func TestNullIsNotMissing(t *testing.T) {
	t.Parallel()
	o := parse(t, `{"null":null,"object":{},"text":""}`).Object()
	if !o.Null("null") || o.Null("object") || o.Null("missing") || !o.Has("null") || o.Has("missing") {
		t.Error("null is taken for another value, or for none")
	}
	if text := o.OptionalText("text"); text == nil || *text != "" || !o.Has("object") {
		t.Error("what is empty counts as missing")
	}
}

// FuzzTimeAndChoice: what is read as a time or a choice is exactly one.
func FuzzTimeAndChoice(f *testing.F) {
	for _, seed := range []string{
		"", " ", "live", " live", "2026-11-20T14:03:52.123Z", "2026-11-20T4:03:52Z", "2026-11-20T14:03:52,1Z",
		"2026-02-30T00:00:00Z", "2026-11-20T14:03:52+24:00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		encoded, err := json.Marshal(map[string]string{"time": text, "choice": text})
		if err != nil || !utf8.ValidString(text) {
			return
		}
		body := parse(t, string(encoded))
		o := body.Object()
		at, choice := o.Time("time"), o.Choice("choice", "live", "test")
		faults := body.Faults()
		isChoice := text == "live" || text == "test"
		if isChoice != (choice == text && text != "") {
			t.Errorf("%q is the choice %q", text, choice)
		}
		isTime := !slices.ContainsFunc(faults, func(f Fault) bool { return f.Pointer == "/time" })
		want, err := time.Parse(time.RFC3339, strings.ToUpper(text))
		if isTime && (err != nil || !at.Equal(want)) || !isTime && !at.IsZero() {
			t.Errorf("%q is the time %s: %v", text, at, faults)
		}
	})
}

// TestWholeNumbersInAnySpelling: 240.0 and 2.4e2 are integers in JSON Schema. Those
// beyond the range are large, for the bound of the member to refuse.
func TestWholeNumbersInAnySpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"1.0": 1, "-12.00": -12, "0.0": 0, "2.4e2": 240, "240000E-3": 240, "9223372036854775807": most,
		"1e999": most, "-1e999": -most, "99999999999999999999": most,
	} {
		body := parse(t, `{"int":`+text+`}`)
		if got := body.Object().Int("int"); got != want || len(body.Faults()) != 0 {
			t.Errorf("%s is %d, with faults %v", text, got, body.Faults())
		}
	}
	for _, text := range []string{"2.5", "24e-1", "0.1"} {
		body := parse(t, `{"int":`+text+`}`)
		if body.Object().Int("int"); len(body.Faults()) != 1 {
			t.Errorf("%s is accepted", text)
		}
	}
	body := parse(t, `{"w":1e999}`)
	if got := body.Object().Thousandths("w"); got != 1000*most || body.Faults() != nil {
		t.Errorf("1e999 is %d, with faults %v", got, body.Faults())
	}
}
