// Package httpserver runs a program's listeners from start to drain.
//
// Guarantees: a request that was accepted is finished, or given DrainTimeout
// to; who asks is told of the end before requests are turned away; a client
// that is slow to send its headers or body is cut off, so that half-open
// connections do not pile up; every request leaves one line in the log; a panic
// in one request ends that request only.
package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// DrainTimeout is how long requests in flight may go on once the program was
// told to stop.
const DrainTimeout = 10 * time.Second

const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 45 * time.Second  // longer than the gateway gives a body of 1 MiB
	writeTimeout      = 75 * time.Second  // from the header of a request, so that a slow body leaves time to answer
	idleTimeout       = 120 * time.Second // longer than the gateway keeps idle connections
	maxHeaderBytes    = 64 << 10          // more than the gateway lets through and adds, so that it is the one to answer 431
)

// Server is one address and what answers there.
type Server struct {
	Name     string // for the log
	Listener net.Listener
	Handler  http.Handler
	// Ready, if any, is what GET /readyz says on this listener, to load
	// balancers: 200 when it returns nil, else 503 without the reason.
	Ready func(context.Context) error
}

// Listen opens a TCP address, "host:port"; port 0 picks a free one.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}

// Serve answers on every server until ctx ends or one of them fails, then
// calls draining, if any, takes requests for a moment longer and lets those in
// flight finish. It returns nil after a clean stop.
func Serve(ctx context.Context, log *slog.Logger, draining func(), servers ...Server) error {
	return serve(ctx, log, func() { time.Sleep(partingTime) }, draining, servers)
}

// serve is Serve with what it waits for before it takes no more requests.
func serve(ctx context.Context, log *slog.Logger, part, draining func(), servers []Server) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	running, handlers := make([]*http.Server, len(servers)), make([]*parting, len(servers))
	failed := make(chan error, len(servers))
	for i, s := range servers {
		handlers[i] = &parting{next: s.Handler, ready: s.Ready}
		running[i] = &http.Server{
			Handler:           handlers[i],
			ReadHeaderTimeout: readHeaderTimeout,
			ReadTimeout:       readTimeout,
			WriteTimeout:      writeTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderBytes,
			ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		}
		log.Info("listening", "server", s.Name, "address", s.Listener.Addr().String())
		go func() {
			err := running[i].Serve(s.Listener)
			if !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve %s: %w", s.Name, err)
			}
			cancel()
		}()
	}
	<-ctx.Done()
	log.Info("draining", "timeout", DrainTimeout.String())
	if draining != nil {
		draining()
	}
	for _, h := range handlers {
		h.near.Store(true)
	}
	deadline := time.Now().Add(DrainTimeout)
	if len(failed) == 0 {
		part()
	}
	//nolint:contextcheck // the parent has ended; draining has a time of its own
	err := shutdown(deadline, running)
	select {
	case failure := <-failed:
		return failure
	default:
		return err
	}
}

func shutdown(deadline time.Time, servers []*http.Server) error {
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	var errs []error
	for _, s := range servers {
		if err := s.Shutdown(ctx); err != nil {
			errs = append(errs, fmt.Errorf("drain: %w", err))
		}
	}
	return errors.Join(errs...)
}
