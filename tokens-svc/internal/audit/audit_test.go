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
			Address: netip.MustParseAddr("2001:db8::1"), RequestID: "req_1",
		},
		Action: audit.TokenCreated, Target: "tok_4fZyo82mVyR1", Details: map[string]string{"name": name, "permissions": "shipments:read"},
	}
}

// keys are those of chain.
var keys = func() audit.Keys {
	k, err := audit.ParseKeys(first)
	if err != nil {
		panic(err)
	}
	return k
}()

// follow returns the event that e becomes behind h.
func follow(h audit.Head, e audit.Entry) audit.Event {
	next, err := h.Append(e, keys)
	if err != nil {
		panic(err)
	}
	return next
}

// chain returns n events and their head.
func chain(n int) ([]audit.Event, audit.Head) {
	head := audit.Head{Organization: org}
	events := make([]audit.Event, n)
	for i := range events {
		events[i] = follow(head, entry("ERP"))
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

// TestTheHashIsKnown: chains that were written once stay verifiable, by this
// program and by others.
func TestTheHashIsKnown(t *testing.T) {
	t.Parallel()
	for i, want := range []string{
		"6c57432ace9485ca986d7d16ed9d9cef29d840533972224f1e4749d04cc60fd5",
		"ae1009c9674d1cbf25fa703ca9087ae1f9b82721389a45b1132bdb8380bd744e",
	} {
		events, _ := chain(2)
		if got := events[i].Hash.String(); got != want {
			t.Errorf("event %d has %s, want %s", i+1, got, want)
		}
	}
	events := grow(t, nil, audit.TokenCreated, audit.Keys{}, audit.Keys{})
	for i, want := range []string{
		"ff54142d6dc6ee929330a8842125fae375d321a60214490ef43fa9b271a81d6a",
		"217766006571f9c477c0d48c399247e924bd6b89078cb41214bea2d3f1a18f31",
	} {
		if got := events[i].Hash.String(); got != want {
			t.Errorf("event %d has %s, want %s", i+1, got, want)
		}
	}
	var h audit.Hash
	if err := h.UnmarshalText([]byte(events[0].Hash.String())); err != nil || h != events[0].Hash {
		t.Errorf("read back: %s, %v", h, err)
	}
	for _, wrong := range []string{"", "00", "zz"} {
		if err := h.UnmarshalText([]byte(wrong)); err == nil {
			t.Errorf("%q is read as a hash", wrong)
		}
	}
}

func TestVerifyAcceptsAnUnchangedChain(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 4; n++ {
		events, head := chain(n)
		if err := audit.Verify(stream(events), head, keys); err != nil {
			t.Errorf("%d events: %v", n, err)
		}
	}
	broken := errors.New("the connection broke")
	err := audit.Verify(func(yield func(audit.Event, error) bool) { yield(audit.Event{}, broken) }, audit.Head{}, keys)
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
		"address":      func(e *audit.Event) { e.Actor.Address = netip.Addr{} },
		"request":      func(e *audit.Event) { e.Actor.RequestID = "" },
		"action":       func(e *audit.Event) { e.Action = audit.TokenRevoked },
		"target":       func(e *audit.Event) { e.Target = "tok_000000000001" },
		"detail":       func(e *audit.Event) { e.Details = map[string]string{"name": "ERP", "permissions": "admin"} },
		"more details": func(e *audit.Event) {
			e.Details = map[string]string{"name": "ERP", "permissions": "shipments:read", "x": ""}
		},
		"less details":  func(e *audit.Event) { e.Details = map[string]string{"name": "ERP"} },
		"shifted texts": func(e *audit.Event) { e.Actor.ID, e.Actor.Name = "usr_1a", "nna@acme.example" },
		"key":           func(e *audit.Event) { e.KeyVersion = 0 },
		"hash":          func(e *audit.Event) { e.Hash[31] ^= 1 },
		"previous hash": func(e *audit.Event) { e.Previous[0] ^= 1 },
		"organization":  func(e *audit.Event) { e.Organization = "org_01k9x3v7t2e8sbq4m6n0pacdfh" },
	} {
		events, head := chain(3)
		change(&events[1])
		wantFault(t, name, audit.Verify(stream(events), head, keys), 2)
	}
}

// TestVerifyFindsTheFirstChangedEvent, with an unchanged head.
func TestVerifyFindsTheFirstChangedEvent(t *testing.T) {
	t.Parallel()
	forged := func(after audit.Event) audit.Event { return follow(after.Head(), entry("forged")) }
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
		wantFault(t, name, audit.Verify(stream(c.tamper(events)), head, keys), c.first)
	}
}

// TestAnEmptiedLogIsAFault, also when the head was removed with the events.
func TestAnEmptiedLogIsAFault(t *testing.T) {
	t.Parallel()
	wantFault(t, "emptied", audit.Verify(stream(nil), audit.Head{Organization: org}, keys), 1)
	events, head := chain(3)
	wantFault(t, "emptied, with a head kept elsewhere", audit.Verify(stream(nil), audit.Head{Organization: org}, keys, head), 1)
	wantFault(t, "begun anew", audit.Verify(stream(events[:1]), events[0].Head(), keys, head), 2)
}

// TestStoredHeadRevealsAForgedChain: it is consistent in itself.
func TestStoredHeadRevealsAForgedChain(t *testing.T) {
	t.Parallel()
	events, _ := chain(5)
	kept := []audit.Head{events[1].Head(), events[3].Head()}
	forged := []audit.Event{events[0], events[1], follow(events[1].Head(), entry("forged"))}
	forged = append(forged, follow(forged[2].Head(), entry("ERP")))
	head := forged[3].Head()
	if err := audit.Verify(stream(forged), head, keys); err != nil {
		t.Errorf("in itself: %v", err)
	}
	if err := audit.Verify(stream(forged), head, keys, kept[0]); err != nil {
		t.Errorf("against a head before the forgery: %v", err)
	}
	wantFault(t, "forged", audit.Verify(stream(forged), head, keys, kept...), 4)
	wantFault(t, "cut off", audit.Verify(stream(events[:3]), events[2].Head(), keys, kept...), 4)
}

func wantFault(t *testing.T, name string, err error, sequence int64) {
	t.Helper()
	fault, ok := errors.AsType[*audit.Fault](err)
	if !ok || fault.Sequence != sequence || fault.Organization != org {
		t.Errorf("%s: %v, want event %d", name, err, sequence)
	}
}
