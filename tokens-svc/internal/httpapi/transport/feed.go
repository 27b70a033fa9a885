package transport

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// sendTimeout is how long a follower may take to accept a line.
const sendTimeout = 5 * time.Second

// Feed streams changes of tokens to gateways: a response that stays open, one JSON
// object a line. It ends when Postgres is unavailable, when the follower is too
// slow, and on Close. The follower then reconnects to any replica and continues
// after its last revision.
type Feed struct {
	service *tokens.Service
	wait    func() (notified <-chan struct{}, end func())
	opened  func() (closed func())
	closing context.Context //nolint:containedctx // ends the responses
	close   context.CancelFunc
}

// NewFeed returns a feed. wait subscribes to notifications; opened is called
// when a response begins, and its result when it ends.
func NewFeed(s *tokens.Service, wait func() (<-chan struct{}, func()), opened func() func()) *Feed {
	f := &Feed{service: s, wait: wait, opened: opened}
	f.closing, f.close = context.WithCancel(context.Background())
	return f
}

// Close ends every response, and those that begin later.
func (f *Feed) Close() { f.close() }

// ServeHTTP implements http.Handler.
func (f *Feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	after, err := readAfter(r)
	if f.closing.Err() != nil {
		err = tokens.ErrUnavailable
	}
	if err != nil {
		refusal, _ := answerTo(err)
		refusal.write(w, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(f.closing, cancel)() //nolint:contextcheck // the feed's own
	notified, end := f.wait()
	defer end()
	defer f.opened()()

	s := stream{w: w, control: http.NewResponseController(w)}
	err = f.service.Follow(ctx, after, notified, s.send)
	if ctx.Err() != nil { // the client is gone, or the program ends
		err = tokens.ErrUnavailable
	} else {
		httpserver.Explain(w, err)
	}
	if !s.begun {
		refusal, _ := answerTo(err)
		refusal.write(w, r)
	}
}

// readAfter returns the last revision of a follower, or nil for none.
func readAfter(r *http.Request) (*int64, error) {
	p := query.Read(r)
	text, _ := p.Text("after")
	after, err := strconv.ParseUint(text, 10, 63) // takes no sign
	if text != "" && err != nil {
		p.Fault("after", "after must be a revision: a whole number from 0")
	}
	if text == "" {
		return nil, p.Err()
	}
	return new(int64(after)), p.Err()
}

// stream is a response that stays open.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

// send writes a line and flushes it.
func (s *stream) send(c tokens.Change) error {
	if !s.begun {
		s.w.Header().Set("Content-Type", "application/x-ndjson")
		s.w.Header().Set("Cache-Control", "no-store")
		s.begun = true
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
		return err
	}
	if _, err := s.w.Write(append(text, '\n')); err != nil {
		return err
	}
	return s.control.Flush()
}
