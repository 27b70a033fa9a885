package jsonbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func divert(text string) (string, *Body, error) {
	var rest bytes.Buffer
	var sink strings.Builder
	diverted, err := Divert(strings.NewReader(text), &rest, &sink, "document", "content")
	if err != nil {
		return sink.String(), nil, err
	}
	body, err := diverted.Parse(rest.Bytes(), Limits{Elements: 100})
	return sink.String(), body, err
}

func TestDivertTakesOneStringOut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("QUJD", 100_000)
	for text, want := range map[string]string{
		`{"document":{"content":"abc","type":"x"}}`:                       "abc",
		`{ "a" : [{"document":1}] , "document" : { "content" : "abc" } }`: "abc",
		`{"document":{"content":"a\/b\u002b\u00e9\n\"\\"}}`:               "a/b+é\n\"\\",
		`{"docu\u006dent":{"content":"abc"}}`:                             "abc",
		`{"document":{"content":"` + long + `"}}`:                         long,
		`{"document":{"other":{"content":"abc"},"b":["content","abc"]}}`:  "",
		`{"content":"abc","document":{"x":"\"content\":\"abc\""}}`:        "",
		`{"document":[{"content":"abc"}]}`:                                "",
		`[{"document":{"content":"abc"}}]`:                                "",
		`{"document":{"content":7}}`:                                      "",
		`{"document":{"content":{"content":"abc"}}}`:                      "",
		`{"document":{"content":""}}`:                                     "",
		`{"x":{"document":{"content":"abc"}}}`:                            "",
		`"document"`:                                                      "",
		`{"document":"content"}`:                                          "",
	} {
		got, body, err := divert(text)
		if err != nil || body == nil || got != want {
			t.Errorf("%.80s: %.80q (%v), want %.80q", text, got, err, want)
		}
	}
	_, body, err := divert(`{"document":{"type":"x","content":"abc","more":[1,"y"]}}`)
	if err != nil {
		t.Fatal(err)
	}
	document := body.Object().Object("document")
	if content := document.OptionalText("content"); content == nil || *content != "" || document.Text("type") != "x" {
		t.Errorf("%v, the type is %q", content, document.Text("type"))
	}
}

// TestDivertRefusesWhatParseRefuses, at the offset in the whole body.
func TestDivertRefusesWhatParseRefuses(t *testing.T) {
	t.Parallel()
	for text, offset := range map[string]int64{
		`{"document":{"content":"abc"}`:                29,
		`{"document":{"content":"abc"}}x`:              31,
		`{"document":{"content":"abc`:                  0,
		`{"document":{"content":"abc\`:                 0,
		`{"document":{"content":"abc\u00`:              0,
		`{"document":{"content":"a\qc"}}`:              26,
		`{"document":{"content":"a\u00zzc"}}`:          26,
		"{\"document\":{\"content\":\"a\nb\"}}":        26,
		`{"document":{"content":"abc","content":"d"}}`: 0,
		`{"document":{"content":"abc"},"document":{}}`: 0,
		``:                          0,
		strings.Repeat("[", 20_000): 0,
	} {
		_, _, err := divert(text)
		bad, ok := errors.AsType[*SyntaxError](err)
		if !ok || offset > 0 && bad.Offset != offset {
			t.Errorf("%.60q: %v, want offset %d", text, err, offset)
		}
	}
}

func TestDivertReturnsErrorsOfReadingAndWriting(t *testing.T) {
	t.Parallel()
	oops := errors.New("oops")
	for _, begun := range []string{"", `{"docu`, `{"document":{"content":"ab`} {
		r := iotest.ErrReader(oops)
		if _, err := Divert(io.MultiReader(strings.NewReader(begun), r), new(strings.Builder), new(strings.Builder),
			"document", "content"); !errors.Is(err, oops) {
			t.Errorf("after %s: %v", begun, err)
		}
	}
	const whole = `{"document":{"content":"abc"}}`
	if _, err := Divert(strings.NewReader(whole), new(strings.Builder), failing{oops}, "document",
		"content"); !errors.Is(err, oops) {
		t.Errorf("writing to the sink: %v", err)
	}
	if _, err := Divert(strings.NewReader(whole), failing{oops}, new(strings.Builder), "document",
		"content"); !errors.Is(err, oops) {
		t.Errorf("writing the rest: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// FuzzDivert: what is accepted is accepted by Parse, and what went to the sink
// is what encoding/json finds there.
func FuzzDivert(f *testing.F) {
	for _, text := range []string{
		`{"document":{"content":"abc","type":"x"}}`, `{"document":{"content":"a\/b\u002b\"\\"}}`,
		`{"document":[{"content":"abc"}]}`,
		`{"a":"\"","document":{"content":""}}`, `[1,{"document":"}"}]`, `{"document":{"content":"`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		diverted, _, err := divert(text)
		_, whole := Parse([]byte(text), Limits{Elements: 100})
		if err != nil {
			return // it may be stricter, as with half of a surrogate pair
		}
		var v struct{ Document json.RawMessage }
		var content struct{ Content json.RawMessage }
		if whole != nil {
			if !strings.Contains(whole.Error(), "UTF-8") && !strings.Contains(whole.Error(), "surrogate") {
				t.Errorf("%q is accepted: %v", text, whole)
			}
			return // the sink has such bytes as they are
		}
		// encoding/json does not distinguish upper case from lower.
		if json.Unmarshal([]byte(text), &v) != nil || json.Unmarshal(v.Document, &content) != nil ||
			!strings.Contains(text, `"content"`) || !strings.Contains(text, `"document"`) {
			return
		}
		var want string
		if json.Unmarshal(content.Content, &want) == nil && string(content.Content) != "null" && diverted != "" &&
			diverted != want {
			t.Errorf("%q diverts %q, want %q", text, diverted, want)
		}
	})
}
