package audit

import (
	"fmt"
	"iter"
)

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
