package password

import (
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/quayside/quayside/gateway/servicekit/limit"
)

// cheap keeps tests quick.
var cheap = argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: saltLen, KeyLength: sumLen}

var office = From{Network: netip.MustParsePrefix("192.0.2.1/32")}

// known is the reference implementation's hash of "password" with "somesalt".
const known = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

func TestKnownAnswer(t *testing.T) {
	t.Parallel()
	h := New(Default)
	if right, err := h.Verify(t.Context(), office, known, "password"); !right || err != nil {
		t.Errorf("%t, %v; want a right one of other parameters", right, err)
	}
	if right, err := h.Verify(t.Context(), office, known, "Password"); right || err != nil {
		t.Errorf("a wrong one: %t, %v", right, err)
	}
	if right, err := h.Verify(t.Context(), office, "password", "password"); right || err == nil {
		t.Error("a stored password that is no hash is right")
	}
}

// TestAPasswordIsTheSameInAllFormsOfUnicode, and one that was stored in another form than NFC goes on working.
func TestAPasswordIsTheSameInAllFormsOfUnicode(t *testing.T) {
	t.Parallel()
	h := New(cheap)
	composed, decomposed := "caf\u00e9 am Hafen", "cafe\u0301 am Hafen"
	old, err := argon2id.CreateHash(decomposed, &cheap)
	if err != nil {
		t.Fatal(err)
	}
	for _, password := range []string{composed, decomposed} {
		stored, err := h.Hash(t.Context(), office, password)
		if err != nil {
			t.Fatal(err)
		}
		for _, typed := range []string{composed, decomposed} {
			if right, err := h.Verify(t.Context(), office, stored, typed); !right || err != nil {
				t.Errorf("%+q for %+q: %t, %v", typed, password, right, err)
			}
		}
	}
	if right, err := h.Verify(t.Context(), office, old, decomposed); !right || err != nil {
		t.Errorf("stored before: %t, %v", right, err)
	}
}

func TestVerifyAcceptsTheHashedPasswordOnly(t *testing.T) {
	t.Parallel()
	h := New(Default)
	for _, password := range []string{"correct horse battery", "", "ünïcödé 🍊", strings.Repeat("x", 1000)} {
		stored, err := h.Hash(t.Context(), office, password)
		if err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Fatalf("%q, %v", stored, err)
		}
		if right, err := h.Verify(t.Context(), office, stored, password); !right || err != nil {
			t.Errorf("%q: %t, %v", password, right, err)
		}
		if right, err := h.Verify(t.Context(), office, stored, password+" "); right || err != nil {
			t.Errorf("%q and a space: %t, %v", password, right, err)
		}
	}
}

func TestEachHashHasItsOwnSalt(t *testing.T) {
	t.Parallel()
	h := New(cheap)
	one, errOne := h.Hash(t.Context(), office, "same")
	two, errTwo := h.Hash(t.Context(), office, "same")
	if one == two || errOne != nil || errTwo != nil {
		t.Errorf("%q, %q, %v, %v", one, two, errOne, errTwo)
	}
}

// TestVerifyWithoutAStoredHashFails for every password: the account does not exist or has no password.
func TestVerifyWithoutAStoredHashFails(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"", "password", string(make([]byte, sumLen))} {
		if right, err := New(cheap).Verify(t.Context(), office, "", password); right || err != nil {
			t.Errorf("%q: %t, %v", password, right, err)
		}
	}
}

// TestANetworkWaitsForItsOwnPasswordsOnly: beside a network that uses its share, another one's is computed at once,
// and so is that of a device there that the account knows.
func TestANetworkWaitsForItsOwnPasswordsOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := New(cheap)
		for range perNetwork {
			if _, err := h.slots[false].Acquire(t.Context(), office.Network, 1); err != nil {
				t.Fatal(err)
			}
		}
		var waiting sync.WaitGroup
		for range queued {
			waiting.Go(func() {
				if _, err := h.Verify(t.Context(), office, "", "x"); !errors.Is(err, limit.ErrShare) {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		for _, from := range []From{
			{Network: netip.MustParsePrefix("198.51.100.1/32")}, {Network: office.Network, Known: true},
		} {
			if _, err := h.Verify(t.Context(), from, "", "x"); err != nil {
				t.Error(err)
			}
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("another network waited for %s", waited)
		}
		waiting.Wait()
		if waited := time.Since(began); waited != Wait {
			t.Errorf("the network waited for itself for %s", waited)
		}
	})
}
