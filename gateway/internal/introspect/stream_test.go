package introspect

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

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
		w.advance(heartbeatTimeout - time.Nanosecond)
		w.assertUsable(true)
		if len(w.streams) != 1 {
			t.Errorf("%d connections", len(w.streams))
		}
		w.advance(2 * time.Nanosecond)
		w.assertUsable(false)
		w.advance(time.Second)
		if len(w.streams) != 2 || !w.streams[0].closed || w.streams[1].target != "/changes?after=10" ||
			!errors.Is(w.ended[0], errNoHeartbeat) {
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
				t.Errorf("%s: heartbeat %v, ended by %v", name, w.LastHeartbeat(), w.ended)
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

func TestStreamReconnectsAtOnceAfterAHeartbeat(t *testing.T) {
	t.Parallel()
	withFakeService(t, func(t *testing.T, w *fakeService) {
		w.refuse = errors.New("refused")
		w.startFollowing()
		w.advance(time.Minute) // the backoff is the longest
		w.refuse = nil
		before := len(w.streams)
		for len(w.streams) == before {
			w.advance(minBackoff)
		}
		w.send(heartbeat(10))
		before++
		_ = w.streams[before-1].lines.Close()
		if w.advance(minBackoff); len(w.streams) != before+1 {
			t.Errorf("%d connections after the first backoff, want one more than %d", len(w.streams), before)
		}
	})
}

func TestStreamIsFreshForHeartbeatTimeout(t *testing.T) {
	t.Parallel()

	heartbeatAt := time.Unix(1_795_300_000, 0)
	since := heartbeatAt.Add(-time.Hour)
	h := &streamState{since: since, lastHeartbeat: heartbeatAt}
	late := heartbeatAt.Add(heartbeatTimeout + 1)
	if !h.fresh(heartbeatAt.Add(heartbeatTimeout)) || h.fresh(late) || (*streamState)(nil).fresh(heartbeatAt) {
		t.Errorf("%v, %v, %v", h.fresh(heartbeatAt.Add(heartbeatTimeout)), h.fresh(late),
			(*streamState)(nil).fresh(heartbeatAt))
	}
	for name, tt := range map[string]struct {
		state            *streamState
		requestedAt, now time.Time
		lifetime         time.Duration
		confirmedAt      time.Time
	}{
		"no stream":               {nil, heartbeatAt, heartbeatAt, PositiveLifetime, heartbeatAt},
		"before the stream":       {h, since.Add(-1), heartbeatAt, PositiveLifetime, since.Add(-1)},
		"with the first":          {h, since, heartbeatAt, StreamedLifetime, since.Add(StreamedLifetime)},
		"a while ago":             {h, heartbeatAt.Add(-time.Second), heartbeatAt, StreamedLifetime, heartbeatAt},
		"with the last":           {h, heartbeatAt, heartbeatAt, StreamedLifetime, heartbeatAt},
		"after the last":          {h, heartbeatAt.Add(1), heartbeatAt.Add(1), StreamedLifetime, heartbeatAt.Add(1)},
		"stream is not fresh":     {h, heartbeatAt, late, PositiveLifetime, heartbeatAt},
		"used for its whole life": {h, heartbeatAt.Add(-StreamedLifetime), heartbeatAt, StreamedLifetime, heartbeatAt},
	} {
		if got := tt.state.lifetime(tt.requestedAt, tt.now); got != tt.lifetime {
			t.Errorf("%s: lifetime %v", name, got)
		}
		if got := tt.state.confirmedAt(tt.requestedAt); !got.Equal(tt.confirmedAt) {
			t.Errorf("%s: confirmed at %v, want %v", name, got, tt.confirmedAt)
		}
	}
}
