package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/quayside/quayside/deploy/bench/kernel"
)

// callsCommand makes this program, as a child of itself, a limiter that runs one
// script per request.
const callsCommand = "script-calls"

// measureScripts measures Redis under one script call per request, at the rate
// that the gateway just had, from the gateway's cores.
func (r *testbed) measureScripts(ctx context.Context, sc scenario, rate float64) (figures, error) {
	self, err := os.Executable()
	if err != nil {
		return figures{}, err
	}
	var clocks stopwatch
	if err := clocks.read(0, r.redisPID); err != nil {
		return figures{}, err
	}
	command := []string{self, callsCommand, r.stack.RedisURL, strconv.Itoa(sc.scriptKeys), strconv.Itoa(int(rate)), r.settings.length.String()}
	if r.cores.gateway != "" {
		command = slices.Concat([]string{"taskset", "-c", r.cores.gateway}, command)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // G204: this program
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w", callsCommand, err)
	}
	if err := clocks.read(0, r.redisPID); err != nil {
		return figures{}, err
	}
	var calls int
	if _, err := fmt.Sscan(string(out), &calls); err != nil || calls == 0 {
		return figures{}, fmt.Errorf("%s counted %q calls", callsCommand, out)
	}
	return figures{
		throughput: float64(calls) / r.settings.length.Seconds(),
		redisCPU:   clocks.redis.Seconds() / float64(calls) * 1000,
	}, ctx.Err()
}

// callScripts calls redis_rate's script at a steady rate and prints the number of
// calls. Arguments: Redis's URL, number of windows, calls per second, duration.
func callScripts(ctx context.Context, args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("%s needs four arguments", callsCommand)
	}
	options, err := redis.ParseURL(args[0])
	if err != nil {
		return err
	}
	windows, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	rate, err := strconv.Atoi(args[2])
	if err != nil || rate < 1 {
		return fmt.Errorf("%s calls a second", args[2])
	}
	length, err := time.ParseDuration(args[3])
	if err != nil {
		return err
	}
	options.PoolSize, options.MaxRetries = callers, -1 // as the gateway's
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	calls, err := callEvenly(ctx, redis_rate.NewLimiter(client), windows, rate, length)
	if err != nil {
		return err
	}
	_, err = fmt.Println(calls)
	return err
}

// callers is the number of concurrent calls.
const callers = 64

func callEvenly(ctx context.Context, limiter *redis_rate.Limiter, windows, rate int, length time.Duration) (int, error) {
	ticks, err := kernel.NewTicks(time.Second / time.Duration(rate))
	if err != nil {
		return 0, err
	}
	defer ticks.Stop()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(callers)
	limit := redis_rate.Limit{Rate: 1, Burst: 1_000_000, Period: 2 * time.Minute}
	calls := 0
	for start := time.Now(); time.Since(start) < length && ctx.Err() == nil; {
		passed, err := ticks.Wait()
		if err != nil {
			return 0, err
		}
		for range passed {
			window := "bench:" + strconv.Itoa(calls%windows)
			calls++
			group.Go(func() error {
				_, err := limiter.Allow(ctx, window, limit)
				return err
			})
		}
	}
	return calls, group.Wait()
}
