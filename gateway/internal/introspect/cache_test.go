package introspect

import (
	"net/http"
	"strconv"
	"testing"
	"time"
)

// A client knows the token's public id and guesses secrets.
func TestWrongSecretsDoNotEvictTheToken(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.startStream()
		w.answer = func() (int, string) { return 200, `{"active":false}` }
		wrong := good[:len(good)-1] + "8"
		if answer := w.introspect(wrong); answer.Active {
			t.Errorf("%+v", answer)
		}
		w.assertUsable(true)
		if answer, usable := w.Cached(wrong); !usable || answer.Active {
			t.Errorf("the wrong one: %+v, usable %v", answer, usable)
		}
	})
}

func TestStaleResultIsUsedUntilItIsRevalidated(t *testing.T) {
	t.Parallel()

	c := newCache()
	t.Cleanup(c.close)
	id, d, start := idOfGood(), digestOf(good), time.Unix(1_795_300_000, 0)
	if !c.endFlight(c.beginFlight(id), d, &Result{Active: true}, start) || len(c.flights) != 0 {
		t.Fatalf("%d flights", len(c.flights))
	}
	extended := start.Add(PositiveLifetime)
	if _, usable, _ := c.get(id, d, extended, nil); usable {
		t.Error("usable after its lifetime")
	}
	if c.extendStale(id, d, extended, nil) == nil {
		t.Fatal("not extended")
	}
	for after, want := range map[time.Duration]bool{0: true, revalidateAfter - 1: true, revalidateAfter: false} {
		if _, usable, _ := c.get(id, d, extended.Add(after), nil); usable != want {
			t.Errorf("%v after: usable %t", after, usable)
		}
	}
	last := start.Add(UnconfirmedLifetime)
	if c.extendStale(id, d, last.Add(-1), nil) == nil || c.extendStale(id, d, last, nil) != nil {
		t.Error("not extended until UnconfirmedLifetime")
	}
}

func TestClearForgetsInactiveResultsToo(t *testing.T) {
	t.Parallel()

	c := newCache()
	t.Cleanup(c.close)
	id, d, now := idOfGood(), digestOf(good), time.Unix(1_795_300_000, 0)
	for _, active := range []bool{false, true} {
		c.endFlight(c.beginFlight(id), d, &Result{Active: active}, now)
		if result, usable, _ := c.get(id, d, now, nil); !usable || result.Active != active {
			t.Errorf("%+v, usable %t", result, usable)
		}
		c.clear()
		if result, usable, _ := c.get(id, d, now, nil); usable || (result != nil) != active {
			t.Errorf("after clear: %+v", result)
		}
	}
}

func TestATokenThatWasActiveIsKnownUntilItIsNot(t *testing.T) {
	t.Parallel()

	c := newCache()
	t.Cleanup(c.close)
	id, d, now := idOfGood(), digestOf(good), time.Unix(1_795_300_000, 0)
	assertKnown := func(when string, want bool) {
		t.Helper()
		result, usable, _ := c.get(id, d, now, nil)
		if known := result != nil && result.Active; known != want || usable {
			t.Errorf("%s: known %t, usable %t", when, known, usable)
		}
	}
	assertKnown("before", false)
	c.endFlight(c.beginFlight(id), d, &Result{Active: true}, now)
	c.evict(id, 1)
	assertKnown("after a change", true)
	now = now.Add(30 * 24 * time.Hour)
	assertKnown("after a month", true)
	c.endFlight(c.beginFlight(id), d, &Result{Reason: "revoked"}, now.Add(-NegativeLifetime))
	assertKnown("once it is revoked", false)
}

func TestRefreshesAreSpreadByTokenAndNotRepeatedWithinASecond(t *testing.T) {
	t.Parallel()

	const tokens = 1000
	perSecond := map[time.Duration]int{}
	for n := range tokens {
		e, age := &entry{digest: digestOf(strconv.Itoa(n))}, time.Duration(0)
		for ; age < StreamedLifetime && !e.beginRefresh(age, StreamedLifetime); age += time.Second {
		}
		perSecond[age]++
		if e.beginRefresh(age+revalidateAfter-1, StreamedLifetime) || !e.beginRefresh(age+revalidateAfter, StreamedLifetime) {
			t.Errorf("token %d is not refreshed once a second", n)
		}
	}
	for age, n := range perSecond {
		if age < StreamedLifetime/2 || age > StreamedLifetime*9/10+time.Second || n > tokens/10 {
			t.Errorf("%d of %d are refreshed after %v", n, tokens, age)
		}
	}
}

func TestATokenInUseNeverWaitsForItsNextIntrospection(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.startStream()
		for range 300 {
			w.heartbeats(time.Second, 10)
			if _, usable := w.Cached(good); !usable {
				t.Fatal("not usable")
			}
		}
		if n := w.asked; n < 5 || n > 11 {
			t.Errorf("%d introspections in 5 minutes", n)
		}
		w.answer = func() (int, string) { return http.StatusOK, `{"active":false,"reason":"revoked"}` }
		w.heartbeats(StreamedLifetime/2+time.Second, 10) // a refresh finds what the stream did not say
		for range 30 {
			w.heartbeats(time.Second, 10)
			_, _ = w.Cached(good)
		}
		if result, usable := w.Cached(good); usable && result.Active {
			t.Error("a refreshed result is not used")
		}
	})
}

func TestFailedIntrospectionIsNotInFlight(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.fail()
		if _, err := w.Introspect(t.Context(), good); err == nil || len(w.cache.flights) != 0 {
			t.Errorf("%d flights, %v", len(w.cache.flights), err)
		}
	})
}
