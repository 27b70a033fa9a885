// Scale measures shipments-svc with an organization of 1,000,000 shipments
// beside 300 of 1,000 each, on a real Postgres with its default settings: lists,
// totals while others write, creates with and without counters, a shipment of
// 10,000 pallets, and packing lists of 5,000 lines.
//
//	scale [-shipments 1000000] [-rounds 100] [-write] [-strict]
//
// DATABASE_URL names a server to use, in a database that is made for the run
// and dropped; without it one is started. Requests go to the service itself,
// without a gateway.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/quayside/quayside/deploy/devstack"
)

// settings are how a run is to be made.
type settings struct {
	root   string // the repository
	server string // a Postgres DSN; empty: start one
	race   bool   // the service with the race detector, as the tests have it

	shipments    int // of the large organization
	others       int // organizations beside it
	rounds       int // of lists
	createRounds int
	length       time.Duration // of a measurement with writers
	lines        int           // of packing lists
	fileRounds   int
	pallets      []int // of shipments whose detail is measured
	log          io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := realMain(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

var errMissed = errors.New("a goal was missed")

func realMain(ctx context.Context, args []string) error {
	s := settings{
		server: os.Getenv("DATABASE_URL"), others: 300, createRounds: 7, length: 2 * time.Second,
		lines: 5000, fileRounds: 7, pallets: []int{20, 10_000}, log: os.Stderr,
	}
	var write, strict bool
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.IntVar(&s.shipments, "shipments", 1_000_000, "shipments of the large organization")
	flags.IntVar(&s.rounds, "rounds", 100, "how often each list is measured")
	flags.BoolVar(&write, "write", false, "write shipments-svc/SCALE.md")
	flags.BoolVar(&strict, "strict", false, "exit with status 1 when a goal is missed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if s.root, err = devstack.FindRoot(); err != nil {
		return err
	}
	r, err := run(ctx, s)
	if err != nil {
		return err
	}
	text := r.markdown()
	if _, err := io.WriteString(os.Stdout, text); err != nil {
		return err
	}
	if write {
		//nolint:gosec // G306: to be read by everybody
		if err := os.WriteFile(filepath.Join(s.root, "shipments-svc", "SCALE.md"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if strict && slices.ContainsFunc(r.goals(), func(g goal) bool { return !g.met }) {
		return errMissed
	}
	return nil
}
