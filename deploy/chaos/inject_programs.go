package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// tokenRevoked revokes a token that is in use.
func tokenRevoked(ctx context.Context, r *topology, o *observation) (recovery, error) {
	err := r.stack.RevokeToken(ctx, r.tokens.revocable.ID)
	o.tokenRevoked = time.Now()
	return nothing, err
}

func nothing(context.Context) error { return nil }

// inOrder injects two faults and removes them in the same order.
func inOrder(first, second injection) injection {
	return func(ctx context.Context, r *topology, o *observation) (recovery, error) {
		recoverFirst, err := first(ctx, r, o)
		if err != nil {
			return recoverFirst, err
		}
		recoverSecond, err := second(ctx, r, o)
		return func(ctx context.Context) error {
			if err := recoverFirst(ctx); err != nil {
				return err
			}
			return recoverSecond(ctx)
		}, err
	}
}

// killed is SIGKILL; the program starts again when the fault is removed.
func killed(name string) injection {
	return func(_ context.Context, r *topology, _ *observation) (recovery, error) {
		program := r.stack.Program(name)
		return program.Start, program.Kill()
	}
}

// stopped is a rolling restart, repeated: SIGTERM, exit and start of each
// program. One that had to be killed is visible in its duration.
func stopped(rounds int, names ...string) injection {
	return func(ctx context.Context, r *topology, o *observation) (recovery, error) {
		for _, name := range slices.Repeat(names, rounds) {
			program := r.stack.Program(name)
			begin := time.Now()
			_ = program.Stop()
			o.drains = append(o.drains, time.Since(begin))
			if err := program.Start(ctx); err != nil {
				return nothing, err
			}
		}
		return nothing, nil
	}
}

const (
	reloads  = 20
	reloaded = "successfully reloaded config from file"
)

// reconfigured reloads the gateway's configuration repeatedly.
func reconfigured(ctx context.Context, r *topology, _ *observation) (recovery, error) {
	done := func() (int, error) {
		log, err := os.ReadFile(r.logPath("gateway"))
		return bytes.Count(log, []byte(reloaded)), err
	}
	before, err := done()
	for i := 1; i <= reloads && err == nil; i++ {
		if err = r.stack.Program("gateway").Signal(syscall.SIGUSR1); err != nil {
			break
		}
		err = eventually(ctx, fmt.Sprintf("reload %d", i), func() (bool, error) {
			now, err := done()
			return now >= before+i, err
		})
	}
	return nothing, err
}

// halfOpen is the number of clients that begin a request and never complete it.
const halfOpen = 1000

// halfOpened opens them and waits until the gateway has closed them, at most two
// seconds longer than promised.
func halfOpened(ctx context.Context, r *topology, o *observation) (recovery, error) {
	var dialer net.Dialer
	var open sync.WaitGroup
	var mu sync.Mutex
	for range halfOpen {
		conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(r.stack.URL, "http://"))
		if err != nil {
			return nothing, err
		}
		begin := time.Now()
		if _, err := conn.Write([]byte("GET /api/v1/shipments HTTP/1.1\r\nHost: api.example\r\nX-Unfinished: ")); err != nil {
			return nothing, err
		}
		if err := conn.SetReadDeadline(begin.Add(longestHalfOpen + 2*time.Second)); err != nil {
			return nothing, err
		}
		open.Go(func() {
			defer func() { _ = conn.Close() }()
			answer := make([]byte, 4<<10)
			for {
				_, err := conn.Read(answer)
				if timeout, ok := err.(net.Error); ok && timeout.Timeout() { //nolint:errorlint // not wrapped
					return // still open: not counted
				}
				if err != nil {
					break
				}
			}
			mu.Lock()
			defer mu.Unlock()
			o.closed = append(o.closed, time.Since(begin))
		})
	}
	open.Wait()
	return nothing, nil
}

// eventually waits for a condition.
func eventually(ctx context.Context, what string, ok func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	for {
		done, err := ok()
		if err != nil || done {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: not within 15 s", what)
		}
		wait(ctx, 20*time.Millisecond)
	}
}
