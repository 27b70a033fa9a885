package transport

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// sendTimeout is how long a follower may take to accept a line.
const sendTimeout = 5 * time.Second

// Feed streams changes of tokens to gateways: a response that stays open, one JSON object a line. It ends when Postgres
// is unavailable, when the follower is too slow, and on Close. The follower then reconnects to any replica and
// continues after its last revision.
type Feed struct {
	service *tokens.Service
	next    func() <-chan struct{}
	opened  func() (closed func())
	log     *slog.Logger
	closing context.Context //nolint:containedctx // ends the responses
	close   context.CancelFunc
}

// NewFeed returns a feed. next returns a channel that is closed at the next change; opened is called
// when a response begins, and its result when it ends.
func NewFeed(s *tokens.Service, next func() <-chan struct{}, opened func() func(), log *slog.Logger) *Feed {
	f := &Feed{service: s, next: next, opened: opened, log: log}
	f.closing, f.close = context.WithCancel(context.Background())
	return f
}

// Close ends every response, and those that begin later.
func (f *Feed) Close() { f.close() }

// ServeHTTP implements http.Handler.
func (f *Feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := query.Read(r)
	after := readAfter(p, "after must be a revision: a whole number from 0")
	err := p.Err()
	if err == nil && f.closing.Err() != nil {
		err = tokens.ErrUnavailable
	}
	if err != nil {
		fail(f.log, w, r, err)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(f.closing, cancel)() //nolint:contextcheck // the feed's own
	defer f.opened()()

	begun, control := false, http.NewResponseController(w)
	err = f.service.Follow(ctx, after, f.next, func(c tokens.Change) error {
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.Header().Set("Cache-Control", "no-store")
		begun = true
		text, err := json.Marshal(c)
		if err == nil {
			err = control.SetWriteDeadline(time.Now().Add(sendTimeout))
		}
		if err == nil {
			_, err = w.Write(append(text, '\n'))
		}
		return cmp.Or(err, control.Flush())
	})
	switch {
	case ctx.Err() != nil: // the client is gone, or the program ends
		err = tokens.ErrUnavailable
	case begun:
		httpserver.Explain(w, err)
	}
	if !begun {
		fail(f.log, w, r, err)
	}
}
