package transport_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// replica is a program that listens on a port, as serve runs it.
type replica struct {
	*program
	url  string
	open atomic.Int64 // streams
}

func startReplica(t *testing.T, dsn string) *replica {
	t.Helper()
	r := &replica{program: over(t, dsn)}
	notifier := postgres.NewNotifier(dsn)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var ringing sync.WaitGroup
	ringing.Go(func() { notifier.Run(ctx, func(error) {}) })
	t.Cleanup(func() { cancel(); ringing.Wait() })
	r.next = notifier.Next
	r.opened = func() func() { r.open.Add(1); return func() { r.open.Add(-1) } }
	r.handle(t, r.service)
	s := httptest.NewServer(r.internal)
	t.Cleanup(s.Close)
	t.Cleanup(r.feed.Close)
	r.url = s.URL
	return r
}

// following is a stream that is being read. Its lines are without their epochs.
type following struct {
	t     *testing.T
	lines chan string
}

// epochOf matches the end of a line: cluster, timeline and table.
var epochOf = regexp.MustCompile(`,"epoch":"[0-9]+-[0-9A-F]{8}-[0-9]+"}$`)

func (r *replica) follow(t *testing.T, query string) *following {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/internal/v1/changes"+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+gatewayCredential)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || got != "application/x-ndjson" ||
		res.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	f := &following{t: t, lines: make(chan string, 1000)}
	go func() {
		defer close(f.lines)
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			f.lines <- epochOf.ReplaceAllString(lines.Text(), "}")
		}
	}()
	return f
}

// next returns the next line, or "" at the end.
func (f *following) next() string {
	f.t.Helper()
	select {
	case text := <-f.lines:
		return text
	case <-time.After(30 * time.Second):
		f.t.Fatal("nothing comes")
		return ""
	}
}

// change returns the next line that is no heartbeat.
func (f *following) change() string {
	f.t.Helper()
	for {
		if text := f.next(); strings.Contains(text, "token") || text == "" {
			return text
		}
	}
}

func TestStreamSendsMissedAndNewChanges(t *testing.T) {
	t.Parallel()
	p := start(t)
	first, _ := p.create(t, nil)
	r, other := startReplica(t, p.dsn), startReplica(t, p.dsn)

	live := r.follow(t, "")
	if got := live.next(); got != `{"rev":1}` {
		t.Errorf("the first line is %s", got)
	}
	p.revoke(t, first.ID) // by another replica than either
	for _, f := range []*following{live, other.follow(t, "?after=1")} {
		if got, want := f.change(), fmt.Sprintf(`{"rev":2,"token":%q,"kind":"revoked"}`, first.ID); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	late := other.follow(t, "?after=0")
	for i, want := range []string{
		fmt.Sprintf(`{"rev":1,"token":%q,"kind":"created"}`, first.ID),
		fmt.Sprintf(`{"rev":2,"token":%q,"kind":"revoked"}`, first.ID),
		`{"rev":2}`,
	} {
		if got := late.next(); got != want {
			t.Errorf("line %d is %s, want %s", i, got, want)
		}
	}
	second, _ := p.create(t, nil)
	done, err := p.service.RotateToken(t.Context(), tokens.Operator(), org, second.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*following{live, late} {
		for _, want := range []string{
			fmt.Sprintf(`{"rev":3,"token":%q,"kind":"created"}`, second.ID),
			fmt.Sprintf(`{"rev":4,"token":%q,"kind":"created"}`, done.Token.ID),
			fmt.Sprintf(`{"rev":5,"token":%q,"kind":"rotated"}`, second.ID),
		} {
			if got := f.change(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
	if got := r.follow(t, "?after=4000").next(); got != `{"rev":5}` {
		t.Errorf("after a revision that is not there yet: %s", got)
	}
}

// unchanged is storage in which nothing changes. It has no other methods.
type unchanged struct{ tokens.Repository }

func (unchanged) Changes(context.Context, int64, int) ([]tokens.Change, int64, string, error) {
	return nil, 7, "now", nil
}

// single is a listener with one connection.
type single chan net.Conn

func (s single) Accept() (net.Conn, error) {
	if conn, open := <-s; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (s single) Close() error   { close(s); return nil }
func (s single) Addr() net.Addr { return &net.UnixAddr{} }

// TestAStreamOutlivesTheServersDeadlines: heartbeats go on when they have passed, in virtual time.
func TestAStreamOutlivesTheServersDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := transport.NewFeed(tokens.NewService(unchanged{}, tokens.Config{}),
			func() <-chan struct{} { return nil }, func() func() { return func() {} },
			slog.New(slog.DiscardHandler))
		s := http.Server{Handler: feed, ReadTimeout: 2 * time.Second, WriteTimeout: 2 * time.Second}
		client, server := net.Pipe()
		listener := make(single, 1)
		listener <- server
		go func() { _ = s.Serve(listener) }()
		defer func() { _, _ = client.Close(), s.Close() }()
		if _, err := client.Write([]byte("GET / HTTP/1.1\r\nHost: tokens-svc\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = client.Close(), res.Body.Close() }() // to close the body alone would read it to its end
		lines := bufio.NewScanner(res.Body)
		for range 10 {
			if !lines.Scan() || lines.Text() != `{"rev":7,"epoch":"now"}` {
				t.Fatalf("%q, %v", lines.Text(), lines.Err())
			}
		}
	})
}

// TestNoChangeIsLostWithTheListeningConnection: Postgres ends it, again and again, while changes go on.
func TestNoChangeIsLostWithTheListeningConnection(t *testing.T) {
	t.Parallel()
	p := start(t)
	f := startReplica(t, p.dsn).follow(t, "?after=0")
	db, err := sql.Open("postgres", p.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	killed := 0
	for i := range 20 {
		token, _ := p.create(t, nil)
		if i%4 == 0 {
			var n int
			if err := db.QueryRowContext(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
				WHERE datname = current_database() AND query LIKE 'LISTEN%'`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			killed += n
		}
		if got, want := f.change(), fmt.Sprintf(`{"rev":%d,"token":%q,"kind":"created"}`, i+1, token.ID); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	if killed == 0 {
		t.Error("no connection listened: the test proves nothing")
	}
}

// TestDrainEndsTheStreams, so that followers go elsewhere at once.
func TestDrainEndsTheStreams(t *testing.T) {
	t.Parallel()
	r := startReplica(t, start(t).dsn)
	f := r.follow(t, "")
	f.next()
	if n := r.open.Load(); n != 1 {
		t.Errorf("%d streams are counted", n)
	}
	r.feed.Close()
	if got := f.change(); got != "" {
		t.Errorf("it goes on with %s", got)
	}
	// The handler returns a moment after its last byte.
	for deadline := time.After(30 * time.Second); r.open.Load() != 0; {
		select {
		case <-deadline:
			t.Fatal("the stream is still counted")
		default:
			runtime.Gosched()
		}
	}
	wantUnavailable(t, r.changes(t, ""))
}

// changes asks for a stream that is refused.
func (p *program) changes(t *testing.T, query string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/internal/v1/changes"+query, http.NoBody)
	r.Header.Set("Authorization", "Bearer "+gatewayCredential)
	return answer(p.internal, r)
}

func TestStreamNeedsTheGatewayCredential(t *testing.T) {
	t.Parallel()
	p := start(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/internal/v1/changes", http.NoBody)
	wantProblem(t, answer(p.internal, r), http.StatusUnauthorized, "invalid_credential")
	for _, query := range []string{
		"?after=x", "?after=-1", "?after=1.5",
		"?after=99999999999999999999", "?after=1&after=2",
	} {
		wantProblem(t, p.changes(t, query), http.StatusBadRequest, "invalid_parameter")
	}
	wantProblem(t, p.changes(t, "?afer=1"), http.StatusBadRequest, "unknown_parameter")
	away := over(t, "postgres://nobody@127.0.0.1:1/tokens?sslmode=disable")
	wantUnavailable(t, away.changes(t, "?after=1"))
}
