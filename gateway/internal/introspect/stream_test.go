package introspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	good    = "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"
	other   = "shpt_live_000000000001_0000000000000000000000000000000027i4HK"
	goodID  = "tok_4fZyo82mVyR1"
	otherID = "tok_000000000001"
)

// fakeService is a tokens service without a network, and an Introspector that uses it, in a synctest bubble.
type fakeService struct {
	*Introspector

	t       *testing.T
	mu      sync.Mutex
	asked   int
	answer  func() (status int, body string) // to the next introspections
	hung    bool                             // the next introspections hang
	refuse  error                            // of the next connections
	streams []*stream
	ended   []error
}

// stream is one connection to the change stream.
type stream struct {
	target string
	at     time.Time
	lines  *io.PipeWriter
	closed bool
}

// withFakeService runs test with a service that responds "active" at revision 10 and has not started its stream.
func withFakeService(t *testing.T, test func(t *testing.T, w *fakeService)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &fakeService{t: t}
		w.answer = func() (int, string) { return http.StatusOK, active(goodID, 10) }
		w.Introspector = New(Config{
			Introspection: "http://tokens/introspect", Changes: "http://tokens/changes", Credential: "x", Now: time.Now,
			OnStream: func(err error) {
				if err != nil {
					w.mu.Lock()
					defer w.mu.Unlock()
					w.ended = append(w.ended, err)
				}
			},
		})
		w.client.http.Transport = w
		resolve := func(context.Context, string, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
		}
		w.client.endpoints.resolve, w.client.streams.resolve = resolve, resolve
		test(t, w)
		w.Close() // the bubble fails if a goroutine is left
	})
}

func active(id string, revision int64) string {
	return fmt.Sprintf(`{"active":true,"scope":"","sub":%q,"organization_id":"org_01k9x3v7t2e8sbq4m6n0pacdfg","rev":%d}`, id, revision)
}

func (w *fakeService) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	if r.Method == http.MethodPost {
		w.asked++
		answer, hung := w.answer, w.hung
		w.mu.Unlock()
		if hung {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		status, body := answer()
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
	defer w.mu.Unlock()
	reader, writer := io.Pipe()
	s := &stream{target: r.URL.RequestURI(), at: time.Now(), lines: writer}
	w.streams = append(w.streams, s)
	context.AfterFunc(r.Context(), func() { s.closed = true })
	if w.refuse != nil {
		return nil, w.refuse
	}
	return &http.Response{StatusCode: http.StatusOK, Body: reader}, nil
}

// send sends lines on the newest stream and waits until they are applied.
func (w *fakeService) send(lines ...string) {
	w.t.Helper()
	w.advance(0)
	for _, line := range lines {
		if _, err := io.WriteString(w.streams[len(w.streams)-1].lines, line+"\n"); err != nil {
			w.t.Fatal(err)
		}
	}
	synctest.Wait()
}

// publish orders the test's writes before and after the service's reads.
func (w *fakeService) publish() {
	w.mu.Lock()
	defer w.mu.Unlock()
}

// advance lets d pass.
func (w *fakeService) advance(d time.Duration) {
	w.publish()
	time.Sleep(d)
	synctest.Wait()
}

// heartbeats lets d pass with a heartbeat each second.
func (w *fakeService) heartbeats(d time.Duration, revision int64) {
	w.t.Helper()
	for ; d >= time.Second; d -= time.Second {
		w.advance(time.Second)
		w.send(heartbeat(revision))
	}
	w.advance(d)
}

func heartbeat(revision int64) string { return fmt.Sprintf(`{"rev":%d}`, revision) }

func changed(id string, revision int64) string {
	return fmt.Sprintf(`{"rev":%d,"token":%q,"kind":"revoked"}`, revision, id)
}

// startStream introspects the token once after the stream began at revision 10.
func (w *fakeService) startStream() {
	w.t.Helper()
	w.startFollowing()
	w.send(heartbeat(10))
	w.introspect(good)
}

func (w *fakeService) introspect(token string) *Result {
	w.t.Helper()
	result, err := w.Introspect(w.t.Context(), token)
	if err != nil {
		w.t.Fatal(err)
	}
	return result
}

// assertUsable fails the test unless the token's cached result has that usability.
func (w *fakeService) assertUsable(want bool) {
	w.t.Helper()
	if _, got := w.Cached(good); got != want {
		w.t.Errorf("usable: %v, want %v", got, want)
	}
}

func TestResultsLastAMinuteWhileTheStreamIsFresh(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(_ *testing.T, w *fakeService) {
		w.startStream()
		w.heartbeats(StreamedLifetime-time.Nanosecond, 10)
		w.assertUsable(true)
		w.advance(time.Nanosecond)
		w.assertUsable(false)
	})
}

func TestResultsFromBeforeTheStreamLastTenSeconds(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(_ *testing.T, w *fakeService) {
		w.introspect(good)
		w.advance(time.Second)
		w.send(heartbeat(10)) // a change between the two would have been missed
		w.heartbeats(PositiveLifetime-time.Second-time.Nanosecond, 10)
		w.assertUsable(true)
		w.advance(time.Nanosecond)
		w.assertUsable(false)
		w.introspect(good)
		w.heartbeats(StreamedLifetime/2, 10)
		w.assertUsable(true)
	})
}

// An open connection without data.
func TestStreamWithoutHeartbeatIsReplacedAfterThreeSeconds(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.startStream()
		w.heartbeats(30*time.Second, 10)
		w.advance(HeartbeatTimeout - time.Nanosecond)
		w.assertUsable(true)
		if len(w.streams) != 1 {
			t.Errorf("%d connections", len(w.streams))
		}
		w.advance(2 * time.Nanosecond)
		w.assertUsable(false)
		w.advance(time.Second)
		if len(w.streams) != 2 || !w.streams[0].closed || w.streams[1].target != "/changes?after=10" || !errors.Is(w.ended[0], errNoHeartbeat) {
			t.Fatalf("connections %+v, ended by %v", w.streams, w.ended)
		}
		w.assertUsable(false)
		w.send(heartbeat(10)) // no change meanwhile
		w.assertUsable(true)
	})
}

func TestResultsSurviveAReconnect(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.startStream()
		if err := w.streams[0].lines.Close(); err != nil {
			t.Fatal(err)
		}
		w.advance(minBackoff)
		w.assertUsable(true)
		w.send(changed(otherID, 11), heartbeat(11))
		w.assertUsable(true)
		w.advance(PositiveLifetime)
		w.assertUsable(false)
	})
}

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
		remembered    bool
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
			if _, usable := w.Cached(good); usable != tt.remembered {
				t.Errorf("%s: remembered: %v", name, usable)
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
				t.Errorf("%s: nothing is remembered afterwards", name)
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

func TestStreamRestartsAtThePresentRevisionAfterAMinute(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.startStream()
		w.refuse = errors.New("refused")
		_ = w.streams[0].lines.Close()
		w.advance(StreamedLifetime - time.Second)
		if last := w.streams[len(w.streams)-1]; last.target != "/changes?after=10" {
			t.Errorf("within a minute: %s", last.target)
		}
		w.advance(time.Second)
		w.introspect(good)
		w.refuse = nil
		waited, before := time.Duration(0), len(w.streams)
		for ; len(w.streams) == before && waited < maxBackoff; waited += minBackoff {
			w.advance(minBackoff)
		}
		if last := w.streams[len(w.streams)-1]; last.target != "/changes" {
			t.Errorf("after a minute: %s", last.target)
		}
		w.send(heartbeat(5000))
		w.assertUsable(true)
		w.heartbeats(PositiveLifetime-waited, 5000)
		w.assertUsable(false)
	})
}

func TestStreamReconnectsWithBackoff(t *testing.T) {
	t.Parallel()

	for name, lines := range map[string][]string{
		"refused":             nil,
		"garbage":             {"<html>"},
		"an empty line":       {""},
		"no revision":         {`{"token":"tok_4fZyo82mVyR1"}`},
		"a huge line":         {`{"rev":1,"kind":"` + strings.Repeat("x", maxLineBytes) + `"}`},
		"a token of no form":  {`{"rev":11,"token":"tok_x"}`},
		"a token of no text":  {`{"rev":11,"token":7}`},
		"a revision below 0":  {`{"rev":-1}`},
		"two objects a line":  {`{"rev":10}{"rev":11}`},
		"a change, then junk": {changed(otherID, 11), "junk"},
	} {
		withFakeService(t, func(t *testing.T, w *fakeService) {
			if lines == nil {
				w.refuse = errors.New("refused")
			}
			w.startFollowing()
			for range 600 {
				w.advance(0)
				for _, line := range lines {
					// The other end may close while the line is being written.
					_, _ = io.WriteString(w.streams[len(w.streams)-1].lines, line+"\n")
				}
				w.advance(100 * time.Millisecond)
			}
			if n := len(w.streams); n < 60/5 || n > 40 {
				t.Errorf("%s: %d connections in a minute", name, n)
			}
			if len(w.ended) < 10 || !w.LastHeartbeat().IsZero() {
				t.Errorf("%s: heard %v, ended by %v", name, w.LastHeartbeat(), w.ended)
			}
			pauses := map[time.Duration]bool{}
			for i, s := range w.streams[1:] {
				pauses[s.at.Sub(w.streams[i].at)] = true
			}
			if len(pauses) < 5 {
				t.Errorf("%s: the pauses are all alike: %v", name, pauses)
			}
		})
	}
}

// The outage may begin at any time after the request or after the last heartbeat.
func TestStaleResultsAreUsedForAMinuteOfAnOutage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(*fakeService)
		bridge time.Duration // from the beginning of the outage
	}{
		"never followed":             {func(w *fakeService) { w.introspect(good) }, UnconfirmedLifetime},
		"never followed, for 9 s":    {func(w *fakeService) { w.introspect(good); w.advance(9 * time.Second) }, UnconfirmedLifetime - 9*time.Second},
		"followed":                   {func(w *fakeService) { w.startStream() }, UnconfirmedLifetime},
		"followed for 9 s":           {func(w *fakeService) { w.startStream(); w.heartbeats(9*time.Second, 10) }, UnconfirmedLifetime},
		"followed for 34 s":          {func(w *fakeService) { w.startStream(); w.heartbeats(34*time.Second, 10) }, UnconfirmedLifetime},
		"followed for 59 s":          {func(w *fakeService) { w.startStream(); w.heartbeats(59*time.Second, 10) }, UnconfirmedLifetime},
		"followed, unused for 100 s": {func(w *fakeService) { w.startStream(); w.heartbeats(100*time.Second, 10) }, UnconfirmedLifetime - 40*time.Second},
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

// fail makes all introspections and the stream fail.
func (w *fakeService) fail() {
	w.t.Helper()
	w.advance(0) // running calls may still read what is set here
	w.answer = func() (int, string) { return http.StatusServiceUnavailable, "" }
	w.refuse = errors.New("connection refused")
	for _, s := range w.streams {
		_ = s.lines.Close()
	}
	w.publish()
}

// current returns the result that token_gate would use.
func (w *fakeService) current() (*Result, bool) {
	if answer, usable := w.Cached(good); usable {
		return answer, true
	}
	answer, _ := w.Introspect(w.t.Context(), good)
	return answer, answer != nil
}

// In token_gate every wait delays a request.
func TestHungServiceDelaysOneRequestPerSecond(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.introspect(good)
		w.advance(PositiveLifetime)
		w.hung = true
		w.publish()
		var waited time.Duration
		for range 200 {
			begin := time.Now()
			if answer, ok := w.current(); !ok || !answer.Active {
				t.Fatalf("%+v", answer)
			}
			waited += time.Since(begin)
			w.advance(revalidateAfter / 10)
		}
		if waited != Timeout {
			t.Errorf("all requests together waited %s", waited)
		}
		w.hung, w.answer = false, func() (int, string) { return 200, `{"active":false,"reason":"revoked"}` }
		w.advance(revalidateAfter)
		_, _ = w.current() // starts an introspection
		synctest.Wait()
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

func FuzzParseChange(f *testing.F) {
	for _, seed := range []string{"", "{}", "null", heartbeat(813), changed(goodID, 813), `{"rev":1e3}`, `{"rev":null,"token":null}`, `{"REV":1,"rev":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, err := parseChange(line)
		switch {
		case err != nil:
			if got != (change{}) || len(line) > 20 && strings.Contains(err.Error(), string(line)) {
				t.Errorf("%+v with %v", got, err)
			}
		case got.revision < 0 || got.heartbeat != (got.token == tokenID{}):
			t.Errorf("%q is %+v", line, got)
		case !got.heartbeat && !tokenIDForm.MatchString(got.token.publicID()):
			t.Errorf("%q names %q", line, got.token)
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
