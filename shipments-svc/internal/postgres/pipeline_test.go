package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/postgres/proxytest"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// paper is the file of every document, and a Reader that finds three pallets
// in it.
type paper struct{ shipments.Files }

func (paper) Open(context.Context, shipments.FileKey) (shipments.OpenFile, error) {
	return struct {
		*bytes.Reader
		io.Closer
	}{bytes.NewReader(nil), io.NopCloser(nil)}, nil
}

func (paper) Read(
	context.Context, shipments.DocumentType, shipments.Kind, io.ReaderAt, int64, []shipments.Assignment,
) (read shipments.Reading, err error) {
	for _, number := range []string{"A", "B", "C"} {
		read.Pallets = append(
			read.Pallets,
			shipments.Pallet{
				Number: number, Boxes: 1, BoxWeight: 1, Source: shipments.Source{Row: 2 + len(read.Pallets)},
			},
		)
	}
	read.RowsRead = len(read.Pallets)
	return read, nil
}

// live claims a job and does it, as a worker whose life ends with its first
// error.
func live(ctx context.Context, r *Repository) error {
	service := shipments.NewService(shipments.Needs{
		Repository: r, Files: paper{}, Reader: paper{}, Now: Noon.UTC,
		RunChecks: func(shipments.Evidence) []shipments.Check {
			return []shipments.Check{{Name: "required_fields", Result: shipments.Pass}}
		},
	})
	var lease shipments.Lease
	_, _ = rand.Read(lease[:])
	j, err := r.Claim(ctx, lease, shipments.Turn{})
	if err != nil {
		return err
	}
	doc, err := r.Begin(ctx, j)
	if err != nil {
		return err
	}
	return service.Process(ctx, j, doc)
}

// TestNoDocumentIsLostWhenAWorkerLosesPostgres cuts a worker's connection to Postgres at
// many moments of claiming, beginning and publishing, as when either is killed there.
// Whatever became of that, others finish the document: it is begun once and published
// once, and its events are there once.
func TestNoDocumentIsLostWhenAWorkerLosesPostgres(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	proxy, through := proxytest.New(t, dsn)
	cut, whole, db := NewRepository(openAt(t, through)), NewRepository(openAt(t, dsn)), operator(t, dsn)
	lost := 0
	for i := range 50 {
		org := NewOrg()
		s, doc := NewQueued(t, whole, org)
		done := proxy.CutIn(time.Duration(i) * time.Millisecond / 2)
		if err := live(t.Context(), cut); err != nil {
			lost++
		}
		done()
		for waiting := 1; waiting > 0; { // until what the dead one had open is closed, too
			exec(t, db, `UPDATE jobs SET claimable_at = now()`) // leases end
			if err := live(t.Context(), whole); err != nil && !errors.Is(err, shipments.ErrNoJob) {
				t.Fatal(err)
			}
			must(t, db.GetContext(t.Context(), &waiting, `SELECT count(*) FROM jobs WHERE organization_id = $1`,
				uuid.UUID(org)))
		}
		wantReadOnce(t, whole, org, s.ID, doc.ID)
	}
	t.Logf("%d lives were ended", lost)
}

// wantReadOnce demands that a document was read, and what that left behind.
func wantReadOnce(t *testing.T, r *Repository, org shipments.OrgID, id shipments.ID, doc shipments.DocumentID) {
	t.Helper()
	d, err := r.Get(t.Context(), org, id, Parts, Whole)
	must(t, err)
	if len(d.Pallets) != 3 || len(d.Checks) != 1 || d.Status != shipments.ReadyForReview ||
		d.Documents[0].Status != shipments.Processed {
		t.Errorf("it is %+v", d)
	}
	history, _, err := r.History(t.Context(), org, id, 0, 100)
	must(t, err)
	var actions []shipments.Action
	for _, e := range slices.Backward(history) {
		if actions = append(actions, e.Action); e.Version != int64(len(actions)) {
			t.Errorf("version %d is the entry %d", e.Version, len(actions))
		}
	}
	if want := []shipments.Action{
		shipments.Create, shipments.AttachDocument, shipments.ProcessDocument,
	}; !slices.Equal(actions, want) {
		t.Errorf("the history is %v, want %v", actions, want)
	}
	number(t, r, org)
	count := map[shipments.EventType]int{}
	for _, e := range events(t, r, org) {
		if count[e.Type]++; count[e.Type] > 1 || e.Document != nil && e.Document.ID != doc {
			t.Errorf("%s comes again", e.Type)
		}
	}
	for _, one := range []shipments.EventType{shipments.DocumentProcessed, shipments.ShipmentReadyForReview} {
		if count[one] != 1 {
			t.Errorf("%s comes %d times", one, count[one])
		}
	}
}
