package transport_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// wantUnavailable checks that a response is 503 without a result, and has
// Retry-After.
func wantUnavailable(t *testing.T, res *httptest.ResponseRecorder) {
	t.Helper()
	wantProblem(t, res, http.StatusServiceUnavailable, "unavailable")
	if strings.Contains(res.Body.String(), "active") || res.Header().Get("WWW-Authenticate") != "" {
		t.Errorf("the response describes the token: %s", res.Body.String())
	}
	for name, want := range map[string]string{"Retry-After": "2", "Cache-Control": "no-store"} {
		if got := res.Header().Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestPostgresOutageMakesIntrospectionUnavailable: not that they are good, and above
// all not that they are bad.
func TestPostgresOutageMakesIntrospectionUnavailable(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	closed, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	p := over(t, "postgres://nobody@"+closed.Addr().String()+"/tokens?sslmode=disable")
	wantUnavailable(t, p.introspect(t, known, nil))
	wantUnavailable(t, p.ask(t, http.MethodGet, "/api/v1/token", org, "tok_000000000001", nil))
	if log := p.log.String(); strings.Count(log, `"error":"`) != 2 || strings.Count(log, "connection refused") != 2 || strings.Count(log, "\n") != 2 {
		t.Errorf("the two requests and the causes are not two lines: %s", log)
	}
	wantBody(t, p.introspect(t, "token=nonsense", nil), `{"active":false}`)
}

// known is the form of a well-formed token, for which Postgres must be asked.
const known = "token=shpt_live_000000000001_0000000000000000000000000000000027i4HK"

// TestSilentPostgresTimesOutInTwoSeconds: it vanishes, without a reset, in
// front of more requests than the pool has connections. When it is back, so is
// the service.
func TestSilentPostgresTimesOutInTwoSeconds(t *testing.T) {
	t.Parallel()
	direct := start(t)
	token, secret := direct.create(t, nil)
	between := newProxy(t, direct.dsn)
	p := over(t, between.dsn)
	if res := p.introspect(t, formOf(secret), nil); res.Code != http.StatusOK {
		t.Fatalf("through the proxy: %d", res.Code)
	}

	// burst sends 60 requests at once and returns how long the slowest took.
	burst := func(want func(*testing.T, *httptest.ResponseRecorder)) (slowest time.Duration) {
		var all sync.WaitGroup
		took := make(chan time.Duration, 60)
		for range cap(took) / 2 {
			all.Go(func() {
				began := time.Now()
				want(t, p.introspect(t, formOf(secret), nil))
				took <- time.Since(began)
			})
			all.Go(func() {
				began := time.Now()
				want(t, p.ask(t, http.MethodGet, "/api/v1/token", org, token.ID, nil))
				took <- time.Since(began)
			})
		}
		all.Wait()
		close(took)
		for t := range took {
			slowest = max(slowest, t)
		}
		return slowest
	}
	healthy := burst(func(*testing.T, *httptest.ResponseRecorder) {})
	between.hang()
	if took := burst(wantUnavailable); took > 2*time.Second+healthy { // on a busy machine all requests take longer
		t.Errorf("the slowest took %s, and %s with Postgres", took, healthy)
	}

	between.heal()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if p.introspect(t, formOf(secret), nil).Code == http.StatusOK {
			return
		}
	}
	t.Error("5 seconds after Postgres was back the service was not")
}

// TestTokenOfAnUnloadedPepperIsUnavailableNotInactive, and the log says which token
// and which version.
func TestTokenOfAnUnloadedPepperIsUnavailableNotInactive(t *testing.T) {
	t.Parallel()
	p := start(t)
	token, secret := p.create(t, nil)
	exec(t, p.dsn, `UPDATE api_tokens SET pepper_version = 9`)
	wantUnavailable(t, p.introspect(t, formOf(secret), nil))
	if want := "token " + string(token.ID) + " needs pepper version 9"; !strings.Contains(p.log.String(), want) {
		t.Errorf("the log does not say %q: %s", want, p.log)
	}
}

// TestDeadlineIsUnavailableNotInactive, even where the repository did not recognize it.
func TestDeadlineIsUnavailableNotInactive(t *testing.T) {
	t.Parallel()
	for _, err := range []error{context.DeadlineExceeded, tokens.ErrUnavailable} {
		wantUnavailable(t, with(t, failing(err)).introspect(t, known, nil))
	}
}

// proxy stands between the program and Postgres and can fall silent.
type proxy struct {
	dsn    string
	mu     sync.Mutex
	silent chan struct{} // closed while bytes pass
}

func newProxy(t *testing.T, dsn string) *proxy {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	p := &proxy{silent: make(chan struct{})}
	close(p.silent)
	server := u.Host
	u.Host = l.Addr().String()
	p.dsn = u.String()
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			go p.pass(t.Context(), client, upstream)
			go p.pass(t.Context(), upstream, client)
		}
	}()
	return p
}

// hang makes the proxy take bytes and pass none on; heal lets them flow.
func (p *proxy) hang() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = make(chan struct{})
}

func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.silent)
}

func (p *proxy) flowing() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.silent
}

func (p *proxy) pass(ctx context.Context, from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		select {
		case <-p.flowing():
		case <-ctx.Done():
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
