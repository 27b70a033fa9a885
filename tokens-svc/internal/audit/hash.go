package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Hash is a SHA-256 hash.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads what String returns.
func ParseHash(text string) (Hash, error) {
	var h Hash
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(h) {
		return Hash{}, errors.New("a hash has 64 hexadecimal digits")
	}
	copy(h[:], b)
	return h, nil
}

// format is the first field, so that another encoding can never give the same
// hash.
const format = "quayside/audit/v1"

// timeLayout is how times stand in the hashed text.
const timeLayout = "2006-01-02T15:04:05.000Z"

// sum returns the hash of an event. It is SHA-256 over these fields in this
// order, each as its length in bytes (64 bits, big-endian) and its text:
//
//	format, organization, sequence, previous hash (32 bytes), time,
//	actor's kind, id, name, address and request id, action, target,
//	and for each detail, sorted by name: its name, its text
//
// The lengths make the encoding unambiguous: no two events share one.
func (e Event) sum() Hash {
	w := fields{sha256.New()}
	address := ""
	if e.Actor.Address.IsValid() {
		address = e.Actor.Address.String()
	}
	w.write(
		format, e.Organization, strconv.FormatInt(e.Sequence, 10), string(e.Previous[:]),
		e.At.UTC().Truncate(time.Millisecond).Format(timeLayout),
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, address, e.Actor.RequestID, string(e.Action), e.Target)
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		w.write(name, e.Details[name])
	}
	var h Hash
	w.Sum(h[:0])
	return h
}

type fields struct{ hash.Hash }

func (f fields) write(texts ...string) {
	for _, text := range texts {
		_, _ = f.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		_, _ = io.WriteString(f, text)
	}
}
