package idempotency

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func Example() {
	r := httptest.NewRequest(http.MethodPost, "/things", strings.NewReader(`{"thing":{}}`))
	r.Header.Set(Header, "order-7")
	key, err := Key(r)
	body := HashBody(r)
	_, _ = io.ReadAll(r.Body)
	sum := body.Fingerprint()
	fmt.Printf("%s %x… %v\n", key, sum[:4], err)
	// Output: order-7 4d9b7cdc… <nil>
}

func TestAKeyIsVisibleASCII(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"a", "!~", strings.Repeat("k", 255)} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
		r.Header.Set(Header, key)
		if got, err := Key(r); got != key || err != nil {
			t.Errorf("%q is %q, %v", key, got, err)
		}
	}
	for _, values := range [][]string{{""}, {"a b"}, {"a\tb"}, {"\x7f"}, {"é"}, {strings.Repeat("k", 256)}, {"a", "a"}} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
		r.Header[Header] = values
		if _, ok := errors.AsType[*HeaderError](func() error { _, err := Key(r); return err }()); !ok {
			t.Errorf("%q is accepted", values)
		}
	}
	if got, err := Key(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)); got != "" ||
		err != nil {
		t.Errorf("without a key: %q, %v", got, err)
	}
}

func TestTheFingerprintIsThatOfTheBytesRead(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("read, and not read"))
	body := HashBody(r)
	if _, err := io.ReadFull(r.Body, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	if body.Fingerprint() != sha256.Sum256([]byte("read")) {
		t.Error("the fingerprint is not that of the bytes")
	}
	body.SetFingerprint([sha256.Size]byte{7})
	if body.Fingerprint() != [sha256.Size]byte{7} {
		t.Error("the fingerprint is not the one that was set")
	}
}
