package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// topology is a devstack with proxies in all links, and the clients of the load.
type topology struct {
	stack   *devstack.Stack
	network *network
	client  *client
	control *client      // client of the unaffected gateway
	inner   *http.Client // for health and metrics
	tokens  *tokens
	pipe    *logPipe // while a pipe replaces a program's log

	created atomic.Int64 // references used

	mu   sync.Mutex
	seen []request
}

// startTopology starts the product and creates the tokens for a load of that time.
func startTopology(ctx context.Context, c config, loaded time.Duration) (r *topology, err error) {
	// While Postgres hangs, tokens-svc counts tokens for 2 s before it answers a scrape.
	r = &topology{inner: &http.Client{Timeout: 4 * time.Second}}
	r.network = newNetwork(r.record)
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	r.stack, err = devstack.Start(ctx, devstack.Options{
		Root: c.root, Dir: c.dir, Log: os.Stderr, SecondShipments: true, Proxy: r.network.proxy,
	})
	if err != nil {
		r.stack = nil // it has stopped everything
		return r, err
	}
	control, err := r.stack.StartControl(ctx)
	if err != nil {
		return r, err
	}
	r.client, r.control = newClient(r.stack.URL), newClient("http://"+control.Address)
	if r.tokens, err = createTokens(ctx, r.stack, loaded); err != nil {
		return r, err
	}
	return r, r.tokens.findShipment(ctx, r)
}

func (r *topology) record(one request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, one)
}

// seenSince returns the requests between programs since a moment, and discards
// the others.
func (r *topology) seenSince(begin time.Time) []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := filter(r.seen, func(one request) bool { return one.at.After(begin) })
	r.seen = nil
	return seen
}

// close stops everything.
func (r *topology) close() error {
	var err error
	if r.stack != nil {
		err = r.stack.Close()
	}
	r.network.close()
	return err
}

// clean removes the directory of a run and moves its logs to logs.
func clean(dir, logs string) error {
	if err := os.RemoveAll(logs); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, "log"), logs); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return devstack.Clean(dir)
}
