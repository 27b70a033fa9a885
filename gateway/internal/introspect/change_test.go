package introspect

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestChangeEvictsTheResult(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(_ *testing.T, w *fakeService) {
		w.startStream()
		w.send(changed(otherID, 11))
		w.assertUsable(true)
		w.send(changed(goodID, 12))
		w.assertUsable(false)
		w.answer = func() (int, string) { return 200, active(goodID, 13) }
		w.introspect(good)
		w.send(changed(goodID, 13)) // already in the result
		w.assertUsable(true)
	})
}

func TestMissedChangesAreReadAfterAReconnect(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.startStream()
		_ = w.streams[0].lines.CloseWithError(errors.New("reset"))
		w.advance(4 * time.Second)
		if target := w.streams[len(w.streams)-1].target; target != "/changes?after=10" {
			t.Fatal(target)
		}
		w.send(changed(goodID, 11), heartbeat(11))
		w.assertUsable(false)
	})
}

// The tokens service read the old row, and the change arrives before its response.
func TestResultSupersededByAChangeIsRequestedAgain(t *testing.T) {
	t.Parallel()

	const inactive = `{"active":false}`
	for name, tt := range map[string]struct {
		first, second string
		asked         int
		active        bool
		cached        bool
	}{
		"revoked":             {active(goodID, 10), inactive, 2, false, true},
		"limit lowered":       {active(goodID, 10), active(goodID, 11), 2, true, true},
		"created":             {inactive, active(goodID, 11), 2, true, true},
		"the answer knows it": {active(goodID, 11), "", 1, true, true},
		"without a revision":  {strings.Replace(active(goodID, 10), `"rev"`, `"ver"`, 1), inactive, 2, false, true},
		"twice in a row":      {active(goodID, 10), active(goodID, 10), 2, true, false},
	} {
		withFakeService(t, func(t *testing.T, w *fakeService) {
			w.startFollowing()
			w.send(heartbeat(10))
			revision := int64(10)
			w.answer = func() (int, string) {
				body := tt.first
				if w.asked == 2 {
					body = tt.second
				}
				if w.asked == 1 || tt.second == tt.first {
					revision++
					w.send(changed(otherID, revision))
					revision++
					w.send(changed(goodID, revision))
				}
				return 200, strings.Replace(body, `"rev":11`, `"rev":12`, 1)
			}
			answer := w.introspect(good)
			if answer.Active != tt.active || w.asked != tt.asked {
				t.Errorf("%s: active %v after %d questions", name, answer.Active, w.asked)
			}
			if _, usable := w.Cached(good); usable != tt.cached {
				t.Errorf("%s: cached: %v", name, usable)
			}
		})
	}
}

func TestChangeOfAnotherTokenDoesNotSupersedeAResult(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.startFollowing()
		w.send(heartbeat(10))
		w.answer = func() (int, string) {
			w.send(changed(otherID, 11))
			return 200, active(goodID, 10)
		}
		if w.introspect(good); w.asked != 1 {
			t.Errorf("%d introspections", w.asked)
		}
		w.assertUsable(true)
	})
}

func TestRevisionGapClearsTheCache(t *testing.T) {
	t.Parallel()

	for name, line := range map[string]string{
		"a change is missing":            changed(otherID, 12),
		"a heartbeat is ahead":           heartbeat(11),
		"the service went back in time":  heartbeat(9),
		"the service was made from zero": heartbeat(0),
	} {
		withFakeService(t, func(t *testing.T, w *fakeService) {
			w.startStream()
			w.answer = func() (int, string) {
				w.send(line) // with a result in flight, which must not be cached either
				w.answer = func() (int, string) { return 200, active(otherID, 7) }
				return 200, active(otherID, 7)
			}
			w.introspect(other)
			w.assertUsable(false)
			if w.asked != 3 {
				t.Errorf("%s: asked %d times", name, w.asked)
			}
			if _, usable := w.Cached(other); !usable {
				t.Errorf("%s: nothing is cached afterwards", name)
			}
			if len(w.ended) > 0 {
				t.Errorf("%s: %v", name, w.ended)
			}
		})
	}
}

// in adds an epoch to a line.
func in(epoch, line string) string {
	return strings.TrimSuffix(line, "}") + fmt.Sprintf(`,"epoch":%q}`, epoch)
}

// A replica was promoted that lacks the newest changes, or the database was restored: revisions above 10 name other
// changes than before. The result's token was revoked as revision 11 of the new history.
func TestAnotherEpochClearsTheCache(t *testing.T) {
	t.Parallel()

	for name, lines := range map[string][]string{
		"a heartbeat with the same revision": {in("b", heartbeat(12))},
		"a heartbeat with a lower revision":  {in("b", heartbeat(11))},
		"the next revision, of another token": {
			in("b", changed(otherID, 13)), in("b", heartbeat(13)),
		},
		"a change with a lower revision": {in("b", changed(otherID, 12)), in("b", heartbeat(12))},
	} {
		withFakeService(t, func(t *testing.T, w *fakeService) {
			w.startFollowing()
			w.send(in("a", heartbeat(12)))
			w.answer = func() (int, string) { return 200, active(goodID, 12) }
			w.introspect(good)
			w.answer = func() (int, string) {
				w.send(lines...) // with a result in flight, which must not be cached either
				w.answer = func() (int, string) { return 200, active(otherID, 7) }
				return 200, active(otherID, 12)
			}
			w.introspect(other)
			if _, usable := w.Cached(good); usable {
				t.Errorf("%s: a result of the epoch before is used", name)
			}
			if result, usable := w.Cached(other); !usable || result.Revision != 7 {
				t.Errorf("%s: %+v, usable %v", name, result, usable)
			}
			last := w.follower.revision
			w.send(in("b", changed(otherID, last+1)), in("b", heartbeat(last+1)))
			if _, usable := w.Cached(other); usable {
				t.Errorf("%s: a change after it is missed", name)
			}
			if len(w.streams) != 1 || len(w.ended) > 0 {
				t.Errorf("%s: %d connections, ended by %v", name, len(w.streams), w.ended)
			}
		})
	}
}

// During an upgrade some replicas of the tokens service send no epoch.
func TestLinesWithoutEpochKeepTheCache(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(_ *testing.T, w *fakeService) {
		w.startStream()
		for _, line := range []string{in("a", heartbeat(10)), heartbeat(10), changed(otherID, 11), in("a", heartbeat(11))} {
			w.send(line)
			w.assertUsable(true)
		}
		w.send(in("b", heartbeat(11)))
		w.assertUsable(false)
	})
}

func TestNewTokenIsActiveImmediately(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.answer = func() (int, string) { return 200, `{"active":false}` }
		w.startStream()
		w.assertUsable(true) // the inactive result
		w.send(changed(goodID, 11))
		w.answer = func() (int, string) { return 200, active(goodID, 11) }
		if answer := w.introspect(good); !answer.Active {
			t.Errorf("%+v", answer)
		}
	})
}

func FuzzParseChange(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "null", heartbeat(813), changed(goodID, 813), `{"rev":1e3}`,
		`{"rev":null,"token":null}`, `{"REV":1,"rev":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, err := parseChange(line, &format)
		switch {
		case err != nil:
			if got != (change{}) || len(line) > 20 && strings.Contains(err.Error(), string(line)) {
				t.Errorf("%+v with %v", got, err)
			}
		case got.revision < 0 || got.heartbeat != (got.token == tokenID{}):
			t.Errorf("%q is %+v", line, got)
		}
	})
}
