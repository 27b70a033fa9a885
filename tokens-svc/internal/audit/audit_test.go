package audit_test

import (
	"errors"
	"iter"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

const org = "org_01k9x3v7t2e8sbq4m6n0pacdfg"

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 123e6, time.UTC)

// entry uses every field.
func entry(name string) audit.Entry {
	return audit.Entry{
		At: noon,
		Actor: audit.Actor{
			Kind: audit.User, ID: "usr_1", Name: "anna@acme.example",
			Address: audit.Address{Addr: netip.MustParseAddr("2001:db8::1")}, RequestID: "req_1",
		},
		Action: audit.TokenCreated, Target: "tok_4fZyo82mVyR1",
		Details: map[string]string{"name": name, "permissions": "shipments:read"},
	}
}

// chain returns n events and their head.
func chain(n int) ([]audit.Event, audit.Head) {
	head := audit.Head{Log: org}
	events := make([]audit.Event, n)
	for i := range events {
		events[i] = head.Append(entry("ERP"))
		head = events[i].Head()
	}
	return events, head
}

func stream(events []audit.Event) iter.Seq2[audit.Event, error] {
	return func(yield func(audit.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// TestTheHashIsKnown: chains that were written once stay verifiable, by this program and by others.
func TestTheHashIsKnown(t *testing.T) {
	t.Parallel()
	events, _ := chain(2)
	for i, want := range []string{
		"ff54142d6dc6ee929330a8842125fae375d321a60214490ef43fa9b271a81d6a",
		"217766006571f9c477c0d48c399247e924bd6b89078cb41214bea2d3f1a18f31",
	} {
		if got := events[i].Hash.String(); got != want {
			t.Errorf("event %d has %s, want %s", i+1, got, want)
		}
	}
}

func TestVerifyAcceptsAnUnchangedChain(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 4; n++ {
		events, head := chain(n)
		if err := audit.Verify(stream(events), head); err != nil {
			t.Errorf("%d events: %v", n, err)
		}
	}
	broken := errors.New("the connection broke")
	err := audit.Verify(func(yield func(audit.Event, error) bool) { yield(audit.Event{}, broken) }, audit.Head{})
	if !errors.Is(err, broken) {
		t.Errorf("a chain that cannot be read: %v", err)
	}
}

// TestEveryMemberIsHashed: none can be changed unnoticed.
func TestEveryMemberIsHashed(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*audit.Event){
		"time":         func(e *audit.Event) { e.At = e.At.Add(time.Millisecond) },
		"kind":         func(e *audit.Event) { e.Actor.Kind = audit.Token },
		"actor's id":   func(e *audit.Event) { e.Actor.ID = "usr_2" },
		"actor's name": func(e *audit.Event) { e.Actor.Name += "x" },
		"address":      func(e *audit.Event) { e.Actor.Address = audit.Address{} },
		"request":      func(e *audit.Event) { e.Actor.RequestID = "" },
		"action":       func(e *audit.Event) { e.Action = audit.TokenRevoked },
		"target":       func(e *audit.Event) { e.Target = "tok_000000000001" },
		"detail":       func(e *audit.Event) { e.Details = map[string]string{"name": "ERP", "permissions": "admin"} },
		"more details": func(e *audit.Event) {
			e.Details = map[string]string{"name": "ERP", "permissions": "shipments:read", "x": ""}
		},
		"detail's type": func(e *audit.Event) { _ = e.Details.Scan([]byte(`{"name": "ERP", "permissions": 1}`)) },
		"less details":  func(e *audit.Event) { e.Details = map[string]string{"name": "ERP"} },
		"shifted texts": func(e *audit.Event) { e.Actor.ID, e.Actor.Name = "usr_1a", "nna@acme.example" },
		"hash":          func(e *audit.Event) { e.Hash[31] ^= 1 },
		"previous hash": func(e *audit.Event) { e.Previous[0] ^= 1 },
		"log":           func(e *audit.Event) { e.Log = "org_01k9x3v7t2e8sbq4m6n0pacdfh" },
	} {
		events, head := chain(3)
		change(&events[1])
		wantFault(t, name, audit.Verify(stream(events), head), 2)
	}
}

// TestVerifyFindsTheFirstChangedEvent, with an unchanged head.
func TestVerifyFindsTheFirstChangedEvent(t *testing.T) {
	t.Parallel()
	forged := func(after audit.Event) audit.Event { return after.Head().Append(entry("forged")) }
	for name, c := range map[string]struct {
		tamper func([]audit.Event) []audit.Event
		first  int64
	}{
		"first removed":  {func(e []audit.Event) []audit.Event { return e[1:] }, 1},
		"middle removed": {func(e []audit.Event) []audit.Event { return slices.Delete(e, 2, 3) }, 3},
		"last removed":   {func(e []audit.Event) []audit.Event { return e[:4] }, 5},
		"all removed":    {func([]audit.Event) []audit.Event { return nil }, 1},
		"two swapped": {func(e []audit.Event) []audit.Event {
			e[1].Sequence, e[2].Sequence = 3, 2
			e[1], e[2] = e[2], e[1]
			return e
		}, 2},
		"one inserted, others moved": {func(e []audit.Event) []audit.Event {
			for i := range e[2:] {
				e[2+i].Sequence++
			}
			return slices.Insert(e, 2, forged(e[1]))
		}, 4},
		"one put in another's place": {func(e []audit.Event) []audit.Event { e[2] = forged(e[1]); return e }, 4},
		"one added":                  {func(e []audit.Event) []audit.Event { return append(e, forged(e[4])) }, 6},
		"last put anew":              {func(e []audit.Event) []audit.Event { e[4] = forged(e[3]); return e }, 5},
		"one twice":                  {func(e []audit.Event) []audit.Event { return slices.Insert(e, 2, e[1]) }, 2},
	} {
		events, head := chain(5)
		wantFault(t, name, audit.Verify(stream(c.tamper(events)), head), c.first)
	}
}

func TestAnEmptyLogIsAFault(t *testing.T) {
	t.Parallel()
	wantFault(t, "emptied", audit.Verify(stream(nil), audit.Head{Log: org}), 1)
}

func wantFault(t *testing.T, name string, err error, sequence int64) {
	t.Helper()
	fault, ok := errors.AsType[*audit.Fault](err)
	if !ok || fault.Sequence != sequence || fault.Log != org {
		t.Errorf("%s: %v, want event %d", name, err, sequence)
	}
}
