package ratelimit

import (
	"fmt"
	"testing"
	"time"
)

func TestKnownEmptyWindowIsExhausted(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		known tally
		fault error
		down  DownPolicy
		want  bool
	}{
		{tally{empty: 100}, nil, DownLocal, true},
		{tally{granted: 100}, nil, DownLocal, true},
		{tally{granted: 99}, nil, DownLocal, false},
		{tally{empty: 99}, nil, DownLocal, false},
		{tally{granted: 100, unsynced: 1}, nil, DownLocal, false}, // they must be counted first
		{tally{granted: 100, unsynced: 1}, errTest, DownLocal, true},
		{tally{granted: 100}, errTest, DownDeny, true},
		{tally{granted: 99}, errTest, DownDeny, false},
		{tally{granted: 100}, errTest, DownAllow, false},
		{tally{granted: 100}, nil, DownAllow, true},
	} {
		if got := unreachable(Options{Down: tt.down}).isExhausted(tt.known, 100, tt.fault); got != tt.want {
			t.Errorf("%+v, %v, %s: exhausted = %v", tt.known, tt.fault, tt.down, got)
		}
	}
}

func TestOnlyPresentWindowsWithUnsyncedRequestsAreReconciled(t *testing.T) {
	t.Parallel()

	b := newNodes(nil, nil, newMemory(1000), nil).single
	now := time.Unix(1_795_255_432, 0)
	for i, unsynced := range []int{0, 1, 7} {
		for j, age := range []time.Duration{0, time.Minute, 2 * time.Minute} {
			id := fmt.Sprintf("tok_%d%d", i, j)
			b.nodes.memory.update(id, windowAt(now.Add(-age), id, time.Minute), func(known *tally) {
				known.limit, known.unsynced = 100, unsynced
			})
		}
	}
	ended := windowAt(now, "tok_end", time.Minute)
	b.nodes.memory.update("tok_end", ended, func(known *tally) { known.unsynced = 1 })
	got := map[string]bool{}
	for _, entry := range b.unsyncedEntries(t.Context(), now) {
		got[entry.id] = entry.limit == 100 || entry.id == "tok_end"
	}
	if want := fmt.Sprint(map[string]bool{"tok_10": true, "tok_20": true, "tok_end": true}); fmt.Sprint(got) != want {
		t.Errorf("reconciled %v, want %s", got, want)
	}
	for _, entry := range b.unsyncedEntries(t.Context(), ended.end()) {
		if entry.id == "tok_end" {
			t.Error("a window is reconciled at its end")
		}
	}
}
