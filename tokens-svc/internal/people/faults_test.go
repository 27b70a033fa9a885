package people

import (
	"strings"
	"testing"
	"unicode"
)

// TestDirectionMarksAreRefusedInNamesAndAddresses: either is shown to other
// members, and would look like another.
func TestDirectionMarksAreRefusedInNamesAndAddresses(t *testing.T) {
	t.Parallel()
	for _, r := range "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" {
		var wrong faults
		wrong.name("An"+string(r)+"na", 1)
		wrong.email("an" + string(r) + "na@acme.example")
		if len(wrong.Fields) != 2 {
			t.Errorf("%U: %+v", r, wrong.Fields)
		}
	}
}

// TestTheNameThatAnIssuerStatesIsMadeFit: a sign-in does not fail for it.
func TestTheNameThatAnIssuerStatesIsMadeFit(t *testing.T) {
	t.Parallel()
	for claimed, want := range map[string]string{
		" Anna\u202e \x00Nowak\n":  "Anna Nowak",
		"\xff":                     "",
		strings.Repeat("ł", 1_000): strings.Repeat("ł", maxName),
	} {
		got := claimedName(claimed)
		var wrong faults
		if wrong.name(got, 0); got != want || wrong.Fields != nil || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("%.20q: %.20q, want %.20q; %+v", claimed, got, want, wrong.Fields)
		}
	}
}
