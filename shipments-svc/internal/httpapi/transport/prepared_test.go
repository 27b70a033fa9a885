package transport_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/storage"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// slow is a storage and a reader of files that answer when the test lets them.
type slow struct {
	shipments.Files
	plainReader
	arrived chan struct{}
	release chan struct{}
}

func (s slow) Put(ctx context.Context, key shipments.FileKey, content io.Reader, size int64) error {
	s.wait()
	return s.Files.Put(ctx, key, content, size)
}

func (s slow) Read(
	ctx context.Context, t shipments.DocumentType, kind shipments.Kind, content io.ReaderAt, size int64,
	given []shipments.Assignment,
) (shipments.Reading, error) {
	s.wait()
	return s.plainReader.Read(ctx, t, kind, content, size, given)
}

func (s slow) wait() {
	s.arrived <- struct{}{}
	<-s.release
}

// newSlowAPI returns the service with files that are slow, its pool, and one that
// sees everything.
func newSlowAPI(t *testing.T) (*api, slow, *sqlx.DB, *sqlx.DB) {
	t.Helper()
	dsn := postgrestest.New(t, postgres.Migrate)
	db, err := postgres.Open(dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	all, err := sqlx.Open("postgres", postgrestest.Direct(dsn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Close() })
	disk, err := storage.NewDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := slow{Files: disk, arrived: make(chan struct{}), release: make(chan struct{})}
	service := shipments.NewService(shipments.Needs{
		Repository: postgres.NewRepository(db), Files: s, Reader: s, RunChecks: checks.Run,
		NewID: func() shipments.ID { return shipments.ID(uuid.Must(uuid.NewV7())) },
		Now:   time.Now,
	})
	return newAPIWithin(t, service, nil, time.Minute), s, db, all
}

// TestNoTransactionIsHeldWhileFilesAreStoredOrRead: 49 uploads and a dry run, each
// with a key, wait for slow files; meanwhile no connection is in use, and other
// requests go on. Then all of them end, once.
func TestNoTransactionIsHeldWhileFilesAreStoredOrRead(t *testing.T) {
	t.Parallel()
	a, files, db, all := newSlowAPI(t)
	const n = 25
	calls := make([]call, 0, 2*n)
	for i := range 2 * n {
		dry := ""
		if i == 1 {
			dry = `"dry_run":true,`
		}
		calls = append(calls, call{
			method: http.MethodPost, path: collection + "/" + a.create(t) + "/documents",
			body: fmt.Sprintf(`{%s"document":{"type":"packing_list","filename":"l.csv","content_base64":"YTtiCg=="}}`, dry),
		}.with("Idempotency-Key", fmt.Sprint("k", i)))
	}
	answers := make([]answer, len(calls))
	var running sync.WaitGroup
	for i, c := range calls {
		running.Go(func() {
			var err error
			if answers[i], err = a.send(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	for range calls {
		select {
		case <-files.arrived:
		case <-time.After(time.Minute):
			t.Fatal("not every request gets as far as its file: the pool is exhausted")
		}
	}
	for db.Stats().InUse > 0 { // a rollback is not awaited
		if t.Context().Err() != nil {
			t.Fatalf("%+v", db.Stats())
		}
	}
	if total := a.total(t); total != int64(len(calls)) {
		t.Errorf("meanwhile %d shipments are listed", total)
	}
	close(files.release)
	running.Wait()
	go func() {
		for range files.arrived { // a dry run that is repeated reads its file again
		}
	}()
	defer close(files.arrived)
	for i, c := range calls {
		want := http.StatusCreated
		if strings.Contains(c.body, "dry_run") {
			want = http.StatusOK
		}
		if answers[i].status != want {
			t.Errorf("%d: %d %s", i, answers[i].status, answers[i].body)
		}
		again := a.do(t, c)
		if again.status != want || again.header.Get("Idempotency-Replayed") != "true" ||
			string(again.body) != string(answers[i].body) {
			t.Errorf("%d again: %d %s, want %s", i, again.status, again.body, answers[i].body)
		}
	}
	var documents int
	if err := all.GetContext(t.Context(), &documents, `SELECT count(*) FROM documents`); err != nil || documents != 2*n-1 {
		t.Errorf("%d documents, want %d (%v)", documents, 2*n-1, err)
	}
}

// TestUpdateRunsTheChecks: they are those of the new destination at once.
func TestUpdateRunsTheChecks(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	var first attached
	res := a.do(t, attach(path))
	res.wants(t, http.StatusCreated, "")
	decode(t, res.body, &first)
	if before := checkOf(t, first.Checks, "location_codes"); !strings.Contains(before.Details, "NLRTM") {
		t.Fatalf("%+v", before)
	}
	patch := func(destination string) {
		a.do(t, call{
			method: http.MethodPatch, path: path,
			body: fmt.Sprintf(`{"shipment":{"destination":%q}}`, destination),
		}).
			wants(t, http.StatusOK, "")
	}
	shown := func(name string) string {
		for _, c := range a.do(t, call{path: path}).shipment(t)["checks"].([]any) {
			if check := c.(map[string]any); check["name"] == name {
				return fmt.Sprint(check["result"], " ", check["details"])
			}
		}
		t.Fatalf("there is no %s", name)
		return ""
	}
	patch("Valparaíso")
	if got := shown("location_codes"); !strings.Contains(got, "warn") || !strings.Contains(got, "are the same") {
		t.Errorf("%s", got)
	}
	european := shown("required_documents")
	patch("Hamburg")
	if got := shown("location_codes"); !strings.Contains(got, "DEHAM") {
		t.Errorf("%s", got)
	}
	if got := shown("required_documents"); got == european {
		t.Errorf("the documents required in Hamburg are those of Valparaíso: %s", got)
	}
	if n := len(a.history(t, path).History); n != 4 {
		t.Errorf("%d entries in the history", n)
	}
}

// TestConcurrentReuseOfAnSSCCIsReported: the checks of both are made before one of them is stored, and until then
// neither waits for the other.
func TestConcurrentReuseOfAnSSCCIsReported(t *testing.T) {
	t.Parallel()
	db, err := postgres.Open(postgrestest.New(t, postgres.Migrate), postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var checked atomic.Int64
	both := make(chan struct{})
	service := shipments.NewService(shipments.Needs{
		Repository: postgres.NewRepository(db), NewID: func() shipments.ID { return shipments.ID(uuid.Must(uuid.NewV7())) },
		Now: time.Now,
		RunChecks: func(e shipments.Evidence) []shipments.Check {
			if checked.Add(1) == 2 {
				close(both)
			}
			<-both
			return checks.Run(e)
		},
	})
	a := newAPIWithin(t, service, nil, time.Minute)
	body := strings.ReplaceAll(list, "0041", "106141412345678908")
	failing := make(chan bool)
	for i := range 2 {
		c := call{method: http.MethodPost, path: collection + "/" + a.create(t) + "/documents", body: body}
		if i == 1 { // with a key it takes another way
			c = c.with("Idempotency-Key", "k")
		}
		go func() {
			var got attached
			res, err := a.send(t.Context(), c)
			if err != nil || res.status != http.StatusCreated {
				t.Errorf("%d %s (%v)", res.status, res.body, err)
				failing <- false
				return
			}
			decode(t, res.body, &got)
			failing <- checkOf(t, got.Checks, "pallet_reuse").Result == "fail"
		}()
	}
	if one, other := <-failing, <-failing; one == other {
		t.Errorf("both shipments' pallet_reuse fails: %t", one)
	}
}
