package usage

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"
)

var (
	noon   = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	office = netip.MustParseAddr("192.0.2.1")
	home   = netip.MustParseAddr("2001:db8::1")
)

func TestUsageIsSummedWithTheLatestTimeAndAddress(t *testing.T) {
	t.Parallel()

	l := newLedger()
	l.add("tok_a", use{last: noon, passed: 3, address: office})
	l.add("tok_a", use{last: noon.Add(time.Second), refused: 2, address: home})
	l.add("tok_a", use{last: noon.Add(-time.Second), passed: 1, address: office}) // requeued
	got := l.take()
	want := tokenUse{"tok_a", use{last: noon.Add(time.Second), passed: 4, refused: 2, address: home}}
	if len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if again := l.take(); len(again) != 0 {
		t.Errorf("taken twice: %+v", again)
	}
}

func TestConcurrentCountingLosesNothing(t *testing.T) {
	t.Parallel()

	l := newLedger()
	const workers, each = 8, 5_000
	var counting sync.WaitGroup
	for worker := range workers {
		counting.Go(func() {
			for n := range each {
				l.add(fmt.Sprint("tok_", (worker+n)%100), use{last: noon, passed: 1})
			}
		})
	}
	var total int64
	done := make(chan struct{})
	go func() {
		counting.Wait()
		close(done)
	}()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		for _, u := range l.take() {
			total += u.requests()
		}
	}
	if total != workers*each {
		t.Errorf("%d of %d requests", total, workers*each)
	}
}

func TestMemoryIsBoundedAndKnownTokensAreStillCounted(t *testing.T) {
	t.Parallel()

	l := newLedger()
	var refused int
	for n := range 200_000 {
		if !l.add(fmt.Sprint("tok_", n), use{last: noon, passed: 1}) {
			refused++
		}
	}
	if refused != 200_000-maxTokens {
		t.Errorf("%d tokens are refused", refused)
	}
	if !l.add("tok_0", use{last: noon, passed: 1}) {
		t.Error("a token that is already counted is refused")
	}
	l.take()
	if !l.add("tok_new", use{last: noon, passed: 1}) {
		t.Error("no room after everything was taken")
	}
}

func TestCountingAKnownTokenAllocatesNothing(t *testing.T) {
	r := &Reporter{pending: newLedger()}
	r.Passed("tok_4fZyo82mVyR1", office)
	if n := testing.AllocsPerRun(1000, func() { r.Passed("tok_4fZyo82mVyR1", home) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPassed(b *testing.B) {
	for _, tokens := range []int{1, 1000} {
		b.Run(fmt.Sprintf("tokens=%d", tokens), func(b *testing.B) {
			r := &Reporter{pending: newLedger()}
			ids := make([]string, tokens)
			for i := range ids {
				ids[i] = fmt.Sprintf("tok_%012d", i)
				r.Passed(ids[i], office)
			}
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for n := 0; pb.Next(); n++ {
					r.Passed(ids[n%tokens], office)
				}
			})
		})
	}
}
