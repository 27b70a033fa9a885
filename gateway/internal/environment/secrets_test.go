package environment

import (
	"strings"
	"testing"
)

func TestCredentialIsLongPrintableAndNotTheDemos(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("x", minCredentialBytes)
	for _, tt := range []struct {
		credential string
		demo, ok   bool
	}{
		{long, false, true},
		{"!~" + long, false, true},
		{"", true, false},
		{long[1:], true, false},
		{long + " ", true, false},
		{long + "\x7f", true, false},
		{"demo-" + long, false, false},
		{"demo-" + long, true, true},
	} {
		if err := checkCredential(tt.credential, tt.demo); (err == nil) != tt.ok {
			t.Errorf("%q, demo %t: %v", tt.credential, tt.demo, err)
		}
	}
}

func TestSigningKeyIsNeededUnlessForDevelopment(t *testing.T) {
	t.Parallel()

	const key = "-----BEGIN PRIVATE KEY-----\n" +
		"MC4CAQAwBQYDK2VwBCIEIHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\n-----END PRIVATE KEY-----\n"
	for _, tt := range []struct {
		key      string
		demo, ok bool
	}{
		{"", false, false}, {"", true, true}, {key, false, true}, {key, true, true}, {"x", true, false},
	} {
		if err := checkKey(tt.key, tt.demo); (err == nil) != tt.ok {
			t.Errorf("%.10q, demo %t: %v", tt.key, tt.demo, err)
		}
	}
}
