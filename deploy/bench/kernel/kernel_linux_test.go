package kernel

import (
	"crypto/sha256"
	"os"
	"testing"
	"time"
)

func TestCPUTimeGrowsWithWorkAndNotWithWaiting(t *testing.T) {
	before, err := CPUTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for i := range 200_000 {
		sha256.Sum256([]byte{byte(i)})
	}
	worked := time.Since(start)
	after, err := CPUTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if used := after - before; used <= 0 || used > 64*worked {
		t.Errorf("%s of CPU in %s", used, worked)
	}
}

func TestAProcessThatIsGoneHasNoFigures(t *testing.T) {
	t.Parallel()
	const unused = 1<<22 + 1 // beyond the largest process id
	if used, err := CPUTime(unused); err == nil {
		t.Errorf("CPU time %s", used)
	}
	if peak, err := PeakMemory(unused); err == nil {
		t.Errorf("peak memory %d", peak)
	}
}

func TestPeakMemoryIsOfThisProcess(t *testing.T) {
	t.Parallel()
	peak, err := PeakMemory(os.Getpid())
	if err != nil || peak < 1<<20 || peak > 1<<34 {
		t.Errorf("%d bytes (%v)", peak, err)
	}
}

func TestNoTickIsLost(t *testing.T) {
	t.Parallel()
	const interval = time.Millisecond
	start := time.Now()
	ticks, err := NewTicks(interval)
	if err != nil {
		t.Fatal(err)
	}
	defer ticks.Stop()
	seen := 0
	for seen < 50 {
		n, err := ticks.Wait()
		if err != nil {
			t.Fatal(err)
		}
		seen += n
	}
	if passed := time.Since(start); passed < time.Duration(seen)*interval {
		t.Errorf("%d ticks of %s in %s", seen, interval, passed)
	}
}
