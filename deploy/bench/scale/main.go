// Scale measures shipments-svc with an organization of 1,000,000 shipments
// beside 300 of 1,000 each, on a real Postgres with its default settings: lists,
// totals during writes, creates with and without counters, a shipment of 10,000
// pallets, and packing lists of 5,000 lines.
//
//	scale [-shipments 1000000] [-rounds 100] [-write] [-strict]
//
// DATABASE_URL names a server to use, in a database that is created for the run
// and dropped; without it one is started. Requests go to the service itself,
// without a gateway.
package main

import (
	"context"
	"flag"
	"io"
	"os"
	"time"

	"github.com/quayside/quayside/deploy/bench/benchmark"
)

// settings are the parameters of a run.
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
	s := settings{
		server: os.Getenv("DATABASE_URL"), others: 300, createRounds: 7, length: 2 * time.Second,
		lines: 5000, fileRounds: 7, pallets: []int{20, 10_000}, log: os.Stderr,
	}
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.IntVar(&s.shipments, "shipments", 1_000_000, "shipments of the large organization")
	flags.IntVar(&s.rounds, "rounds", 100, "how often each list is measured")
	benchmark.Main(flags, "shipments-svc/SCALE.md", func(ctx context.Context, root string) (benchmark.Report, error) {
		s.root = root
		return run(ctx, s)
	})
}
