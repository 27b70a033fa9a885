package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/cmd/shipments-svc/seed"
	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// runSeed stores the shipments on standard input for an organization: all of
// them, or none.
func runSeed(ctx context.Context, p program) (err error) {
	org, err := seedArgs(p.args)
	if err != nil {
		return err
	}
	cfg, err := config.Load(p.environ, config.Database)
	if err != nil {
		return err
	}
	db, err := postgres.Open(cfg.DatabaseURL, cfg.Session())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	all, err := seed.Read(p.stdin)
	if err != nil {
		return seed.Explain(err, "")
	}
	for i, d := range all {
		if d.Checks == nil && d.Pallets != nil {
			all[i].Checks = checks.Run(shipments.Evidence{Draft: d.Draft, Pallets: d.Pallets})
		}
	}
	stored, err := newService(postgres.NewRepository(db), nil, nil).Import(ctx, org, all)
	if err != nil {
		return seed.Explain(err, "/shipments")
	}
	_, err = fmt.Fprintf(p.stdout, "%d of %d shipments stored; the others were there already\n", stored, len(all))
	return err
}

func seedArgs(args []string) (shipments.OrgID, error) {
	flags := flag.NewFlagSet("seed", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	organization := flags.String("organization", "", "")
	if err := flags.Parse(args); err != nil {
		return shipments.OrgID{}, fmt.Errorf("%w: seed: %w", errUsage, err)
	}
	org, ok := publicid.Parse("org", *organization)
	if !ok || flags.NArg() > 0 {
		return shipments.OrgID{}, fmt.Errorf("%w: seed takes --organization org_… and nothing else", errUsage)
	}
	return shipments.OrgID(org), nil
}
