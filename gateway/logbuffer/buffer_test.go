package logbuffer

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipe is an output that can be blocked and records each write.
type pipe struct {
	mu     sync.Mutex
	full   chan struct{} // closed when writes continue; nil while they do
	writes []string
}

// block blocks writes until the returned function is called.
func (p *pipe) block() (unblock func()) {
	p.full = make(chan struct{})
	return func() { close(p.full) }
}

func (p *pipe) Write(b []byte) (int, error) {
	if p.full != nil {
		<-p.full
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes = append(p.writes, string(b))
	return len(b), nil
}

func (p *pipe) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes
}

// delay is the gather time in these tests.
const delay = 100 * time.Millisecond

func writeLine(t *testing.T, b *buffer, format string, args ...any) {
	t.Helper()
	line := fmt.Appendf(nil, format+"\n", args...)
	if n, err := b.write(line, delay); n != len(line) || err != nil {
		t.Fatalf("Write: %d, %v", n, err)
	}
	clear(line) // the caller reuses its slice
}

func TestLinesWithinTheGatherTimeAreOneWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := new(pipe)
		b := newBuffer(out, func() { t.Error("a line was dropped") })
		writeLine(t, b, "one")
		time.Sleep(delay / 2)
		writeLine(t, b, "two")
		synctest.Wait()
		if len(out.seen()) > 0 {
			t.Fatalf("written at once: %q", out.seen())
		}
		time.Sleep(delay / 2)
		synctest.Wait()
		writeLine(t, b, "three")
		time.Sleep(delay)
		synctest.Wait()
		if got := fmt.Sprintf("%q", out.seen()); got != `["one\ntwo\n" "three\n"]` {
			t.Error(got)
		}
		if err := b.Destruct(); err != nil {
			t.Error(err)
		}
	})
}

func TestFullBufferIsFlushedImmediately(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := new(pipe)
		b := newBuffer(out, func() { t.Error("a line was dropped") })
		long := strings.Repeat("x", 1<<10)
		start := time.Now()
		for range 10 * flushSize / len(long) {
			writeLine(t, b, "%s", long)
			synctest.Wait()
		}
		if time.Since(start) > 0 || len(out.seen()) < 9 {
			t.Errorf("%d writes after %s", len(out.seen()), time.Since(start))
		}
		if err := b.Destruct(); err != nil {
			t.Error(err)
		}
	})
}

func TestCloseFlushesPendingLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := new(pipe)
		b := newBuffer(out, func() { t.Error("a line was dropped") })
		var lines sync.WaitGroup
		for i := range 8 {
			lines.Go(func() {
				for n := range 100 {
					writeLine(t, b, "%d %d", i, n)
				}
			})
		}
		lines.Wait()
		if err := b.Destruct(); err != nil {
			t.Error(err)
		}
		writeLine(t, b, "late")
		text := strings.Join(out.seen(), "")
		if n := strings.Count(text, "\n"); n != 801 || !strings.HasSuffix(text, "\nlate\n") {
			t.Errorf("%d lines", n)
		}
		for i := range 8 {
			at := -1
			for n := range 100 {
				next := strings.Index("\n"+text, fmt.Sprintf("\n%d %d\n", i, n))
				if next <= at {
					t.Fatalf("line %d %d is missing or out of order", i, n)
				}
				at = next
			}
		}
	})
}

func TestBlockedOutputBlocksNoWriterAndLossIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out, dropped := new(pipe), 0
		unblock := out.block()
		b := newBuffer(out, func() { dropped++ })
		line := strings.Repeat("x", 1<<10)
		start := time.Now()
		for range 3 << 10 { // 3 MiB
			writeLine(t, b, "%s", line)
		}
		if time.Since(start) > 0 {
			t.Errorf("logging took %s", time.Since(start))
		}
		unblock()
		time.Sleep(2 * delay)
		synctest.Wait()
		writeLine(t, b, "after")
		if err := b.Destruct(); err != nil {
			t.Error(err)
		}
		text := strings.Join(out.seen(), "")
		if kept := strings.Count(text, line); dropped == 0 || kept+dropped != 3<<10 {
			t.Errorf("%d lines are kept and %d dropped of %d", kept, dropped, 3<<10)
		}
		if report := fmt.Sprintf(`"lines":%d}`, dropped); strings.Count(text, report+"\nafter\n") != 1 {
			t.Errorf("no %s before the next line, in …%s", report, text[len(text)-300:])
		}
	})
}

func TestLineWithoutGatheringIsWrittenBeforeWriteReturns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out, dropped := new(pipe), 0
		b := newBuffer(out, func() { dropped++ })
		writeLine(t, b, "gathered")
		start := time.Now()
		_, _ = b.write([]byte("at once\n"), 0)
		if got := fmt.Sprintf("%q", out.seen()); got != `["gathered\nat once\n"]` || time.Since(start) > 0 {
			t.Errorf("%s after %s", got, time.Since(start))
		}

		// When the output is blocked, only the first write waits.
		unblock := out.block()
		start = time.Now()
		for range 10 {
			_, _ = b.write([]byte("stuck\n"), 0)
		}
		if waited := time.Since(start); waited != syncTimeout {
			t.Errorf("ten writes to a blocked output took %s", waited)
		}
		unblock()
		synctest.Wait()
		start = time.Now()
		_, _ = b.write([]byte("free\n"), 0)
		if text := strings.Join(out.seen(), ""); !strings.HasSuffix(text, "stuck\nfree\n") || time.Since(start) > 0 {
			t.Errorf("%s after %s", text, time.Since(start))
		}
		if err := b.Destruct(); err != nil || dropped > 0 {
			t.Errorf("%v, %d dropped", err, dropped)
		}
	})
}

// The line may say why the process ends. On a busy machine the goroutine that writes it may run late.
func TestLineWithoutGatheringWaitsForItsWriterToRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := new(pipe)
		b := newBuffer(out, func() {})
		b.timer = time.NewTimer(time.Hour) // flushes nothing
		returned := make(chan struct{})
		go func() {
			defer close(returned)
			_, _ = b.write([]byte("why\n"), 0)
		}()
		time.Sleep(10 * syncTimeout)
		synctest.Wait()
		select {
		case <-returned:
			t.Error("it did not wait")
		default:
		}
		b.flush()
		<-returned
		if got := out.seen(); len(got) != 1 {
			t.Errorf("written: %q", got)
		}
	})
}

func TestBlockedOutputDelaysCloseAtMostASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out, dropped := new(pipe), 0
		unblock := out.block()
		b := newBuffer(out, func() { dropped++ })
		writeLine(t, b, "stuck")
		start := time.Now()
		if err := b.Destruct(); err == nil || time.Since(start) > closeTimeout {
			t.Errorf("Destruct: %v after %s", err, time.Since(start))
		}
		writeLine(t, b, "late")
		if dropped != 1 {
			t.Errorf("%d lines dropped, want the late one", dropped)
		}
		unblock()
		synctest.Wait()
		if got := fmt.Sprintf("%q", out.seen()); got != `["stuck\n"]` {
			t.Error(got)
		}
	})
}

func TestWritingALineAllocatesNothing(t *testing.T) {
	b := newBuffer(new(bytes.Buffer), func() {})
	defer func() { _ = b.Destruct() }()
	line := []byte(strings.Repeat("x", 300) + "\n")
	for range flushSize / len(line) { // both slices have grown
		_, _ = b.write(line, delay)
	}
	if n := testing.AllocsPerRun(1000, func() { _, _ = b.write(line, delay) }); n > 0 {
		t.Errorf("%.1f allocations a line", n)
	}
}

func BenchmarkWrite(b *testing.B) {
	buffer := newBuffer(new(discard), func() {})
	defer func() { _ = buffer.Destruct() }()
	line := []byte(strings.Repeat("x", 300) + "\n")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, _ = buffer.write(line, delay)
		}
	})
}

type discard struct{}

func (*discard) Write(p []byte) (int, error) { return len(p), nil }
