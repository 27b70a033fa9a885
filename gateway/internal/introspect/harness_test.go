package introspect_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/internal/introspect"
)

const (
	token      = "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"
	credential = "a credential of thirty-two bytes."
)

const activeAnswer = `{"active":true,"scope":"shipments:read","sub":"tok_4fZyo82mVyR1",` +
	`"organization_id":"org_01k9x3v7t2e8sbq4m6n0pacdfg"}`

// tokensService responds to introspections with a fixed body and counts them.
type tokensService struct {
	*httptest.Server
	asked  atomic.Int64
	mu     sync.Mutex
	status int
	body   string
}

func newTokensService(t *testing.T, body string) *tokensService {
	t.Helper()
	s := &tokensService{status: http.StatusOK, body: body}
	s.Server = newServer(t, func(w http.ResponseWriter, _ *http.Request) {
		s.asked.Add(1)
		s.mu.Lock()
		defer s.mu.Unlock()
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body)
	})
	return s
}

// newServer starts a tokens service without a change stream.
func newServer(t testing.TB, introspection http.HandlerFunc) *httptest.Server {
	t.Helper()
	routes := http.NewServeMux()
	routes.HandleFunc("/", introspection)
	routes.HandleFunc("/changes", http.NotFound)
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	return server
}

func (s *tokensService) answers(status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.body = status, body
}

// clock is a time that tests advance.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(1_795_300_000, c.offset.Load()) }

func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }

func newIntrospector(t testing.TB, url string, c *clock) *introspect.Introspector {
	t.Helper()
	i := introspect.New(introspect.Extended(introspect.Config{
		Introspection: introspect.Parsed(url), Credential: credential,
		Timeout: 30 * time.Second, Now: c.now, OnStream: func(error) {},
	}))
	t.Cleanup(i.Close)
	return i
}
