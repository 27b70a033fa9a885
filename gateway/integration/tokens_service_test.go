package integration

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// tokensService is a fake tokens-svc: it creates and introspects tokens, sends changes and receives reports of usage.
type tokensService struct {
	*httptest.Server

	introspections atomic.Int64
	fault          atomic.Int64 // the status of every response; 0: none
	answers        sync.Map     // token → JSON
	reports        chan string  // of usage, in order

	mu       sync.Mutex
	changes  []string      // the lines of the stream; a revision is an index, from 1
	more     chan struct{} // closed by the next change
	closed   chan struct{}
	closeOne sync.Once
}

const testOrganization = "org_01k9x3v7t2e8sbq4m6n0pacdfg"

func newTokensService(t testing.TB) *tokensService {
	t.Helper()
	s := &tokensService{reports: make(chan string, 100), more: make(chan struct{}), closed: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+testCredential {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if status := s.fault.Load(); status != 0 {
			w.WriteHeader(int(status))
			return
		}
		switch r.URL.Path {
		case "/internal/v1/introspect":
			s.introspect(w, r)
		case "/internal/v1/changes":
			s.stream(w, r)
		case "/internal/v1/usage":
			report, _ := io.ReadAll(r.Body)
			s.reports <- string(report)
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// Close ends the streams, which have no end of their own, and the service.
func (s *tokensService) Close() {
	s.closeOne.Do(func() { close(s.closed) })
	s.Server.Close()
}

func (s *tokensService) introspect(w http.ResponseWriter, r *http.Request) {
	s.introspections.Add(1)
	body, known := s.answers.Load(r.PostFormValue("token"))
	if !known {
		body = `{"active":false}`
	}
	_, _ = io.WriteString(w, body.(string))
}

// stream sends the changes after that revision, or from now on, and a heartbeat each second.
func (s *tokensService) stream(w http.ResponseWriter, r *http.Request) {
	var sent int
	if _, err := fmt.Sscan(r.URL.Query().Get("after"), &sent); err != nil {
		sent = -1
	}
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	for {
		s.mu.Lock()
		lines, more := s.changes, s.more
		s.mu.Unlock()
		if sent < 0 || sent > len(lines) {
			sent = len(lines)
		}
		for _, line := range lines[sent:] {
			_, _ = io.WriteString(w, line+"\n")
		}
		sent = len(lines)
		_, _ = fmt.Fprintf(w, "{\"rev\":%d}\n", sent)
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-more:
		case <-beat.C:
		case <-r.Context().Done():
			return
		case <-s.closed:
			return
		}
	}
}

// create makes a token that is active; more is further members of its introspection answer.
func (s *tokensService) create(more string) (token, id string) {
	token, id = newToken()
	s.answers.Store(token, fmt.Sprintf(
		`{"active":true,"token_type":"Bearer","scope":"shipments:read shipments:write","sub":%q,"organization_id":%q%s}`,
		id, testOrganization, more))
	return token, id
}

// change replaces the result for token, and sends the change on the stream.
func (s *tokensService) change(token, id, answer string) {
	s.answers.Store(token, answer)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = append(s.changes, fmt.Sprintf(`{"rev":%d,"token":%q,"kind":"updated"}`, len(s.changes)+1, id))
	close(s.more)
	s.more = make(chan struct{})
}
