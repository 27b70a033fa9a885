package introspect

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// The outage may begin at any time after the request or after the last heartbeat.
func TestStaleResultsAreUsedForAMinuteOfAnOutage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(*fakeService)
		bridge time.Duration // from the beginning of the outage
	}{
		"never followed": {func(w *fakeService) { w.introspect(good) }, UnconfirmedLifetime},
		"never followed, for 9 s": {
			func(w *fakeService) { w.introspect(good); w.advance(9 * time.Second) },
			UnconfirmedLifetime - 9*time.Second,
		},
		"followed": {func(w *fakeService) { w.startStream() }, UnconfirmedLifetime},
		"followed for 9 s": {
			func(w *fakeService) { w.startStream(); w.heartbeats(9*time.Second, 10) },
			UnconfirmedLifetime,
		},
		"followed for 34 s": {
			func(w *fakeService) { w.startStream(); w.heartbeats(34*time.Second, 10) },
			UnconfirmedLifetime,
		},
		"followed for 59 s": {
			func(w *fakeService) { w.startStream(); w.heartbeats(59*time.Second, 10) },
			UnconfirmedLifetime,
		},
		"followed, unused for 100 s": {
			func(w *fakeService) { w.startStream(); w.heartbeats(100*time.Second, 10) },
			UnconfirmedLifetime - 40*time.Second,
		},
		"followed, with another's change": {func(w *fakeService) {
			w.startStream()
			w.heartbeats(20*time.Second, 10)
			w.send(changed(otherID, 11))
			w.heartbeats(20*time.Second, 11)
		}, UnconfirmedLifetime},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withFakeService(t, func(t *testing.T, w *fakeService) {
				c.before(w)
				w.fail()
				for passed := time.Duration(0); passed < c.bridge; passed += revalidateAfter / 4 {
					if answer, ok := w.current(); !ok || !answer.Active {
						t.Fatalf("%s after the beginning: %+v", passed, answer)
					}
					w.advance(revalidateAfter / 4)
				}
				if answer, ok := w.current(); ok {
					t.Errorf("after %s: %+v", c.bridge, answer)
				}
				if answer, err := w.Introspect(t.Context(), other); !errors.Is(err, ErrUnavailable) || answer != nil {
					t.Errorf("a token that was never asked for: %+v, %v", answer, err)
				}
			})
		})
	}
}

// In token_gate every wait delays a request.
func TestHungServiceDelaysOneRequestPerSecond(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.introspect(good)
		w.advance(PositiveLifetime)
		w.hung = true
		w.publish()
		waits := 0
		for range 200 {
			begin := time.Now()
			if answer, ok := w.current(); !ok || !answer.Active {
				t.Fatalf("%+v", answer)
			}
			if time.Since(begin) > 0 {
				waits++
			}
			w.advance(revalidateAfter / 10)
		}
		if waits != 20 {
			t.Errorf("%d of 200 requests in 20 s waited", waits)
		}
		w.hung, w.answer = false, func() (int, string) { return 200, `{"active":false,"reason":"revoked"}` }
		w.advance(revalidateAfter)
		if answer, _ := w.current(); answer == nil || answer.Active {
			t.Errorf("a second after the service is back: %+v", answer)
		}
	})
}

func TestRevokedTokenIsNotServedStale(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.startStream()
		w.answer = func() (int, string) { return http.StatusServiceUnavailable, "" }
		w.send(changed(goodID, 11))
		if answer, err := w.Introspect(t.Context(), good); !errors.Is(err, ErrUnavailable) || answer != nil {
			t.Errorf("%+v, %v", answer, err)
		}
	})
}

func TestHungServiceTimesOut(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.hung = true
		w.publish()
		begin := time.Now()
		if _, err := w.Introspect(t.Context(), good); !errors.Is(err, ErrUnavailable) || time.Since(begin) != Timeout {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		w.publish()
		if w.asked != 1 {
			t.Errorf("asked %d times: a timeout is no reason to ask again", w.asked)
		}
	})
}
