package chaos

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

// dooming revokes a token that is in use.
func dooming(ctx context.Context, r *rig, o *observation) (heal, error) {
	err := r.stack.RevokeToken(ctx, r.cast.doomed.ID)
	o.dooming = time.Now()
	return nothing, err
}

func nothing(context.Context) error { return nil }

// both is one strike after another, healed in the order in which they came.
func both(first, second strike) strike {
	return func(ctx context.Context, r *rig, o *observation) (heal, error) {
		healFirst, err := first(ctx, r, o)
		if err != nil {
			return healFirst, err
		}
		healSecond, err := second(ctx, r, o)
		return func(ctx context.Context) error {
			if err := healFirst(ctx); err != nil {
				return err
			}
			return healSecond(ctx)
		}, err
	}
}

// killed is kill -9; the program comes back when it is healed.
func killed(name string) strike {
	return func(_ context.Context, r *rig, _ *observation) (heal, error) {
		program := r.stack.Program(name)
		return program.Start, program.Kill()
	}
}

// stopped is a rolling restart: SIGTERM, the end, a new start, and then the
// next one, all of it so many times. A program that had to be killed shows in
// the time that it took.
func stopped(rounds int, names ...string) strike {
	return func(ctx context.Context, r *rig, o *observation) (heal, error) {
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

// reconfigured makes the gateway read its configuration again and again.
func reconfigured(ctx context.Context, r *rig, _ *observation) (heal, error) {
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

// halfOpen is how many clients begin a request and never end it.
const halfOpen = 1000

// halfOpened opens them all and waits until the gateway has closed them, but
// not much longer than is promised.
func halfOpened(ctx context.Context, r *rig, o *observation) (heal, error) {
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
				if timeout, ok := err.(net.Error); ok && timeout.Timeout() { //nolint:errorlint // nobody wrapped it
					return // not closed: not counted
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

// eventually waits for a condition that must come true.
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
