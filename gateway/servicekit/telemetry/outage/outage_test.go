package outage

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/testserver"
)

// TestAnOutageIsTwoLines: however many meet it, and although something works
// in between.
func TestAnOutageIsTwoLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log testserver.Log
		j := New(slog.New(slog.NewJSONHandler(&log, nil)), "Postgres")
		logs := func(when, want string) {
			t.Helper()
			synctest.Wait()
			if text := log.Take(); strings.Count(text, "\n") != min(len(want), 1) || !strings.Contains(text, want) {
				t.Errorf("%s the log is %s", when, text)
			}
		}
		j.Note(nil)
		logs("without a failure", "")
		j.Note(errors.New("connection refused"))
		logs("at the beginning", `"level":"WARN","msg":"Postgres fails","error":"connection refused"`)
		for range 10 {
			var requests sync.WaitGroup
			for range 10 {
				requests.Go(func() { j.Note(errors.New("another reason")) })
				requests.Go(func() { j.Note(nil) })
			}
			requests.Wait()
			j.Note(nil)
			time.Sleep(StableTime - time.Millisecond)
		}
		logs("while it lasts", "")
		time.Sleep(time.Millisecond)
		logs("when nothing fails any more", `"level":"INFO","msg":"Postgres works again","failures":101,"seconds":26.991`)
		j.Note(nil)
		time.Sleep(time.Hour)
		logs("later", "")
		j.Note(errors.New("no route"))
		logs("the next time", "no route")
		time.Sleep(time.Hour)
		logs("before the outage is over", "")
	})
}

// TestSuccessesAllocateNothing: every answer of Postgres is one.
func TestSuccessesAllocateNothing(t *testing.T) {
	j := New(slog.New(slog.DiscardHandler), "Postgres")
	if allocations := testing.AllocsPerRun(100, func() { j.Note(nil) }); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}
