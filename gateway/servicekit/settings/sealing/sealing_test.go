package sealing

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func text(version int, filler string) string {
	return fmt.Sprintf(
		"%d:%s", version, base64.StdEncoding.EncodeToString([]byte(strings.Repeat(filler, 32)[:32])),
	)
}

func keys(t *testing.T, entries ...string) Keys {
	t.Helper()
	k, err := Parse(strings.Join(entries, ", "))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestOpenWithOlderKeys(t *testing.T) {
	t.Parallel()
	old := keys(t, text(1, "a"))
	sealed := old.Seal([]byte("secret"), "where")
	both := keys(t, text(2, "b"), text(1, "a"))
	for name, k := range map[string]Keys{"the same": old, "a newer one before it": both} {
		if got, err := k.Open(sealed, "where"); err != nil || string(got) != "secret" {
			t.Errorf("%s: %q (%v)", name, got, err)
		}
	}
	if both.Newest(sealed) || !old.Newest(sealed) || !both.Newest(both.Seal(nil, "")) || both.Newest(nil) {
		t.Error("Open does not return the number of the key")
	}
	if again := old.Seal([]byte("secret"), "where"); bytes.Equal(again, sealed) ||
		bytes.Contains(sealed, []byte("secret")) {
		t.Errorf("sealed twice: %x, %x", sealed, again)
	}
}

func TestOpenRefusesAlteredCiphertexts(t *testing.T) {
	t.Parallel()
	k := keys(t, text(1, "a"))
	sealed := k.Seal([]byte("secret"), "where")
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := k.Open(changed, "where"); !errors.Is(err, ErrSealed) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
	for name, c := range map[string]struct {
		sealed  []byte
		context string
		keys    Keys
	}{
		"another context": {sealed, "elsewhere", k}, "nothing": {nil, "where", k}, "cut off": {sealed[:10], "where", k},
		"another key of the version": {sealed, "where", keys(t, text(1, "b"))},
		"no key of the version":      {sealed, "where", keys(t, text(2, "a"))},
	} {
		if _, err := c.keys.Open(c.sealed, c.context); !errors.Is(err, ErrSealed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeysHave32Bytes(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"1:aHVudGVyMg==": "entry 1: version 1 has 7 bytes; at least 32",
		"1:" + base64.StdEncoding.EncodeToString(make([]byte, 33)): "version 1 has 33 bytes; exactly 32",
	} {
		if _, err := Parse(given); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", given, err, want)
		}
	}
}

func TestKeysPrintAsTheirVersions(t *testing.T) {
	t.Parallel()
	k := keys(t, text(2, "demo-"), text(1, "a"))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		if got := fmt.Sprintf(verb, k); got != "2, 1" {
			t.Errorf("%s: %s", verb, got)
		}
	}
	if !k.AnyBeginsWith("demo-") || k.AnyBeginsWith("other") {
		t.Error("a key's beginning is not recognized")
	}
}

func FuzzOpen(f *testing.F) {
	k, err := Parse(text(1, "a"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if _, err := k.Open(sealed, ""); err == nil {
			t.Errorf("%x opens", sealed)
		}
	})
}
