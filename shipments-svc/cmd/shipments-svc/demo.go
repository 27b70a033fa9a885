package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/documents/reader"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// The shipments of the demo and the files of their documents.
//
//go:embed demo
var demoFiles embed.FS

// demoPerson is whom `tokens-svc demo` makes a member of the organizations.
var demoPerson = shipments.Actor{ID: "usr_01m7xzb0gyf3yvmqk8d2c5e7ha", Name: "demo@quayside.example"}

// demoShipment is what is done with a shipment of the demo.
type demoShipment struct {
	Organization string       `json:"organization"`
	ID           shipments.ID `json:"id"`
	shipments.Draft
	CreatedAt time.Time `json:"created_at"`
	Documents []struct {
		Type shipments.DocumentType `json:"type"`
		File string                 `json:"file"`
	} `json:"documents"`
	Decision  shipments.Action `json:"decision"` // empty: there is none
	DecidedAt time.Time        `json:"decided_at"`
	Reason    string           `json:"reason"`
}

// demoMaker does what the person did with the shipments of the demo, at the time when they did it.
type demoMaker struct {
	service *shipments.Service
	repo    *postgres.Repository
	now     time.Time
}

// demo makes the shipments of the two organizations that `tokens-svc demo` makes: documents are attached, queued and
// read as those of clients are. Their ids are fixed, so that a second run completes the first.
type demo struct{}

func (demo) Run(ctx context.Context, p program) (err error) {
	cfg, err := config.Load(p.environ, config.Database, config.WritableStorage)
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
	children, err := reader.New()
	if err != nil {
		return err
	}
	d := demoMaker{repo: postgres.NewRepository(db)}
	d.service = shipments.NewService(shipments.Needs{
		Repository: d.repo, Files: cfg.Files, Reader: children, RunChecks: checks.Run,
		NewID: func() shipments.ID { return shipments.ID(uuid.Must(uuid.NewV7())) }, Now: func() time.Time { return d.now },
	})
	var all []demoShipment
	text, err := demoFiles.ReadFile("demo/shipments.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	for _, s := range all {
		if err == nil {
			err = d.make(ctx, s)
		}
	}
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "there are the %d shipments of the demo\n", len(all))
	}
	return err
}

// make makes a shipment, unless an earlier run did; one that was interrupted is completed.
func (d *demoMaker) make(ctx context.Context, s demoShipment) error {
	id, _ := publicid.Parse("org", s.Organization)
	org, order := shipments.OrgID(id), shipments.Order{ID: s.ID, By: demoPerson}
	head, err := d.service.Head(ctx, org, s.ID)
	if errors.Is(err, shipments.ErrNotFound) {
		head.Shipment = shipments.Shipment{
			ID: s.ID, Draft: s.Draft, Status: shipments.Pending, Version: 1, CreatedAt: s.CreatedAt, UpdatedAt: s.CreatedAt,
		}
		err = d.repo.Create(ctx, org, head.Shipment, demoPerson)
	}
	versions := 1 + 2*len(s.Documents) // each is attached, and read
	made := s.Decision == "" && head.Version >= int64(versions) || head.Version > int64(versions)
	if err != nil || made || head.Version > 1 && head.Documents == 0 { // earlier builds stored pallets without documents
		return err
	}
	d.now = s.CreatedAt
	for _, doc := range s.Documents {
		d.now = d.now.Add(7 * time.Minute)
		if err := d.attach(ctx, org, order, doc.Type, doc.File); err != nil {
			return err
		}
		d.now = d.now.Add(2 * time.Second)
		if err := d.read(ctx, org, s.ID); err != nil {
			return err
		}
	}
	if d.now = s.DecidedAt; s.Decision == shipments.Approve {
		_, err = d.service.Approve(ctx, org, shipments.Approval{Order: order})
	} else if s.Decision == shipments.Reject {
		_, err = d.service.Reject(ctx, org, shipments.Rejection{Order: order, Reason: s.Reason})
	}
	return err
}

// attach attaches a file, unless that was done.
func (d *demoMaker) attach(
	ctx context.Context, org shipments.OrgID, o shipments.Order, kind shipments.DocumentType, name string,
) error {
	text, err := demoFiles.ReadFile("demo/" + name)
	if err != nil {
		return err
	}
	file, err := transport.NewUpload(bytes.NewReader(text), int64(len(text)), name)
	if err == nil {
		_, err = d.service.Attach(ctx, org, shipments.Attachment{Order: o, Type: kind, File: file})
	}
	if errors.As(err, new(*shipments.DuplicateError)) {
		err = nil
	}
	return err
}

// read has the queue worked off until the documents of the shipment were read, here or by a service that runs.
func (d *demoMaker) read(ctx context.Context, org shipments.OrgID, id shipments.ID) error {
	for {
		head, err := d.service.Head(ctx, org, id)
		if err != nil || head.Status != shipments.Processing {
			return err
		}
		var lease shipments.Lease
		_, _ = rand.Read(lease[:]) // never fails
		job, err := d.repo.Claim(ctx, lease, shipments.Turn{})
		var doc shipments.Document
		if err == nil {
			doc, err = d.repo.Begin(ctx, job)
		}
		if err == nil {
			err = d.service.Process(ctx, job, doc)
		}
		if errors.Is(err, shipments.ErrNoJob) || errors.Is(err, shipments.ErrLost) {
			time.Sleep(50 * time.Millisecond)
		} else if err != nil {
			return err
		}
	}
}
