package people

import (
	"strings"
	"testing"
	"unicode"
)

// TestDirectionMarksAreRefusedInNamesAndAddresses: either is shown to other members, and would look like another.
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

// TestIssuerNamesAreChecked: a sign-in does not fail for them.
func TestIssuerNamesAreChecked(t *testing.T) {
	t.Parallel()
	for claimed, want := range map[string]string{
		" Anna Nowak\n":            "Anna Nowak",
		"Anna\u202e \x00Nowak":     "",
		"\xff":                     "",
		"An\u2028na":               "",
		"\u200b":                   "",
		strings.Repeat("ł", 1_000): "",
	} {
		got := claimedName(claimed)
		var wrong faults
		if wrong.name(got, 0); got != want || wrong.Fields != nil || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("%.20q: %.20q, want %.20q; %+v", claimed, got, want, wrong.Fields)
		}
	}
}

func TestAddressesHaveAHostNameOfTheInternet(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"acme.example": true, "a.b-c.example": true, "xn--bcher-kva.example": true, "1.example": true,
		"localhost": false, "acme.example.": false,
		"[127.0.0.1]": false, "1.2": false, "-acme.example": false, "acme-.example": false, "acme.-example": false,
		"acme.example-": false, "a_b.example": false,
	} {
		var wrong faults
		if wrong.email("anna@" + host); (wrong.Fields == nil) != want {
			t.Errorf("%s: %+v", host, wrong.Fields)
		}
	}
}

func TestAddressesAreASCIIAndOfBoundedLength(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", maxEmail-len("@acme.example")) + "@acme.example"
	for text, want := range map[string]bool{
		"anna@acme.example": true, " Anna@Acme.Example ": true, "a~@acme.example": true, "a\x7f@acme.example": false,
		long: true, "a" + long: false,
		"": false, "anna": false, "Anna <anna@acme.example>": false,
		"anna@acme.example,b@acme.example": false, "änna@acme.example": false,
		"anna@acme.\u212aom": false, // KELVIN SIGN, whose lower case is k
	} {
		if email, ok := canonical(text); ok != want || ok && email != strings.ToLower(strings.TrimSpace(text)) {
			t.Errorf("%.40q: %.40q, %t", text, email, ok)
		}
	}
}

func TestNamesAndPasswordsHaveBounds(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"": 1, " ": 1, "A": 0, strings.Repeat("ł", maxName): 0,
		strings.Repeat("ł", maxName+1): 1, "\xff": 1, "a\x00": 1, "\u200b": 1, "a\u2028b": 1,
	} {
		var wrong faults
		if wrong.name(name, 1); len(wrong.Fields) != want {
			t.Errorf("name %.20q: %+v", name, wrong.Fields)
		}
	}
	phrase := strings.Repeat("łó", minPassword/2)
	for password, want := range map[string]int{
		phrase: 0, phrase[2:]: 1, strings.Repeat("łó", maxPassword/4): 0, strings.Repeat("łó", maxPassword/4) + "a": 1,
		phrase + "\xff": 1, phrase + "\n": 1, strings.Repeat("a", minPassword): 1, "ANNA@acme.example": 1,
	} {
		var wrong faults
		if wrong.password(password, "anna@acme.example"); len(wrong.Fields) != want {
			t.Errorf("password %.20q: %+v", password, wrong.Fields)
		}
	}
}

func TestCommonPasswordsAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"correct horse battery": true, "kd8sj2ms0fj3": true, strings.Repeat("long phrase ", 80): true,
		"123456789012": false, "password1234": false, "qwertyuiop12": false, "aaaaaaaaaaaa": false, "abcdefghijkl": false,
	} {
		var wrong faults
		if wrong.password(text, "anna@acme.example"); (wrong.Fields == nil) != want {
			t.Errorf("%.20s: %+v", text, wrong.Fields)
		}
	}
}
