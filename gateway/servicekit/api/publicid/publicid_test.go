package publicid

import (
	"testing"

	"github.com/google/uuid"
)

func TestKnownAnswers(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"00000000-0000-0000-0000-000000000000": "ship_00000000000000000000000000",
		"00000000-0000-0000-0000-000000000001": "ship_00000000000000000000000001",
		"ffffffff-ffff-ffff-ffff-ffffffffffff": "ship_7zzzzzzzzzzzzzzzzzzzzzzzzz",
	} {
		if got := Format("ship", uuid.MustParse(id)); got != want {
			t.Errorf("Format(%s) = %s, want %s", id, got, want)
		}
	}
}

func TestParseAcceptsOnlyTheCanonicalForm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "ship", "ship_", "doc_00000000000000000000000000",
		"ship_0000000000000000000000000",   // 25 characters
		"ship_000000000000000000000000000", // 27
		"ship_80000000000000000000000000",  // more than 128 bits
		"ship_0000000000000000000000000O",  // not in the alphabet
		"ship_0000000000000000000000000A",  // upper case
		"ship_0000000000000000000000000\n",
	} {
		if id, ok := Parse("ship", text); ok {
			t.Errorf("Parse(%q) = %s, want refusal", text, id)
		}
	}
}

func FuzzParseAcceptsOnlyCanonicalText(f *testing.F) {
	f.Add(New("ship"))
	f.Add("ship_7zzzzzzzzzzzzzzzzzzzzzzzzz")
	f.Fuzz(func(t *testing.T, text string) {
		if id, ok := Parse("ship", text); ok && Format("ship", id) != text {
			t.Errorf("%q reads as %s, whose text is %q", text, id, Format("ship", id))
		}
	})
}

func TestIdentifiersSortByCreation(t *testing.T) {
	t.Parallel()
	last := New("ship")
	for range 1000 {
		next := New("ship")
		if next <= last {
			t.Fatalf("%s was created after %s", next, last)
		}
		last = next
	}
}
