package storage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	_ "github.com/lib/pq" // sqlx's "postgres"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/documents/sweeper"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Drop()
	os.Exit(code)
}

// yard is a database and a file store with a sweeper on a fake clock.
type yard struct {
	*sweeper.Sweeper
	repo     *postgres.Repository
	operator *sqlx.DB
	store    sweeper.Store
	org      shipments.OrgID
	now      time.Time
	files    []shipments.FileKey
}

// newYard returns a yard on a fresh database, whose clock is late enough that all
// files are swept.
func newYard(t *testing.T, store sweeper.Store) *yard {
	t.Helper()
	dsn := postgrestest.New(t, postgres.Migrate)
	db, err := postgres.Open(dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	y := &yard{repo: postgres.NewRepository(db), store: store, org: repotest.Org(), now: time.Now().Add(2 * time.Hour)}
	if y.operator, err = sqlx.Open("postgres", postgrestest.Direct(dsn)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = y.operator.Close() })
	y.Sweeper = sweeper.New(y.repo, store, func() [16]byte { return uuid.New() }, func() time.Time { return y.now })
	return y
}

// attach stores n documents with their files.
func (y *yard) attach(t *testing.T, n int) {
	t.Helper()
	for range n {
		_, doc := repotest.Queued(t, y.repo, y.org)
		key := shipments.FileKey{Org: y.org, Document: doc.ID}
		put(t, y.store, key, "content")
		y.files = append(y.files, key)
	}
}

// forget removes the last n documents from the database, like a restored backup.
func (y *yard) forget(t *testing.T, n int) {
	t.Helper()
	y.exec(t, `CREATE TABLE later AS SELECT * FROM documents ORDER BY id DESC LIMIT `+strconv.Itoa(n))
	y.exec(t, `DELETE FROM documents WHERE id IN (SELECT id FROM later)`)
}

// remember restores the documents that forget removed.
func (y *yard) remember(t *testing.T) {
	t.Helper()
	y.exec(t, `INSERT INTO documents SELECT * FROM later`)
	y.exec(t, `DROP TABLE later`)
}

func (y *yard) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := y.operator.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// swept advances the clock and sweeps, and expects an error and the numbers of
// quarantined and removed files.
func (y *yard) swept(t *testing.T, after time.Duration, sweep func(context.Context) (sweeper.Result, error), want error,
	quarantined, removed int,
) {
	t.Helper()
	y.now = y.now.Add(after)
	r, err := sweep(t.Context())
	if !errors.Is(err, want) || r.Quarantined != quarantined || r.Removed != removed {
		t.Errorf("%+v, %v; want %d in quarantine, %d removed and %v", r, err, quarantined, removed, want)
	}
	left := keys(t, y.store, time.Now().Add(time.Hour))
	if len(left) != len(y.files)-removed {
		t.Errorf("%d of %d files are left", len(left), len(y.files))
	}
}

const day = 24 * time.Hour

// sweepsSafely tests that no state of the database removes files at once.
func sweepsSafely(t *testing.T, open func(*testing.T) sweeper.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, sweeper.Store){
		"an empty database removes nothing":              testEmptyDatabase,
		"a store without identity is bound with care":    testUnbound,
		"a restored database removes nothing for days":   testRestored,
		"an unusual share is removed only when asked":    testUnusualShare,
		"files without a document are removed in a week": testOrphans,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func testEmptyDatabase(t *testing.T, store sweeper.Store) {
	full := newYard(t, store)
	full.attach(t, 30)
	full.swept(t, 0, full.Sweep, nil, 0, 0)
	empty := newYard(t, store)
	empty.files = full.files
	for range 3 {
		empty.swept(t, 30*day, empty.Sweep, sweeper.ErrOtherStore, 0, 0)
		empty.swept(t, 0, empty.Purge, sweeper.ErrOtherStore, 0, 0)
	}
	full.swept(t, 30*day, full.Sweep, nil, 0, 0)
	if _, err := empty.Adopt(t.Context()); err != nil {
		t.Fatal(err)
	}
	empty.swept(t, 0, empty.Sweep, nil, 30, 0)
	empty.swept(t, 6*day, empty.Purge, nil, 30, 0)
	empty.swept(t, 2*day, empty.Sweep, sweeper.ErrUnusualShare, 30, 0)
	full.swept(t, 0, full.Sweep, sweeper.ErrOtherStore, 0, 0)
}

func testUnbound(t *testing.T, store sweeper.Store) {
	full := newYard(t, store)
	full.attach(t, 3)
	empty := newYard(t, store)
	empty.files = full.files
	empty.swept(t, 30*day, empty.Sweep, sweeper.ErrUnbound, 0, 0)
	full.swept(t, 0, full.Sweep, nil, 0, 0)
	status, err := full.Status(t.Context())
	if err != nil || status.Store == (shipments.StoreID{}) || status.Store != status.Database || status.Files != 3 ||
		status.Unknown != 0 {
		t.Errorf("%+v (%v)", status, err)
	}
}

func testRestored(t *testing.T, store sweeper.Store) {
	y := newYard(t, store)
	y.attach(t, 30)
	y.swept(t, 0, y.Sweep, nil, 0, 0)
	y.forget(t, 15)
	y.swept(t, time.Hour, y.Sweep, nil, 15, 0)
	y.swept(t, 6*day, y.Purge, nil, 15, 0)
	y.remember(t)
	y.swept(t, time.Hour, y.Sweep, nil, 0, 0)
	y.swept(t, 30*day, y.Sweep, nil, 0, 0)
	y.forget(t, 15)
	y.swept(t, time.Hour, y.Sweep, nil, 15, 0) // a new quarantine
}

func testUnusualShare(t *testing.T, store sweeper.Store) {
	y := newYard(t, store)
	y.attach(t, 30)
	y.swept(t, 0, y.Sweep, nil, 0, 0)
	y.forget(t, 21)
	y.swept(t, time.Hour, y.Sweep, nil, 21, 0)
	y.swept(t, 8*day, y.Sweep, sweeper.ErrUnusualShare, 21, 0)
	y.swept(t, 0, y.Purge, nil, 0, 21)
}

func testOrphans(t *testing.T, store sweeper.Store) {
	y := newYard(t, store)
	y.attach(t, 3)
	y.swept(t, 0, y.Sweep, nil, 0, 0)
	orphan := shipments.FileKey{Org: y.org, Document: shipments.DocumentID{1}}
	put(t, store, orphan, "of a request that was cut off")
	y.files = append(y.files, orphan)
	y.swept(t, time.Hour, y.Sweep, nil, 1, 0)
	y.swept(t, sweeper.Quarantine-time.Minute, y.Sweep, nil, 1, 0)
	y.swept(t, time.Minute, y.Sweep, nil, 0, 1)
	if _, err := store.Open(t.Context(), orphan); !errors.Is(err, shipments.ErrNoFile) {
		t.Errorf("%v", err)
	}
}

func TestDiskIsSweptSafely(t *testing.T) {
	t.Parallel()
	sweepsSafely(t, func(t *testing.T) sweeper.Store {
		t.Helper()
		disk, err := NewDisk(filepath.Join(t.TempDir(), "documents"))
		if err != nil {
			t.Fatal(err)
		}
		return disk
	})
}
