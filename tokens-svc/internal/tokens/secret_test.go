package tokens

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// leaks finds eight characters in a row of the token's secret part.
func leaks(text string, s Secret) bool {
	private := s.Reveal()[secretStart:]
	for i := range len(private) - 7 {
		if strings.Contains(text, private[i:i+8]) {
			return true
		}
	}
	return false
}

// TestSecretsAreRedactedWhenPrinted prints a secret in every way that a program
// does by accident, also from within other values.
func TestSecretsAreRedactedWhenPrinted(t *testing.T) {
	t.Parallel()
	s := Generate(Live)
	type public struct{ S Secret }
	type private struct{ s Secret }
	values := map[string]any{
		"itself": s, "pointer": &s, "field": public{s}, "unexported field": private{s}, "pointer to field": &private{s},
		"slice": []Secret{s}, "map": map[string]Secret{"k": s}, "interface": []any{s}, "nested": []any{&public{s}},
	}
	for name, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T %[1]v", "%40s", "%p"} {
			if text := fmt.Sprintf(verb, v); leaks(text, s) {
				t.Errorf("%s of %s shows %s", verb, name, text)
			}
		}
		if text, err := json.Marshal(v); err != nil || leaks(string(text), s) {
			t.Errorf("JSON of %s shows %s, %v", name, text, err)
		}
		for kind, handler := range map[string]func(*bytes.Buffer) slog.Handler{
			"JSON": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
			"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		} {
			var out bytes.Buffer
			slog.New(handler(&out)).Info("made", "token", v)
			if leaks(out.String(), s) {
				t.Errorf("a %s log line of %s shows %s", kind, name, out.String())
			}
		}
	}
	if text, err := xml.Marshal(s); err != nil || leaks(string(text), s) {
		t.Errorf("XML shows %s, %v", text, err)
	}
	if text := s.String(); leaks(text, s) {
		t.Errorf("a method shows %s", text)
	}
	if err := fmt.Errorf("token %v: %w", s, ErrMalformed); leaks(err.Error(), s) {
		t.Errorf("an error shows %v", err)
	}
}

func TestASecretShowsItsPublicPart(t *testing.T) {
	t.Parallel()
	s, err := Parse("shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(s), "shpt_live_4fZyo82mVyR1_…"; got != want {
		t.Errorf("shows %q, want %q", got, want)
	}
	if got, want := fmt.Sprint(Secret{}), "no token"; got != want {
		t.Errorf("the zero Secret shows %q, want %q", got, want)
	}
}

func TestScrubRedactsTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "shipments": "shipments",
		"/x/shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19/y": "/x/shpt_live_4fZyo82mVyR1_…/y",
		"shpt_test_zzzzzzzzzzzz_zz and " +
			"shpt_test_zzzzzzzzzzzz_": "shpt_test_zzzzzzzzzzzz_… and shpt_test_zzzzzzzzzzzz_…",
		"shpt_prod_Qm3pXv9KcT7w":                 "shpt_…",
		"shpt_live_4fZyo82mVyR1Qm3pXv9KcT7wNs2L": "shpt_…",
		"shpt_":                                  "shpt_…",
		"shpt_live_4fZyo82mVyR1_…, …":            "shpt_live_4fZyo82mVyR1_…, …",
	} {
		if got := Scrub(text); got != want {
			t.Errorf("Scrub(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzScrubLeavesNoSecret(f *testing.F) {
	s := Generate(Live)
	f.Add("GET /", "?x=1")
	f.Add("shpt_", "_")
	f.Fuzz(func(t *testing.T, before, after string) {
		if text := Scrub(before + s.Reveal() + after); leaks(text, s) && !leaks(before+after, s) {
			t.Errorf("%q still shows the secret", text)
		}
	})
}
