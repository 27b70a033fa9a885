package audit

import (
	"fmt"
	"iter"
)

// Fault is the first event that does not match the chain.
type Fault struct {
	Organization string
	Sequence     int64
	Reason       string
}

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("event %d %s", f.Sequence, f.Reason)
}

// Verify checks the chain of one organization, all of its events in order,
// against its head, and against heads that were kept elsewhere, which also find
// a chain that was cut off or forged together with its head. It returns a *Fault
// for the first event that was changed, removed or inserted, and otherwise the
// error with which the events ended. An empty chain is a fault: an organization
// is created together with its first event.
//
// With keys, events without one must be at the beginning, followed by
// LogAnchored, and the chain must not end with one: a chain that was recomputed
// without the keys fails.
func Verify(events iter.Seq2[Event, error], head Head, keys Keys, known ...Head) error {
	at := Head{Organization: head.Organization}
	fault := func(sequence int64, reason string) error {
		return &Fault{Organization: head.Organization, Sequence: sequence, Reason: reason}
	}
	for e, err := range events {
		if err != nil {
			return err
		}
		sum, loaded := e.sum(keys)
		switch next := at.Sequence + 1; {
		case e.Sequence > next:
			return fault(next, "is missing")
		case e.Sequence > head.Sequence:
			return fault(e.Sequence, "lies behind the head: it was inserted")
		case e.KeyVersion == 0 && at.KeyVersion != 0:
			return fault(e.Sequence, "has no key, unlike the event before it: it was inserted or changed")
		case !loaded:
			return fault(e.Sequence, fmt.Sprintf("needs key version %d, which AUDIT_KEYS does not hold", e.KeyVersion))
		case sum != e.Hash:
			return fault(e.Sequence, "was changed: its content does not have its hash")
		case e.Previous != at.Hash || e.Sequence < next:
			return fault(e.Sequence, "does not follow the event before it")
		case at.Unanchored() && e.KeyVersion != 0 && e.Action != LogAnchored:
			return fault(e.Sequence, "is the first with a key and not "+string(LogAnchored)+": the events before it were rewritten")
		}
		at = e.Head()
		for _, k := range known {
			if k.Sequence == at.Sequence && k.Hash != at.Hash {
				return fault(e.Sequence, "or one before it was forged: its hash is not the one written down")
			}
		}
	}
	for _, k := range known {
		if k.Sequence > at.Sequence {
			return fault(at.Sequence+1, "is missing")
		}
	}
	switch {
	case head.Sequence == 0:
		return fault(1, "is missing: the log is empty, and every organization's log begins with its creation")
	case at.Sequence < head.Sequence:
		return fault(at.Sequence+1, "is missing")
	case at.Hash != head.Hash:
		return fault(at.Sequence, "is not the one of the head")
	case at.Unanchored() && !keys.IsZero():
		return fault(at.Sequence, "is the last and has no key: the log is not anchored; run audit anchor if that was never done here, otherwise the log was rewritten")
	}
	return nil
}
