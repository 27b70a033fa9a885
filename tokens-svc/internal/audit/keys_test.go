package audit_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

const (
	first  = "1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	second = "2:HxseHRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgE="
)

func parse(t *testing.T, text string) audit.Keys {
	t.Helper()
	keys, err := audit.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// grow appends an event for each of the keys, none meaning a plain hash.
func grow(t *testing.T, events []audit.Event, action audit.Action, keys ...audit.Keys) []audit.Event {
	t.Helper()
	for _, k := range keys {
		head := audit.Head{Organization: org}
		if len(events) > 0 {
			head = events[len(events)-1].Head()
		}
		e := entry("ERP")
		e.Action = action
		next, err := head.Append(e, k)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, next)
	}
	return events
}

func verify(events []audit.Event, keys audit.Keys) error {
	return audit.Verify(stream(events), events[len(events)-1].Head(), keys)
}

// TestVerifyFindsAChainRecomputedWithoutKeys, head and all, also when the writer
// says of the forged events, or of the head, that they have a key.
func TestVerifyFindsAChainRecomputedWithoutKeys(t *testing.T) {
	t.Parallel()
	none := audit.Keys{}
	forged := grow(t, nil, audit.TokenCreated, none, none, none)
	wantFault(t, "plain", verify(forged, keys), 3)

	head := forged[2].Head()
	head.KeyVersion = 1
	next, err := head.Append(entry("ERP"), keys)
	if err != nil {
		t.Fatal(err)
	}
	wantFault(t, "continued behind a false head", verify(append(forged, next), keys), 4)

	forged[2].KeyVersion = 1
	wantFault(t, "a false version", verify(forged, keys), 3)
}

func TestVerifyFindsAnEventWithoutAKeyAfterOneWithAKey(t *testing.T) {
	t.Parallel()
	wantFault(t, "tail", verify(grow(t, nil, audit.TokenCreated, keys, keys, audit.Keys{}), keys), 3)
}

// TestALogIsAnchoredOnce: events from before there were keys are protected by
// the first that has one.
func TestALogIsAnchoredOnce(t *testing.T) {
	t.Parallel()
	none := audit.Keys{}
	events := grow(t, nil, audit.TokenCreated, none, none)
	if err := verify(events, none); err != nil {
		t.Errorf("before there were keys: %v", err)
	}
	if _, err := events[1].Head().Append(entry("ERP"), keys); err != audit.ErrUnanchored { //nolint:errorlint // the error itself
		t.Errorf("appended without an anchor: %v", err)
	}
	events = grow(t, events, audit.LogAnchored, keys)
	events = grow(t, events, audit.TokenCreated, keys)
	if err := verify(events, keys); err != nil {
		t.Errorf("anchored: %v", err)
	}
	rewritten := grow(t, nil, audit.TokenRevoked, none, none)
	wantFault(t, "rewritten before the anchor", verify(append(rewritten, events[2:]...), keys), 3)
}

func TestKeysAreReplaced(t *testing.T) {
	t.Parallel()
	old, both, newer := parse(t, first), parse(t, second+","+first), parse(t, second)
	events := grow(t, nil, audit.TokenCreated, old, both, old, both)
	for i, want := range []int{1, 2, 1, 2} {
		if got := events[i].KeyVersion; got != want {
			t.Errorf("event %d has key %d, want %d", i+1, got, want)
		}
	}
	if err := verify(events, both); err != nil {
		t.Errorf("with both: %v", err)
	}
	wantFault(t, "without the old one", verify(events, newer), 1)
	wantFault(t, "without the new one", verify(events, old), 2)
	wantFault(t, "without any", verify(events, audit.Keys{}), 1)
	if err := verify(events, newer); !strings.Contains(err.Error(), "needs key version 1, which AUDIT_KEYS does not hold") {
		t.Error(err)
	}
	wrong := parse(t, "1:"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 32))))
	wantFault(t, "another key of that version", verify(events, wrong), 1)
	relabelled := grow(t, nil, audit.TokenCreated, old)
	relabelled[0].KeyVersion = 3
	wantFault(t, "the same key under another version", verify(relabelled, parse(t, "3"+first[1:])), 1)
}

func TestKeysPrintAsTheirVersions(t *testing.T) {
	t.Parallel()
	keys := parse(t, second+","+first)
	if got := fmt.Sprintf("%v %+v %s", keys, keys, keys); got != "2, 1 2, 1 2, 1" {
		t.Error(got)
	}
}
