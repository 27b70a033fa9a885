package main

import (
	"cmp"
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

// demo stores the shipments of the two organizations that `tokens-svc demo` makes. Their ids are fixed, so that a
// second run stores nothing.
type demo struct{}

func (demo) Run(ctx context.Context, p program) (err error) {
	cfg, err := config.Load(p.environ, config.Database)
	if err != nil {
		return err
	}
	if !cfg.Demo {
		_, err := fmt.Fprintln(p.stdout, "no demo data: QUAYSIDE_DEMO is not true")
		return err
	}
	db, err := postgres.Open(cfg.DatabaseURL, cfg.Session().OfCommand())
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
		for _, d := range all {
			if err := storeDemo(ctx, postgres.NewRepository(db), shipments.OrgID(org), d); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(p.stdout, "%s has the %d shipments of the demo\n", organization, len(all))
		if err != nil {
			return err
		}
	}
	return nil
}

// storeDemo stores a shipment that is new, as it was created and then with its pallets and status, or completes one
// that an interrupted run created.
func storeDemo(ctx context.Context, repo *postgres.Repository, org shipments.OrgID, d shipments.Detail) error {
	from := shipments.Shipment{ID: d.ID, Draft: d.Draft, Status: shipments.Pending, Version: 1, CreatedAt: d.CreatedAt}
	stored, err := repo.Head(ctx, org, d.ID)
	if errors.Is(err, shipments.ErrNotFound) {
		err = repo.Create(ctx, org, from, shipments.Actor{})
	}
	if err != nil || stored.Version > from.Version || d.Status == shipments.Pending {
		return err
	}
	r := shipments.Revision{
		From: from, To: d.Shipment, Pallets: d.Pallets, Checks: []shipments.Check{},
		Entry: shipments.Entry{
			Version: 2, At: cmp.Or(d.ApprovedAt, d.CreatedAt), Status: d.Status, Action: shipments.AttachDocument,
		},
	}
	r.To.Version, r.To.PalletsCount = 2, len(d.Pallets)
	if d.Status == shipments.Approved {
		r.Entry.Action = shipments.Approve
	}
	if d.Status == shipments.Rejected {
		r.Entry.Action, r.Entry.Reason = shipments.Reject, "The packing list is of another load."
	}
	if d.Pallets != nil {
		r.Checks = checks.Run(shipments.Evidence{Draft: d.Draft, Pallets: d.Pallets})
	}
	return repo.Revise(ctx, org, r)
}
