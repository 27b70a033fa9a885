package outage

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// However many requests fail, and although some succeed in between.
func TestOutageIsTwoLogLines(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		core, log := observer.New(zap.DebugLevel)
		logger := zap.New(core)
		j := New("Redis", func() *zap.Logger { return logger })
		logs := func(when string, want ...string) {
			t.Helper()
			synctest.Wait()
			lines := log.TakeAll()
			if len(lines) != min(len(want), 1) {
				t.Fatalf("%s there are %d lines: %v", when, len(lines), lines)
			}
			for _, line := range lines {
				if line.Level.String() != want[0] || line.Message != want[1] {
					t.Errorf("%s the log is %s %s", when, line.Level, line.Message)
				}
			}
		}
		j.Record(nil)
		logs("without a failure")
		j.Record(errors.New("connection refused"))
		logs("at the beginning", "error", "Redis fails")
		for range 10 {
			var requests sync.WaitGroup
			for range 10 {
				requests.Go(func() { j.Record(errors.New("another reason")) })
				requests.Go(func() { j.Record(nil) })
			}
			requests.Wait()
			j.Record(nil)
			time.Sleep(StableTime - time.Millisecond)
		}
		logs("while it lasts")
		time.Sleep(time.Millisecond)
		logs("when nothing fails any more", "info", "Redis works again")
		j.Record(nil)
		time.Sleep(time.Hour)
		logs("later")
		j.Record(errors.New("no route"))
		logs("the next time", "error", "Redis fails")
		time.Sleep(time.Hour)
		logs("before the outage is over")
	})
}

func TestRecordingSuccessAllocatesNothing(t *testing.T) {
	j := New("Redis", func() *zap.Logger { return zap.NewNop() })
	if allocations := testing.AllocsPerRun(100, func() { j.Record(nil) }); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}
