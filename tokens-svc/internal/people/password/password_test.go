package password

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/alexedwards/argon2id"
)

// cheap keeps tests quick.
var cheap = argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: saltLen, KeyLength: sumLen}

// known is the reference implementation's hash of "password" with "somesalt".
const known = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

func TestKnownAnswer(t *testing.T) {
	t.Parallel()
	h := New(Default)
	if right, err := h.Verify(t.Context(), known, "password"); !right || err != nil {
		t.Errorf("%t, %v; want a right one of other parameters", right, err)
	}
	if right, err := h.Verify(t.Context(), known, "Password"); right || err != nil {
		t.Errorf("a wrong one: %t, %v", right, err)
	}
	if right, err := h.Verify(t.Context(), "password", "password"); right || err == nil {
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
		stored, err := h.Hash(t.Context(), password)
		if err != nil {
			t.Fatal(err)
		}
		for _, typed := range []string{composed, decomposed} {
			if right, err := h.Verify(t.Context(), stored, typed); !right || err != nil {
				t.Errorf("%+q for %+q: %t, %v", typed, password, right, err)
			}
		}
	}
	if right, err := h.Verify(t.Context(), old, decomposed); !right || err != nil {
		t.Errorf("stored before: %t, %v", right, err)
	}
}

func TestVerifyAcceptsTheHashedPasswordOnly(t *testing.T) {
	t.Parallel()
	h := New(Default)
	for _, password := range []string{"correct horse battery", "", "ünïcödé 🍊", strings.Repeat("x", 1000)} {
		stored, err := h.Hash(t.Context(), password)
		if err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Fatalf("%q, %v", stored, err)
		}
		if right, err := h.Verify(t.Context(), stored, password); !right || err != nil {
			t.Errorf("%q: %t, %v", password, right, err)
		}
		if right, err := h.Verify(t.Context(), stored, password+" "); right || err != nil {
			t.Errorf("%q and a space: %t, %v", password, right, err)
		}
	}
}

func TestEachHashHasItsOwnSalt(t *testing.T) {
	t.Parallel()
	h := New(cheap)
	one, errOne := h.Hash(t.Context(), "same")
	two, errTwo := h.Hash(t.Context(), "same")
	if one == two || errOne != nil || errTwo != nil {
		t.Errorf("%q, %q, %v, %v", one, two, errOne, errTwo)
	}
}

// TestVerifyWithoutAStoredHashFails for every password: the account does not exist
// or has no password.
func TestVerifyWithoutAStoredHashFails(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"", "password", string(make([]byte, sumLen))} {
		if right, err := New(cheap).Verify(t.Context(), "", password); right || err != nil {
			t.Errorf("%q: %t, %v", password, right, err)
		}
	}
}

// TestHashesWaitForASlot, and fail with their request's context.
func TestHashesWaitForASlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := New(cheap)
		for range concurrent {
			h.slots <- struct{}{}
		}
		ctx, cancel := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if _, err := h.Hash(ctx, "x"); !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want %v", err, context.Canceled)
			}
		})
		waiting.Go(func() {
			if right, err := h.Verify(t.Context(), "", "x"); right || err != nil {
				t.Errorf("%t, %v", right, err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		<-h.slots
		waiting.Wait()
	})
}
