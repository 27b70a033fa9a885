//go:build linux

// Bench measures speed, always beside something else in the same run, because
// other load on the machine affects both.
//
//	bench [gateway]    the gateway beside a bare Caddy
//	bench scale        lists of 1,000,000 and 100,000 shipments beside lists of 1,000
//
// A round measures every kind of traffic on both sides once, in alternating
// order. Ratios are taken within a round; the report has their medians. The
// exit status is 1 for a missed goal and 2 for other errors. It needs Linux,
// which reports the CPU time of other processes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// settings are the parameters of a run.
type settings struct {
	rounds      int
	connections int
	warmup      time.Duration // of each measurement
	length      time.Duration
	log, out    io.Writer
}

var commands = map[string]func(context.Context, settings, string) error{
	"gateway": compareGateway, "scale": compareScale,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	switch {
	case errors.Is(err, errMissed):
		os.Exit(1)
	case err != nil:
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string) (err error) {
	name := "gateway"
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		name, args = args[0], args[1:]
	}
	command, ok := commands[name]
	if !ok {
		return fmt.Errorf("there is no command %s: choose gateway or scale", name)
	}
	s := settings{
		connections: 16, warmup: time.Second, length: 3 * time.Second, log: os.Stderr, out: os.Stdout,
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.IntVar(&s.rounds, "rounds", 7, "how often each measurement is repeated")
	if err := flags.Parse(args); err != nil {
		return err
	}
	build, _ := debug.ReadBuildInfo()
	loads, _ := os.ReadFile("/proc/loadavg") // before the run: the load average is not its own
	return command(ctx, s, fmt.Sprintf(
		"bench %s, %s, %s, %d cores, load before the run %s; medians of %d rounds of %s.", name, build.Main.Version,
		runtime.Version(), runtime.NumCPU(), strings.TrimSpace(string(loads)), s.rounds, s.length,
	))
}
