package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// unfiltered is a connector that removes the condition on the organization from
// every query.
type unfiltered struct{ driver.Connector }

func (c unfiltered) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return unfilteredConn{inner.(postgres.Conn)}, nil
}

type unfilteredConn struct{ postgres.Conn }

var organizationCondition = regexp.MustCompile(`(\w+\.)?organization_id = \$1`)

func (c unfilteredConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.QueryContext(ctx, organizationCondition.ReplaceAllString(query, `$$1::uuid IS NOT NULL`), args)
}

func (c unfilteredConn) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	return c.Conn.ExecContext(ctx, organizationCondition.ReplaceAllString(query, `$$1::uuid IS NOT NULL`), args)
}

func openUnfiltered(t *testing.T, dsn string) *Webhooks {
	t.Helper()
	connector, err := postgres.NewConnector(dsn, options(postgres.Session{}))
	if err != nil {
		t.Fatal(err)
	}
	db := sqlx.NewDb(sql.OpenDB(unfiltered{connector}), "postgres")
	t.Cleanup(func() { _ = db.Close() })
	return NewWebhooks(NewRepository(db), sealingKeys(t, 2, 1))
}

// victim is an organization with a row in every table, and what a thief knows
// of it.
type victim struct {
	org shipments.OrgID
	shipments.Shipment

	doc      shipments.Document
	key      shipments.Key
	job      shipments.Job
	hook     webhooks.EndpointWithSecret
	delivery webhooks.Job
	template shipments.Template
}

const sscc = "106141412345678908"

func newVictim(t *testing.T, r *Repository) victim {
	t.Helper()
	w := NewWebhooks(r, sealingKeys(t, 1))
	v := victim{
		org: NewOrg(), Shipment: NewShipment(shipments.Pending, Noon),
		key: shipments.Key{Operation: "POST /", Text: "k"},
		doc: shipments.Document{
			ID: shipments.DocumentID{5}, Type: shipments.PackingList, Status: shipments.Processed, SHA256: [32]byte{9},
			CreatedAt: Noon, ProcessedAt: Noon,
		},
	}
	v.Version = 1
	from := v.Shipment
	v.Version, v.Status, v.PalletsCount = 2, shipments.ReadyForReview, 1
	v.hook = endpointOf(t, w, v.org)
	ctx := t.Context()
	_, _, err := r.Once(ctx, v.org, v.key, Noon, func(ctx context.Context) ([]byte, error) {
		return []byte("secret"), r.Create(ctx, v.org, from, Someone)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = r.Number(ctx, v.org, 1); err != nil {
		t.Fatal(err)
	}
	if err := r.Revise(ctx, v.org, shipments.Revision{
		From: from, To: v.Shipment, Document: &v.doc,
		Pallets: []shipments.Pallet{{Number: sscc, Boxes: 1, BoxWeight: 1}},
		Checks:  []shipments.Check{{Name: "required_fields", Result: shipments.Fail}},
		Entry:   shipments.Entry{Version: 2, Action: shipments.AttachDocument, Status: v.Status, Document: v.doc.ID},
	}); err != nil {
		t.Fatal(err)
	}
	v.template = shipments.Template{
		ID:          shipments.TemplateID{8},
		Name:        "n",
		Fingerprint: "5c1f",
		CreatedAt:   later,
		UpdatedAt:   later,
	}
	must(t, r.PutTemplate(ctx, v.org, v.template))
	v.delivery, _ = w.claim(t, v.org, v.hook.ID, later)
	must(t, w.CreateTest(ctx, v.org, v.hook.ID, shipments.EventID{7}, later))
	NewQueued(t, r, v.org)
	if v.job, err = r.Claim(ctx, shipments.Lease{1}, shipments.Turn{}); err != nil || v.job.Org != v.org {
		t.Fatalf("%+v (%v)", v.job, err)
	}
	return v
}

// theft is a method called by another organization with what it knows of the
// victim; it reports whether the thief got hold of anything.
type theft struct {
	method string
	do     func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error)
}

func found(err error) (bool, error) {
	for _, none := range []error{shipments.ErrNotFound, shipments.ErrLost, shipments.ErrVersion, webhooks.ErrNotFound} {
		if errors.Is(err, none) {
			return false, nil
		}
	}
	return err == nil, err
}

func thefts() []theft {
	approved := func(v victim) (shipments.Shipment, shipments.Entry) {
		to := v.Shipment
		to.Version, to.Status, to.ApprovedAt = v.Version+1, shipments.Approved, Noon
		return to, shipments.Entry{Version: to.Version, Action: shipments.Approve, Status: to.Status}
	}
	late := Noon.AddDate(10, 0, 0)
	all := []theft{
		{"Get", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, err := r.Get(ctx, thief, v.ID, Parts, Whole)
			return found(err)
		}},
		{"Head", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, err := r.Head(ctx, thief, v.ID)
			return found(err)
		}},
		{"Documents", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, err := r.Documents(ctx, thief, v.ID)
			return found(err)
		}},
		{"Document", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, err := r.Document(ctx, thief, v.ID, v.doc.ID)
			return found(err)
		}},
		{"Templates", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			all, err := r.Templates(ctx, thief, []string{v.template.Fingerprint})
			return len(all) > 0, err
		}},
		{"PutTemplate", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			v.template.ID = shipments.TemplateID{9}
			return false, r.PutTemplate(ctx, thief, v.template)
		}},
		{"DeleteTemplate", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return found(r.DeleteTemplate(ctx, thief, v.template.ID))
		}},
		{"History", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, _, err := r.History(ctx, thief, v.ID, 0, 10)
			return found(err)
		}},
		{"Versions", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			versions, err := r.Versions(ctx, thief, []shipments.ID{v.ID})
			return len(versions) > 0, err
		}},
		{"PalletUses", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			uses, err := r.PalletUses(ctx, thief, shipments.ID{}, []string{sscc}, time.Time{})
			return len(uses) > 0, err
		}},
		{"Events", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			all, feed, err := r.Events(ctx, thief, 0, 10)
			return len(all) > 0 || feed != shipments.Feed{First: 1}, err
		}},
		{"Number", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			n, _, err := r.Number(ctx, thief, 10)
			return n > 0, err
		}},
		{"Expire", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			n, err := r.Expire(ctx, thief, late.Add(shipments.EventLife), 10)
			return n > 0, err
		}},
		{"Unneeded", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			unneeded, err := r.Unneeded(ctx, thief, []shipments.DocumentID{v.doc.ID}, late, late)
			return len(unneeded) > 0, err
		}},
		{"Begin", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			v.job.Org = thief
			_, err := r.Begin(ctx, v.job)
			return found(err)
		}},
		{"Extend", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			v.job.Org = thief
			return found(r.Extend(ctx, v.job))
		}},
		{"Release", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			v.job.Org = thief
			return found(r.Repository.Release(ctx, v.job, time.Hour))
		}},
		{"Revise", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			to, e := approved(v)
			theft := shipments.Revision{From: v.Shipment, To: to, Entry: e, Detached: v.doc.ID}
			return found(r.Revise(ctx, thief, theft))
		}},
		{"Delete", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return found(r.Delete(ctx, thief, v.Shipment, shipments.Entry{Action: shipments.Delete}))
		}},
		{"Activity", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			_, total, err := r.Activity(ctx, thief, 0, 10)
			return total > 0, err
		}},
		{"Note", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			return false, r.Note(ctx, thief, shipments.Activity{Name: "mine"})
		}},
		{"AddComment", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, err := r.AddComment(ctx, thief, v.ID, v.ID, shipments.Comment{Text: "mine"})
			return found(err)
		}},
		{"Comments", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			all, err := r.Comments(ctx, thief, v.ID)
			return len(all) > 0, err
		}},
		{"Lines", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, err := r.Lines(ctx, thief, v.ID, 0, 10)
			return found(err)
		}},
		{"Once", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, replayed, err := r.Repository.Once(
				ctx, thief, v.key, Noon, func(context.Context) ([]byte, error) { return []byte("{}"), nil },
			)
			return replayed, err
		}},
		{"Overview", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			o, err := r.Overview(ctx, thief, Noon, 6)
			return len(o.Newest[shipments.ReadyForReview]) > 0 || len(o.Latest) > 0 || o.FailingCount > 0, err
		}},
		{"Tallies", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			found, err := r.Tallies(ctx, thief, []shipments.ID{v.ID})
			return len(found) > 0, err
		}},
		{"Create", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return false, r.Create(ctx, thief, v.Shipment, Someone)
		}},
	}
	all = append(all, webhookThefts()...)
	for _, f := range filters() {
		all = slices.Insert(
			all,
			0,
			theft{"ListAfter", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
				page, err := r.ListAfter(ctx, thief, f, nil, 10)
				return len(page) > 0, err
			}},
			theft{"List", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
				page, total, err := r.List(ctx, thief, f, 0, 10)
				return len(page) > 0 || total > 0, err
			}},
			theft{"Sorted", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
				page, total, err := r.Sorted(ctx, thief, f, shipments.Sort{By: "vessel"}, 0, 10)
				return len(page) > 0 || total > 0, err
			}},
		)
	}
	return all
}
