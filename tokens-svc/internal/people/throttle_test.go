package people

import (
	"encoding/base64"
	"net/netip"
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

func TestCountersOfASignInDependOnDeviceAddressAndAccount(t *testing.T) {
	t.Parallel()
	anna := Account{User: User{ID: "usr_1"}, Password: "$argon2id$one"}
	here := ClientInfo{Address: netip.MustParseAddr("192.0.2.1")}
	known := here
	known.Device = deviceOf(anna, "sixteen bytes 01")
	if got := toSignIn(anna, "anna@acme.example", known); len(got) != 1 || got[0].limit != AttemptsPerDevice {
		t.Errorf("a known device has %+v", got)
	}
	unknown := toSignIn(anna, "anna@acme.example", here)
	for i, want := range []int{AttemptsPerAddress, AttemptsPerDevice, AttemptsPerAccount} {
		if unknown[i].limit != want {
			t.Errorf("counter %d of an unknown device is %+v, want the limit %d", i, unknown[i], want)
		}
	}
	elsewhere := toSignIn(anna, "anna@acme.example", ClientInfo{Address: netip.MustParseAddr("192.0.2.2")})
	other := toSignIn(Account{}, "bert@acme.example", here)
	for i, shared := range []struct{ address, account bool }{{false, true}, {false, false}, {true, false}} {
		if (unknown[i].key == elsewhere[i].key) != shared.address {
			t.Errorf("counter %d is shared by two addresses: %v", i, !shared.address)
		}
		if (unknown[i].key == other[i].key) != shared.account {
			t.Errorf("counter %d is shared by two accounts: %v", i, !shared.account)
		}
	}
	if ofAddress("invitation", here).key == unknown[0].key {
		t.Error("two purposes share a counter")
	}
	if newCount(1, "ab", "c").key == newCount(1, "a", "bc").key {
		t.Error("parts of a key are ambiguous")
	}
}

func TestInvitationCodesAreReadWithAndWithoutSeparators(t *testing.T) {
	t.Parallel()
	const code = "ABCDEFGHJKMNPQRSTVWX"
	written := spell(code)
	for _, text := range []string{written, code, "abcd efgh-jkmn\tpqrs tvwx"} {
		if got := unspell(text); got != code {
			t.Errorf("%q is read as %q", text, got)
		}
	}
	if len(written) <= len(code) {
		t.Errorf("%q has no separators", written)
	}
}
