package people

import (
	"encoding/base64"
	"testing"
)

// deviceOf returns the cookie of a device that signed in to a.
func deviceOf(a Account, nonce string) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte(nonce), a.deviceMAC([]byte(nonce))...))
}

func TestADeviceIsKnownToItsAccountAndCurrentPasswordOnly(t *testing.T) {
	t.Parallel()
	anna := Account{User: User{ID: "usr_1"}, Password: "$argon2id$one"}
	nonce := "sixteen bytes 01"
	cookie := deviceOf(anna, nonce)
	if got, ok := anna.knows(cookie); !ok || got != nonce {
		t.Errorf("the device is %q, %v", got, ok)
	}
	for name, c := range map[string]struct {
		account Account
		cookie  string
	}{
		"another account":        {Account{User: User{ID: "usr_2"}, Password: anna.Password}, cookie},
		"another password":       {Account{User: anna.User, Password: "$argon2id$two"}, cookie},
		"neither of both":        {Account{User: anna.User}, deviceOf(Account{User: anna.User}, nonce)},
		"another nonce":          {anna, cookie[4:] + cookie[:4]},
		"a shorter cookie":       {anna, cookie[:len(cookie)-4]},
		"a longer cookie":        {anna, cookie + "AAAA"},
		"a cookie of other text": {anna, "?" + cookie[1:]},
		"no cookie":              {anna, ""},
	} {
		if _, ok := c.account.knows(c.cookie); ok {
			t.Errorf("%s: the device is known", name)
		}
	}
}

func TestPartsOfACountersKeyAreDistinct(t *testing.T) {
	t.Parallel()
	if newCount(1, "ab", "c").key == newCount(1, "a", "bc").key {
		t.Error("they are ambiguous")
	}
}
