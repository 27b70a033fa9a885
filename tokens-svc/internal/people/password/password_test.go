package password

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// cheap keeps tests quick.
var cheap = Params{Memory: 64, Passes: 1, Threads: 1}

// known is the reference implementation's hash of "password" with "somesalt".
const known = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

func TestKnownAnswer(t *testing.T) {
	t.Parallel()
	h := New(Default)
	right, stale, err := h.Verify(t.Context(), known, "password")
	if !right || !stale || err != nil {
		t.Errorf("%t, %t, %v; want a right one of other parameters", right, stale, err)
	}
	right, stale, err = h.Verify(t.Context(), known, "Password")
	if right || stale || err != nil {
		t.Errorf("a wrong one: %t, %t, %v", right, stale, err)
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
		if right, stale, err := h.Verify(t.Context(), stored, password); !right || stale || err != nil {
			t.Errorf("%q: %t, %t, %v", password, right, stale, err)
		}
		if right, _, err := h.Verify(t.Context(), stored, password+" "); right || err != nil {
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
		if right, stale, err := New(cheap).Verify(t.Context(), "", password); right || stale || err != nil {
			t.Errorf("%q: %t, %t, %v", password, right, stale, err)
		}
	}
}

func TestVerifyRejectsInvalidAndCostlyHashes(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string]string{
		"plain text":        "password",
		"another algorithm": strings.Replace(known, "argon2id", "argon2i", 1),
		"another version":   strings.Replace(known, "v=19", "v=16", 1),
		"too much memory":   strings.Replace(known, "m=65536", "m=4294967295", 1),
		"too many passes":   strings.Replace(known, "t=2", "t=4000000000", 1),
		"no pass":           strings.Replace(known, "t=2", "t=0", 1),
		"no thread":         strings.Replace(known, "p=1", "p=0", 1),
		"no salt":           strings.Replace(known, "c29tZXNhbHQ", "", 1),
		"short sum":         known[:len(known)-4],
		"something behind":  known + "$x",
		"padding":           known + "=",
	} {
		if right, _, err := New(cheap).Verify(t.Context(), stored, "password"); right || !errors.Is(err, ErrStored) {
			t.Errorf("%s: %t, %v", name, right, err)
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
			if right, _, err := h.Verify(t.Context(), "", "x"); right || err != nil {
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
