package introspect

import (
	"fmt"
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

func BenchmarkEvict(b *testing.B) {
	c := newCache()
	b.Cleanup(c.close)
	answer := &Result{Active: true}
	for n := range positiveEntries {
		var id tokenID
		copy(id[:], fmt.Sprintf("%012d", n))
		c.endFlight(c.beginFlight(id), digest{}, answer, time.Now())
	}
	b.ReportAllocs()
	var id tokenID
	for n := 0; b.Loop(); n++ {
		copy(id[:], fmt.Sprintf("%012d", n%positiveEntries))
		c.evict(id, 1)
	}
}
