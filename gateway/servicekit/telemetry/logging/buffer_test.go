package logging

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipe is an output that takes nothing while it is blocked.
type pipe struct {
	mu   sync.Mutex // held while it is blocked
	text bytes.Buffer
}

func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *pipe) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func TestLinesAreWrittenImmediatelyAndInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := new(pipe)
		b := NewBuffer(out)
		var want strings.Builder
		for i := range 100 {
			line := fmt.Appendf(nil, "line %d\n", i)
			want.Write(line)
			if n, err := b.Write(line); n != len(line) || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
			clear(line) // the caller reuses it
			if i%7 == 0 {
				synctest.Wait()
				if out.String() != want.String() {
					t.Fatalf("after line %d:\n%s", i, out)
				}
			}
		}
		b.Close()
		if out.String() != want.String() || b.Dropped() != 0 {
			t.Errorf("%d dropped of\n%s", b.Dropped(), out)
		}
	})
}

// TestABlockedOutputDoesNotBlockWrite: what it does not take beyond the bound is
// lost, and the log reports it.
func TestABlockedOutputDoesNotBlockWrite(t *testing.T) {
	t.Parallel()
	out := new(pipe)
	out.mu.Lock()
	b := NewBuffer(out)
	line := append(bytes.Repeat([]byte("x"), 1023), '\n')
	const lines = 5000
	var writers sync.WaitGroup
	for range 5 {
		writers.Go(func() {
			for range lines / 5 {
				_, _ = b.Write(line)
			}
		})
	}
	writers.Wait() // would not end
	dropped := b.Dropped()
	// The pending lines, and those being written.
	if kept := lines - dropped; kept < capacity/1024 || kept > 2*capacity/1024 {
		t.Errorf("%d lines are kept", kept)
	}
	out.mu.Unlock()
	b.Close()
	text := out.String()
	if n := strings.Count(text, string(line)); n != lines-int(dropped) {
		t.Errorf("%d lines came out, want %d", n, lines-dropped)
	}
	if want := fmt.Sprintf(`"msg":"log lines dropped: the reader of the log is too slow","lines":%d}`, dropped); strings.Count(text, want) != 1 {
		t.Errorf("the log does not end with %s, but %q", want, text[max(len(text)-200, 0):])
	}
}

// TestCloseWaitsForASecond at most.
func TestCloseWaitsForASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		b := NewBuffer(writer)
		_, _ = b.Write([]byte("unread\n"))
		begin := time.Now()
		b.Close()
		if took := time.Since(begin); took != closeTimeout {
			t.Errorf("it took %s", took)
		}
		_, _ = b.Write([]byte("late\n"))
		if b.Dropped() != 1 {
			t.Errorf("%d dropped", b.Dropped())
		}
		_ = reader.Close()
	})
}

func BenchmarkWrite(b *testing.B) {
	buffer := NewBuffer(io.Discard)
	defer buffer.Close()
	line := append(bytes.Repeat([]byte("x"), 300), '\n')
	b.ReportAllocs()
	for b.Loop() {
		_, _ = buffer.Write(line)
	}
}
