package storage

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	_ "github.com/lib/pq" // sqlx's "postgres"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestMain(m *testing.M) {
	m.Run()
	postgrestest.Drop()
}

// yard is a database and a file store.
type yard struct {
	repo  *postgres.Repository
	store shipments.Files
	org   shipments.OrgID
	files []shipments.FileKey
}

// newYard returns a yard on a fresh database.
func newYard(t *testing.T, store shipments.Files) *yard {
	t.Helper()
	db, err := postgres.Open(postgrestest.New(t, postgres.Migrate), postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &yard{repo: postgres.NewRepository(db), store: store, org: shipments.OrgID(uuid.New())}
}

// attach stores n documents with their files, and orphans files without one.
func (y *yard) attach(t *testing.T, n, orphans int) {
	t.Helper()
	for i := range n + orphans {
		key := newKey()
		if key.Org = y.org; i < n {
			y.record(t, key.Document)
		}
		put(t, y.store, key, "content")
		y.files = append(y.files, key)
	}
}

// record stores a shipment with a document.
func (y *yard) record(t *testing.T, id shipments.DocumentID) {
	t.Helper()
	s := shipments.Shipment{ID: shipments.ID(uuid.New()), Status: shipments.Pending, Version: 1, CreatedAt: time.Now()}
	r := shipments.Revision{
		From: s, To: s, Document: &shipments.Document{
			ID: id, Type: shipments.OtherDocument, Status: shipments.Processed, CreatedAt: s.CreatedAt,
			ProcessedAt: s.CreatedAt,
		},
		Entry: shipments.Entry{Version: 2, At: s.CreatedAt, Action: shipments.AttachDocument, Status: s.Status},
	}
	r.To.Version = 2
	if err := errors.Join(
		y.repo.Create(t.Context(), y.org, s, shipments.Actor{}), y.repo.Revise(t.Context(), y.org, r),
	); err != nil {
		t.Fatal(err)
	}
}

// swept sweeps after a time, and expects that so many files are removed.
func (y *yard) swept(t *testing.T, after time.Duration, want int) {
	t.Helper()
	removed, err := Sweep(t.Context(), y.repo.Unneeded, y.store, time.Now().Add(after))
	if err != nil || removed != want {
		t.Errorf("%d, %v; want %d", removed, err, want)
	}
	if left := keys(t, y.store, time.Now().Add(time.Hour)); len(left) != len(y.files)-want {
		t.Errorf("%d of %d files are left", len(left), len(y.files))
	}
}

// sweepsSafely tests that no state of the database removes files at once.
func sweepsSafely(t *testing.T, open func(*testing.T) shipments.Files) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, shipments.Files){
		"an empty database removes nothing":            testEmptyDatabase,
		"files without a document are removed in time": testOrphans,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func testEmptyDatabase(t *testing.T, store shipments.Files) {
	full := newYard(t, store)
	full.attach(t, 3, 0)
	empty := newYard(t, store)
	empty.files = full.files
	empty.swept(t, Grace+time.Minute, 0)
	empty.swept(t, Grace+MarkedFor+time.Hour, 0)
}

func testOrphans(t *testing.T, store shipments.Files) {
	y := newYard(t, store)
	y.attach(t, 3, 1)
	y.swept(t, Grace-time.Minute, 0)
	y.swept(t, Grace+time.Minute, 0) // perhaps the database was restored: an operator has a week to see it
	y.swept(t, Grace+MarkedFor, 0)
	y.swept(t, Grace+MarkedFor+time.Hour, 1)
	if _, err := store.Open(t.Context(), y.files[3]); !errors.Is(err, shipments.ErrNoFile) {
		t.Errorf("%v", err)
	}
}

func TestDiskIsSweptSafely(t *testing.T) {
	t.Parallel()
	sweepsSafely(t, func(t *testing.T) shipments.Files {
		t.Helper()
		disk, err := NewDisk(filepath.Join(t.TempDir(), "documents"))
		if err != nil {
			t.Fatal(err)
		}
		return disk
	})
}
