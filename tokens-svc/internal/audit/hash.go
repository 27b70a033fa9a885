package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Hash is an HMAC-SHA-256, or the SHA-256 of an event without a key.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Scan implements sql.Scanner, for the bytes of a hash.
func (h *Hash) Scan(src any) error {
	if b, ok := src.([]byte); !ok || copy(h[:], b) != len(h) {
		return fmt.Errorf("%v is no hash", src)
	}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler, for the result of String.
func (h *Hash) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(h[:], text[:min(len(text), 2*len(h))]); err != nil || n != len(h) || len(text) != 2*len(h) {
		return errors.New("a hash has 64 hexadecimal digits")
	}
	return nil
}

// The formats are the first field, so that another encoding can never give the
// same hash.
const (
	plainFormat = "quayside/audit/v1"
	keyedFormat = "quayside/audit/v2"
)

// timeLayout is how times stand in the hashed text.
const timeLayout = "2006-01-02T15:04:05.000Z"

// sum returns the hash of an event; known is false when its key is not loaded.
// It is HMAC-SHA-256 under that key over these fields in this order, each as its
// length in bytes (64 bits, big-endian) and its text:
//
//	format, key version, organization, sequence, previous hash (32 bytes), time,
//	actor's kind, id, name, address and request id, action, target,
//	and for each detail, sorted by name: its name, its text
//
// The lengths make the encoding unambiguous: no two events share one. An event
// without a key has SHA-256 over the same fields without the key version.
func (e Event) sum(keys Keys) (h Hash, known bool) {
	w := fields{sha256.New()}
	if e.KeyVersion == 0 {
		w.write(plainFormat)
	} else {
		key, known := keys.Find(e.KeyVersion)
		if !known {
			return Hash{}, false
		}
		w = fields{hmac.New(sha256.New, key.Text)}
		w.write(keyedFormat, strconv.Itoa(e.KeyVersion))
	}
	address := ""
	if e.Actor.Address.IsValid() {
		address = e.Actor.Address.String()
	}
	w.write(
		e.Organization, strconv.FormatInt(e.Sequence, 10), string(e.Previous[:]),
		e.At.UTC().Truncate(time.Millisecond).Format(timeLayout),
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, address, e.Actor.RequestID, string(e.Action), e.Target)
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		w.write(name, e.Details[name])
	}
	w.Sum(h[:0])
	return h, true
}

type fields struct{ hash.Hash }

func (f fields) write(texts ...string) {
	for _, text := range texts {
		_, _ = f.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		_, _ = io.WriteString(f, text)
	}
}
