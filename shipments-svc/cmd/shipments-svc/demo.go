package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// The shipments of the demo, in their stored form.
var (
	//go:embed demo/cape_fresh.json
	capeFresh []byte
	//go:embed demo/valle_verde.json
	valleVerde []byte
)

// runDemo stores the shipments of the two organizations that `tokens-svc demo` makes. Their ids are fixed, so that a
// second run stores nothing.
func runDemo(ctx context.Context, p program) (err error) {
	cfg, err := config.Load(p.environ, config.Database)
	if err != nil {
		return err
	}
	if !cfg.Demo {
		_, err := fmt.Fprintln(p.stdout, "no demo data: QUAYSIDE_DEMO is not true")
		return err
	}
	db, err := postgres.Open(cfg.DatabaseURL, cfg.Session())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for organization, text := range map[string][]byte{
		"org_01m8404zpdf6tt1d0zer9d0tv8": capeFresh, "org_01m8404zpdfg3s9tscegssfg2v": valleVerde,
	} {
		org, _ := publicid.Parse("org", organization)
		var all []shipments.Detail
		if err := json.Unmarshal(text, &all); err != nil {
			return err
		}
		for i, d := range all {
			all[i].Version, all[i].PalletsCount = 1, len(d.Pallets)
			if d.Pallets != nil {
				all[i].Checks = checks.Run(shipments.Evidence{Draft: d.Draft, Pallets: d.Pallets})
			}
		}
		stored, err := postgres.NewRepository(db).Import(ctx, shipments.OrgID(org), all)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(p.stdout, "%d of %d shipments stored\n", stored, len(all)); err != nil {
			return err
		}
	}
	return nil
}
