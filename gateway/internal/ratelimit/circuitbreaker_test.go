package ratelimit

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestCircuitBreakerOpensAfterThreeFailuresAndProbesUntilSuccess(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		fault := errors.New("hung")
		var probes []time.Duration
		var changes []string
		start, probing := time.Now(), false
		b := newCircuitBreaker(func(context.Context) error {
			if probing {
				t.Error("two probes at once")
			}
			probing = true
			defer func() { probing = false }()
			probes = append(probes, time.Since(start))
			<-time.After(50 * time.Millisecond)
			if len(probes) < 5 {
				return fault
			}
			return nil
		}, func(cause error) {
			changes = append(changes, map[bool]string{true: "closed", false: "open"}[cause == nil])
		})
		defer b.close()

		for _, err := range []error{fault, fault, nil, fault, fault} {
			if b.record(err); b.isOpen() {
				t.Fatal("opened before three failures in a row")
			}
		}
		for range 3 { // only the first matters
			if b.record(fault); !b.isOpen() {
				t.Fatal("not open after three failures in a row")
			}
		}
		if b.record(nil); !b.isOpen() {
			t.Fatal("closed by a flush that began before it opened")
		}
		<-time.After(4 * time.Second)
		if synctest.Wait(); !b.isOpen() {
			t.Error("closed while probes failed")
		}
		<-time.After(3 * time.Second)
		if synctest.Wait(); b.isOpen() {
			t.Error("open after a probe succeeded")
		}
		for i, at := range probes {
			since := at
			if i > 0 {
				since -= probes[i-1]
			}
			if since < 900*time.Millisecond || since > 1150*time.Millisecond {
				t.Errorf("probe %d came %v after the one before", i+1, since)
			}
		}
		for range maxFailures - 1 {
			if b.record(fault); b.isOpen() {
				t.Error("failures from before the outage count after it")
			}
		}
		if b.record(fault); !b.isOpen() {
			t.Error("it does not open a second time")
		}
		if !slices.Equal(changes, []string{"open", "closed", "open"}) || len(probes) != 5 {
			t.Errorf("changes %v after %d probes", changes, len(probes))
		}
	})
}

func TestCircuitBreakerStopsProbingWhenClosed(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		fault := errors.New("gone")
		probes := 0
		b := newCircuitBreaker(func(context.Context) error { probes++; return fault }, func(error) {})
		for range maxFailures {
			b.record(fault)
		}
		<-time.After(2500 * time.Millisecond)
		b.close()
		synctest.Wait()
		before := probes
		<-time.After(time.Minute)
		if probes != before || before == 0 {
			t.Errorf("%d probes before and %d after", before, probes)
		}
	})
}
