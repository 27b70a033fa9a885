// Package httpserver serves a program's listeners from start to drain.
//
// Guarantees: an accepted request is finished, within DrainTimeout after the
// program receives SIGTERM; readiness is withdrawn before connections are
// refused; a client that sends its headers or body too slowly is disconnected;
// every request is one line in the log, one sample in the metrics and, if it is
// traced, one span; a panic ends only the request in which it occurs.
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

// DrainTimeout is the time that requests in flight have to finish during a
// graceful shutdown.
const DrainTimeout = 10 * time.Second

const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 45 * time.Second  // longer than the gateway allows for a body of 1 MiB
	writeTimeout      = 75 * time.Second  // from the header of a request on; leaves time for a response after a slow body
	idleTimeout       = 120 * time.Second // longer than the gateway keeps idle connections
	maxHeaderBytes    = 64 << 10          // more than the gateway accepts and adds, so that the gateway responds with 431
)

// Server is a listener and its handler.
type Server struct {
	Name     string // for the log
	Listener net.Listener
	Handler  http.Handler
	// Ready, if not nil, adds GET /readyz to this listener, for load balancers: 200
	// if it returns nil, else 503 without the reason.
	Ready func(context.Context) error
}

// Serve serves until ctx ends or a server fails. Then it calls draining, if not
// nil, keeps accepting requests for two seconds, in which /readyz is 503 (lame
// duck), and shuts down gracefully. It returns nil after a clean stop.
func Serve(ctx context.Context, log *slog.Logger, draining func(), servers ...Server) error {
	return serve(ctx, log, func() { time.Sleep(lameDuck) }, draining, servers)
}

// serve is Serve with the function that waits before the shutdown.
func serve(ctx context.Context, log *slog.Logger, wait, draining func(), servers []Server) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	running, handlers := make([]*http.Server, len(servers)), make([]*drainHandler, len(servers))
	failed := make(chan error, len(servers))
	for i, s := range servers {
		handlers[i] = &drainHandler{next: s.Handler, ready: s.Ready}
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
		h.draining.Store(true)
	}
	deadline := time.Now().Add(DrainTimeout)
	if len(failed) == 0 {
		wait()
	}
	//nolint:contextcheck // the parent has ended; the drain has its own deadline
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
