package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
)

// Hash is the SHA-256 of an event.
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

// format is the first field, so that another encoding can never give the same hash.
const format = "quayside/audit/v1"

// timeLayout is how times stand in the hashed text, and in JSON.
const timeLayout = "2006-01-02T15:04:05.000Z"

// sum returns the hash of an event: SHA-256 over these fields in this order, each
// as its length in bytes (64 bits, big-endian) and its text:
//
//	format, log, sequence, previous hash (32 bytes), time, actor's kind, id, name,
//	address and request id, action, target,
//	and for each detail, sorted by name: its name, its text
//
// The lengths make the encoding unambiguous: no two events share one.
func (e Event) sum() (h Hash) {
	w := fields{sha256.New()}
	address := ""
	if e.Actor.Address.IsValid() {
		address = e.Actor.Address.String()
	}
	w.write(
		format, e.Log, strconv.FormatInt(e.Sequence, 10), string(e.Previous[:]),
		e.Instant(),
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, address, e.Actor.RequestID, string(e.Action), e.Target,
	)
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		w.write(name, e.Details[name])
	}
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

// Fault is the first event that does not match the chain.
type Fault struct {
	Log      string
	Sequence int64
	Reason   string
}

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("audit log of %s: event %d %s", f.Log, f.Sequence, f.Reason)
}

// Verify checks the numbers and the chain of one log, all of its events in order,
// against its head. It returns a *Fault for the first event that was changed,
// removed or inserted, and otherwise the error with which the events ended. An
// empty log is a fault: none is made without an event.
func Verify(events iter.Seq2[Event, error], head Head) error {
	at := Head{Log: head.Log}
	fault := func(sequence int64, reason string) error { return &Fault{head.Log, sequence, reason} }
	for e, err := range events {
		if err != nil {
			return err
		}
		switch next := at.Sequence + 1; {
		case e.Sequence > next:
			return fault(next, "is missing")
		case e.Sequence > head.Sequence:
			return fault(e.Sequence, "lies behind the head: it was inserted")
		case e.sum() != e.Hash:
			return fault(e.Sequence, "was changed: its content does not have its hash")
		case e.Previous != at.Hash || e.Sequence < next:
			return fault(e.Sequence, "does not follow the event before it")
		}
		at = e.Head()
	}
	switch {
	case head.Sequence == 0:
		return fault(1, "is missing: the log is empty")
	case at.Sequence < head.Sequence:
		return fault(at.Sequence+1, "is missing")
	case at.Hash != head.Hash:
		return fault(at.Sequence, "is not the one of the head")
	}
	return nil
}
