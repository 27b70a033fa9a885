package ratelimit

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestCircuitBreakerOpensAfterThreeFailuresAndTriesOnceASecond(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		fault := errors.New("hung")
		var changes []string
		b := &circuitBreaker{onChange: func(cause error) {
			changes = append(changes, map[bool]string{true: "closed", false: "open"}[cause == nil])
		}}
		for _, err := range []error{fault, fault, nil, fault, fault} {
			if b.record(err); b.isOpen() || !b.allow() {
				t.Fatal("opened before three failures in a row")
			}
		}
		for range 5 {
			if b.record(fault); !b.isOpen() || b.allow() {
				t.Fatal("not open after three failures in a row")
			}
			time.Sleep(retryInterval)
			if !b.allow() || b.allow() {
				t.Fatal("not exactly one call a second is allowed")
			}
		}
		if b.record(nil); b.isOpen() || !b.allow() {
			t.Error("open after a call succeeded")
		}
		for range maxFailures - 1 {
			if b.record(fault); b.isOpen() {
				t.Error("failures from before the outage count after it")
			}
		}
		if b.record(fault); !b.isOpen() {
			t.Error("it does not open a second time")
		}
		b.close()
		if !slices.Equal(changes, []string{"open", "closed", "open"}) {
			t.Errorf("changes %v", changes)
		}
	})
}
