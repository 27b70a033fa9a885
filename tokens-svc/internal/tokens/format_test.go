package tokens

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// contract is what gateway and tokens service agree on.
func contract(tb testing.TB) (c struct{ Valid, Invalid []string }) {
	tb.Helper()
	content, err := os.ReadFile("../../testdata/contract/tokens.json")
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(content, &c); err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestParseAcceptsTheContractsTokens(t *testing.T) {
	t.Parallel()
	for _, text := range contract(t).Valid {
		s, err := Parse(text)
		if err != nil || s.Reveal() != text {
			t.Errorf("Parse(%q) = %q, %v", text, s.Reveal(), err)
		}
	}
	for _, text := range contract(t).Invalid {
		if s, err := Parse(text); !errors.Is(err, ErrMalformed) || !s.IsZero() {
			t.Errorf("Parse(%q) = %q, %v; want ErrMalformed", text, s.Reveal(), err)
		}
	}
}

func TestEveryGeneratedTokenParses(t *testing.T) {
	t.Parallel()
	for range 1000 {
		for _, env := range []Environment{Live, Test} {
			s := Generate(env)
			back, err := Parse(s.Reveal())
			if err != nil || back.Reveal() != s.Reveal() || back.ID() != s.ID() {
				t.Fatalf("%q came back as %q, %v", s.Reveal(), back.Reveal(), err)
			}
			if !strings.HasPrefix(s.Reveal(), "shpt_"+string(env)+"_") {
				t.Fatalf("%q does not show its environment, %s", s.Reveal(), env)
			}
		}
	}
}

// TestEverySingleTypingErrorIsFound changes each character of tokens into each other that could stand there, leaves
// each out, doubles each, and swaps each with its neighbour. CRC-32 promises as much for bursts of up to 32 bits; the
// test is about our use of it.
func TestEverySingleTypingErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, text := range append(contract(t).Valid, Generate(Live).Reveal()) {
		for i := range len(text) {
			for _, c := range base62 + "_- \n\x00é" {
				if wrong := text[:i] + string(c) + text[i+1:]; wrong != text {
					refused(t, wrong)
				}
			}
			refused(t, text[:i]+text[i+1:])
			refused(t, text[:i]+text[i:i+1]+text[i:])
			if i > 0 && text[i-1] != text[i] {
				refused(t, text[:i-1]+text[i:i+1]+text[i-1:i]+text[i+1:])
			}
		}
	}
}

func refused(t *testing.T, text string) {
	t.Helper()
	if _, err := Parse(text); !errors.Is(err, ErrMalformed) {
		t.Errorf("Parse(%q) = %v, want ErrMalformed", text, err)
	}
}

func TestRefusalsDoNotRepeatTheText(t *testing.T) {
	t.Parallel()
	secret := Generate(Live).Reveal()
	for _, text := range []string{
		secret + "x", secret[1:], strings.Replace(secret, "_live_", "_prod_", 1),
		secret[:60] + "-", flipLast(secret),
	} {
		_, err := Parse(text)
		if err == nil || strings.Contains(err.Error(), text[30:38]) {
			t.Errorf("the refusal of %q says %v", text, err)
		}
	}
}

func flipLast(text string) string {
	if strings.HasSuffix(text, "0") {
		return text[:len(text)-1] + "1"
	}
	return text[:len(text)-1] + "0"
}

func FuzzParseAcceptsOnlyWhatGenerateMakes(f *testing.F) {
	for _, text := range append(contract(f).Valid, contract(f).Invalid...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			if !errors.Is(err, ErrMalformed) || !s.IsZero() {
				t.Fatalf("Parse(%q) = %q, %v", text, s.Reveal(), err)
			}
			return
		}
		body := text[:sumStart]
		if sum := checksum(body); s.Reveal() != text || len(text) != textLen || text != body+string(sum[:]) {
			t.Fatalf("Parse(%q) accepted what Generate cannot make", text)
		}
	})
}

// TestEveryCharacterIsEquallyLikely: the bounds are eight standard deviations.
func TestEveryCharacterIsEquallyLikely(t *testing.T) {
	t.Parallel()
	text := randomBase62(1000 * len(base62))
	for _, c := range base62 {
		if n := strings.Count(text, string(c)); n < 750 || n > 1250 {
			t.Errorf("%q occurs %d times, want about 1000", c, n)
		}
	}
}
