package introspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
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

	t        *testing.T
	mu       sync.Mutex
	asked    int
	answer   func() (status int, body string) // to the next introspections
	hung     bool                             // the next introspections hang
	refuse   error                            // of the next connections
	streams  []*stream
	ended    []error
	reported int // heartbeats that were reported
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
		w.Introspector = New(Extended(Config{
			Introspection: Parsed("http://tokens/introspect"), Credential: "x",
			Now: time.Now,
			Resolve: func(context.Context, string, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
			},
			OnStream: func(err error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if err == nil {
					w.reported++
					return
				}
				w.ended = append(w.ended, err)
			},
		}))
		w.client.http.Transport = w
		test(t, w)
		w.Close() // the bubble fails if a goroutine is left
	})
}

func active(id string, revision int64) string {
	return fmt.Sprintf(`{"active":true,"scope":"","sub":%q,"organization_id":"org_01k9x3v7t2e8sbq4m6n0pacdfg","rev":%d}`,
		id, revision)
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

// assertUsable fails the test unless the token's cached result has that usability. It refreshes nothing.
func (w *fakeService) assertUsable(want bool) {
	w.t.Helper()
	if _, got, _ := w.cache.get(idOfGood(), digestOf(good), time.Now(), w.follower.state.Load()); got != want {
		w.t.Errorf("usable: %v, want %v", got, want)
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

// format is that of the tokens of tests.
var format = bearer.Format{
	Prefixes: []string{"shpt_live_", "shpt_test_"}, Length: 61, IDLength: 12, Subject: "tok_", Checksum: true,
}

// Extended returns config for a tokens service with a change stream and forms of its own.
func Extended(config Config) Config {
	config.Extended, config.Format, config.SessionCookies = true, format, []string{"__Host-quayside", "quayside"}
	config.Results.Organization = regexp.MustCompile(`^org_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	return config
}

func idOfGood() tokenID { return (&Introspector{format: format}).idOf(good, digest{}) }

// Parsed parses a URL of a test.
func Parsed(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return u
}
