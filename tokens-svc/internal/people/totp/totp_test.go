package totp_test

import (
	"encoding/base32"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people/totp"
)

// TestCodesAreThoseOfRFC6238: the last six digits of its appendix B for SHA-1.
func TestCodesAreThoseOfRFC6238(t *testing.T) {
	t.Parallel()
	key := []byte("12345678901234567890")
	for at, code := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
	} {
		if step, ok := totp.Accept(key, code, time.Unix(at, 0), 0); !ok || step != at/30 {
			t.Errorf("at %d: step %d, %t", at, step, ok)
		}
	}
}

func TestACodeIsValidInThreeStepsAndOnlyForward(t *testing.T) {
	t.Parallel()
	key, code := []byte("12345678901234567890"), "005924"
	const step = 1234567890 / 30
	for name, c := range map[string]struct {
		code  string
		steps int64 // since the code's
		after int64
		want  bool
	}{
		"a phone that is slow": {code, 1, 0, true}, "a phone that is fast": {code, -1, 0, true},
		"too late": {code, 2, 0, false}, "too early": {code, -2, 0, false},
		"behind an older one": {code, 0, step - 1, true}, "a second time": {code, 0, step, false},
		"behind a newer one": {code, 1, step + 1, false},
		"another code":       {"005925", 0, 0, false}, "a short one": {"5924", 0, 0, false}, "nothing": {"", 0, 0, false},
	} {
		if _, ok := totp.Accept(key, c.code, time.Unix(1234567890+30*c.steps, 0), c.after); ok != c.want {
			t.Errorf("%s: %t", name, ok)
		}
	}
}

func TestAppsReadTheKeyAsTextAndAsQRCode(t *testing.T) {
	t.Parallel()
	key := totp.New()
	e, err := totp.Enrolment(key, "anna@acme.example")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimRight(base32.StdEncoding.EncodeToString(key), "=")
	if e.Secret() != want || e.Issuer() != "Quayside" || e.AccountName() != "anna@acme.example" || e.Type() != "totp" {
		t.Errorf("%s", e)
	}
	path, side, err := totp.QR(e.URL())
	if err != nil || side < 29 || !strings.HasPrefix(path, "M4 4h1v1h-1z") {
		t.Errorf("%d %.20s %v", side, path, err)
	}
}
