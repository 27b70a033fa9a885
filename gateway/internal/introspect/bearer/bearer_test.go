package bearer_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
)

const token = "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"

var format = bearer.Format{
	Prefixes: []string{"shpt_live_", "shpt_test_"}, Length: len(token), IDLength: 12, Subject: "tok_", Checksum: true,
}

// Tokens of other servers.
func TestTheZeroFormatIsThatOfRFC6750(t *testing.T) {
	t.Parallel()

	var zero bearer.Format
	for text, want := range map[string]bool{
		"2YotnFZFEjr1zCsicMWpAA": true, "eyJhbGciOiJub25lIn0.e30.": true, "a/+=~-_.": true, strings.Repeat("x", 4096): true,
		"": false, "a b": false, "a,b": false, "ü": false, strings.Repeat("x", 4097): false,
	} {
		if zero.WellFormed(text) != want {
			t.Errorf("%.20q: %t", text, !want)
		}
	}
	if short := (&bearer.Format{Prefixes: []string{"x_"}, Checksum: true}); short.WellFormed("x_abc") {
		t.Error("a token shorter than a checksum")
	}
	if got := format.SubjectOf(token); got != "tok_4fZyo82mVyR1" || zero.SubjectOf(token) != "" {
		t.Errorf("sub %q", got)
	}
}

func TestWellFormedAgreesWithTheContract(t *testing.T) {
	t.Parallel()

	raw, err := os.ReadFile("../../../testdata/contract/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct{ Valid, Invalid []string }
	if err := json.Unmarshal(raw, &contract); err != nil {
		t.Fatal(err)
	}
	if len(contract.Valid) == 0 || len(contract.Invalid) == 0 {
		t.Fatal("the contract names no tokens")
	}
	for _, token := range contract.Valid {
		if !format.WellFormed(token) {
			t.Errorf("WellFormed(%q) = false; the contract says valid", token)
		}
	}
	for _, token := range contract.Invalid {
		if format.WellFormed(token) {
			t.Errorf("WellFormed(%q) = true; the contract says invalid", token)
		}
	}
}

func TestWellFormedFindsEverySingleTypingError(t *testing.T) {
	t.Parallel()

	for i := range len(token) {
		wrong := []byte(token)
		if wrong[i]++; format.WellFormed(string(wrong)) {
			t.Errorf("a wrong character at %d went unnoticed", i)
		}
	}
}

func TestReadTakesExactlyOneBearerToken(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		values []string
		want   error
	}{
		"plain":                   {[]string{"Bearer " + token}, nil},
		"scheme in lower case":    {[]string{"bearer " + token}, nil},
		"scheme in odd case":      {[]string{"bEaReR " + token}, nil},
		"several spaces":          {[]string{"Bearer    " + token}, nil},
		"no header":               {nil, bearer.ErrMissing},
		"empty header":            {[]string{""}, bearer.ErrMissing},
		"another scheme":          {[]string{"Basic " + token}, bearer.ErrMissing},
		"a longer scheme":         {[]string{"Bearerr " + token}, bearer.ErrMissing},
		"no scheme":               {[]string{token}, bearer.ErrMissing},
		"scheme alone":            {[]string{"Bearer"}, bearer.ErrMalformed},
		"scheme and spaces":       {[]string{"Bearer  "}, bearer.ErrMalformed},
		"tab for space":           {[]string{"Bearer\t" + token}, bearer.ErrMissing},
		"two headers":             {[]string{"Bearer " + token, "Bearer " + token}, bearer.ErrMalformed},
		"two schemes":             {[]string{"Basic eA==", "Bearer " + token}, bearer.ErrMalformed},
		"two in one header":       {[]string{"Bearer " + token + ", Bearer " + token}, bearer.ErrMalformed},
		"trailing text":           {[]string{"Bearer " + token + " x"}, bearer.ErrMalformed},
		"another kind of a token": {[]string{"Bearer eyJhbGciOiJub25lIn0.e30."}, bearer.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := format.Read(tt.values)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if err == nil && got != token {
				t.Errorf("token %q", got)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "Bearer", "Bearer " + token, "bearer  " + token, "Basic x",
		"Bearer " + token + ",",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got, err := format.Read([]string{value})
		if err != nil {
			if got != "" {
				t.Errorf("%q came with error %v", got, err)
			}
			return
		}
		if len(got) != 61 || !strings.HasSuffix(value, got) ||
			!strings.EqualFold(value[:7], "Bearer ") {
			t.Errorf("Read(%q) = %q", value, got)
		}
		if _, err := format.Read([]string{value, value}); !errors.Is(err, bearer.ErrMalformed) {
			t.Error("two headers were accepted")
		}
	})
}
