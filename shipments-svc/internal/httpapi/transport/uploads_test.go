package transport_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/storage"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// sendDocument sends a document of so many bytes to the handler, and returns where its
// status will be.
func sendDocument(ctx context.Context, handler http.Handler, org string, size int64, body io.Reader) <-chan int {
	return sendSlowly(ctx, handler, org, size, body, httptest.NewRecorder())
}

// sendSlowly is sendDocument with a writer that may have deadlines.
func sendSlowly(
	ctx context.Context, handler http.Handler, org string, size int64, body io.Reader, w http.ResponseWriter,
) <-chan int {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, collection+"/"+publicid.New("ship")+"/documents", body)
	r.ContentLength = size
	r.Header.Set("X-Organization-Id", org)
	r.Header.Set("X-Token-Id", "tok_4fZyo82mVyR1")
	r.Header.Set("X-Token-Permissions", allowed)
	r.Header.Set("Content-Type", "application/json")
	status := make(chan int, 1)
	go func() {
		handler.ServeHTTP(w, r)
		for {
			wrapped, ok := w.(interface{ Unwrap() http.ResponseWriter })
			if !ok {
				break
			}
			w = wrapped.Unwrap()
		}
		status <- w.(*httptest.ResponseRecorder).Code
	}()
	synctest.Wait()
	return status
}

func handlerOf(service *shipments.Service) http.Handler {
	config := transport.Config{Timeout: postgres.RequestTimeout, Failed: func(string, error) {}}
	return transport.New(service, nil, transport.NewUploads(), config, slog.New(slog.DiscardHandler))
}

// unread fails the test if any of it is read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("a document was received that was not admitted")
	return 0, io.EOF
}

// TestDocumentsAreAdmittedBeforeTheyAreReceived: uploads that an organization holds
// keep its own next one waiting, unread, and no other organization's, until they end; a client
// that closes the connection does not end them.
func TestDocumentsAreAdmittedBeforeTheyAreReceived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const large = 14 << 20
		handler, mine, other := handlerOf(fakeService(fakeRepository{})), publicid.New("org"), publicid.New("org")
		ctx, closed := context.WithCancel(t.Context())
		body, upload := io.Pipe()
		var held []<-chan int
		for range 3 { // of 48 MiB
			held = append(held, sendDocument(ctx, handler, mine, large, body))
		}
		closed()
		status := <-sendDocument(t.Context(), handler, mine, large, unread{t})
		if status != http.StatusTooManyRequests {
			t.Errorf("one more of the organization: %d", status)
		}
		test := strings.Replace(mine, "org_0", "org_7", 1) // its live and its test tokens have one share
		status = <-sendDocument(t.Context(), handler, test, -1, unread{t})
		if status != http.StatusTooManyRequests {
			t.Errorf("one more of unknown size, with a test token: %d", status)
		}
		if status := <-sendDocument(t.Context(), handler, other, large,
			strings.NewReader(`{`)); status != http.StatusBadRequest {
			t.Errorf("of another organization: %d", status)
		}
		next := sendDocument(t.Context(), handler, mine, large, strings.NewReader(`{`))
		_ = upload.Close()
		for _, one := range held {
			<-one
		}
		if status := <-next; status != http.StatusBadRequest {
			t.Errorf("once another had ended: %d", status)
		}
	})
}

// Dry runs of a small and of a large file.
const dryRun = `{"dry_run":true,"document":{"type":"packing_list","filename":"l.csv",` +
	`"content_base64":"UGFsbGV0O0JveGVz"}}`

var largeDryRun = strings.Replace(dryRun, "UGFs", strings.Repeat("UGFs", 30_000), 1)

// dryRuns returns what sends a document for an organization. Files of dry runs are read until over is closed.
func dryRuns(t *testing.T) (try func(org, body string) <-chan int, over chan struct{}, begun *atomic.Int32) {
	t.Helper()
	over, begun = make(chan struct{}), new(atomic.Int32)
	pending := shipments.Detail{Shipment: newShipment(shipments.Pending, noon)}
	handler := handlerOf(shipments.NewService(shipments.Needs{
		Repository: fakeRepository{detail: &pending}, Files: noFiles{}, Reader: slowReader{over, begun},
		NewID: func() shipments.ID { return shipments.ID{} }, Now: time.Now,
	}))
	return func(org, body string) <-chan int {
		return sendDocument(t.Context(), handler, org, int64(len(body)), strings.NewReader(body))
	}, over, begun
}

// TestAFileThatWaitsForItsOrganizationDelaysNoOther, as large as it may be.
func TestAFileThatWaitsForItsOrganizationDelaysNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		try, over, begun := dryRuns(t)
		mine := publicid.New("org")
		all := []<-chan int{try(mine, dryRun), try(mine, largeDryRun), try(publicid.New("org"), largeDryRun)}
		if begun.Load() != 2 {
			t.Errorf("%d are read", begun.Load())
		}
		close(over)
		for _, one := range all {
			<-one
		}
	})
}

// TestDryRunsOfAnOrganizationDelayNoOther, however small their files are, and two with large files no third one.
func TestDryRunsOfAnOrganizationDelayNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		try, over, begun := dryRuns(t)
		mine, other := publicid.New("org"), publicid.New("org")
		first := try(mine, largeDryRun)
		if status := <-try(mine, dryRun); status != http.StatusTooManyRequests {
			t.Errorf("a second one: %d", status)
		}
		test := strings.Replace(mine, "org_0", "org_7", 1)
		if status := <-try(test, dryRun); status != http.StatusTooManyRequests {
			t.Errorf("one with a test token: %d", status)
		}
		if status := <-try(mine, strings.Replace(dryRun, "true", "false", 1)); status != http.StatusNotFound {
			t.Errorf("attaching meanwhile: %d", status)
		}
		second, third := try(other, largeDryRun), try(publicid.New("org"), dryRun)
		if begun.Load() != 2 {
			t.Error("two large files delay the small one of a third organization")
		}
		close(over)
		if one, two, three := <-first, <-second, <-third; one != http.StatusNotFound || two != one || three != one {
			t.Errorf("%d, and of other organizations %d and %d", one, two, three)
		}
	})
}

// TestHeldUploadsTakeNoPlaceOfOthers: what is announced does not count, but for the organization itself.
func TestHeldUploadsTakeNoPlaceOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		handler, begun := handlerOf(fakeService(fakeRepository{})), time.Now()
		body, upload := io.Pipe()
		var held []<-chan int
		for range 20 {
			org := publicid.New("org")
			for range 3 {
				sent := io.MultiReader(strings.NewReader(strings.Repeat(" ", 70_000)), body)
				held = append(held, sendDocument(t.Context(), handler, org, 14<<20, sent))
			}
		}
		status := <-sendDocument(t.Context(), handler, publicid.New("org"), 17, strings.NewReader(`{`))
		if status != http.StatusBadRequest || time.Since(begun) != 0 {
			t.Errorf("of another organization: %d after %s", status, time.Since(begun))
		}
		_ = upload.Close()
		for _, one := range held {
			<-one
		}
	})
}

// cutOff is a writer whose read deadline ends a body.
type cutOff struct {
	http.ResponseWriter
	body *io.PipeWriter
}

func (c cutOff) SetReadDeadline(at time.Time) error {
	if at.After(time.Now()) {
		return nil
	}
	return c.body.CloseWithError(os.ErrDeadlineExceeded)
}

func (c cutOff) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// TestASlowUploadGivesWay once what has arrived is all that may: the oldest of the organization that has most.
func TestASlowUploadGivesWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		handler, begun := handlerOf(fakeService(fakeRepository{})), time.Now()
		const large = 14 << 20
		var held []<-chan int
		var uploads []*io.PipeWriter
		var answers []*httptest.ResponseRecorder
		for range 4 { // 3 × 14 MiB each, of 112 MiB
			org := publicid.New("org")
			for range 3 {
				body, upload := io.Pipe()
				uploads = append(uploads, upload)
				sent := io.MultiReader(strings.NewReader(strings.Repeat(" ", large*2/3)), body)
				answers = append(answers, httptest.NewRecorder())
				w := cutOff{answers[len(answers)-1], upload}
				held = append(held, sendSlowly(t.Context(), handler, org, large, sent, w))
			}
		}
		gone := func() (n int) {
			for _, one := range held {
				n += len(one)
			}
			return n
		}
		for before, size := gone(), int64(17); size <= 100_000; size += 99_983 { // the first takes no place
			status := <-sendDocument(t.Context(), handler, publicid.New("org"), size, strings.NewReader(`{`))
			if status != http.StatusBadRequest || time.Since(begun) != 0 || size == 17 && gone() != before {
				t.Errorf("%d bytes of another organization: %d after %s", size, status, time.Since(begun))
			}
		}
		for _, upload := range uploads {
			_ = upload.Close()
		}
		slow := 0
		for i, one := range held {
			if <-one != http.StatusRequestTimeout {
				continue
			}
			if slow++; answers[i].Header().Get("Connection") != "close" { // its deadline would end the next request
				t.Errorf("the connection stays: %v", answers[i].Header())
			}
		}
		if slow == 0 || slow > 6 {
			t.Errorf("%d of %d gave way", slow, len(held))
		}
	})
}

// slow is a storage and a reader of files that answer when the test lets them.
type slow struct {
	shipments.Files
	plainReader
	arrived chan struct{}
	release chan struct{} // once it is closed, nothing waits
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
	select {
	case s.arrived <- struct{}{}:
		<-s.release
	case <-s.release:
	}
}

// newSlowAPI returns the service with files that are slow until release is called, at the latest at the end of the
// test, and its pool.
func newSlowAPI(t *testing.T) (a *api, files slow, release func(), db *sqlx.DB) {
	t.Helper()
	db, err := postgres.Open(postgrestest.New(t, postgres.Migrate), postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
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
	a = newAPIWithin(t, service, nil, time.Hour)
	release = sync.OnceFunc(func() { close(s.release) })
	t.Cleanup(release) // before that of the server, which waits for its requests
	return a, s, release, db
}

// TestNoTransactionIsHeldWhileFilesAreStoredOrRead: 49 uploads and a dry run, each
// with a key, wait for slow files; meanwhile no connection is in use, and other
// requests go on. Then all of them end, once.
func TestNoTransactionIsHeldWhileFilesAreStoredOrRead(t *testing.T) {
	t.Parallel()
	a, files, release, db := newSlowAPI(t)
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
	answered := make(chan int, len(calls))
	for i, c := range calls {
		go func() {
			for range 100 { // one that waits for a connection for a second is refused
				var err error
				if answers[i], err = a.send(t.Context(), c); err != nil {
					t.Error(err)
				}
				if answers[i].status != http.StatusServiceUnavailable && answers[i].status != http.StatusTooManyRequests {
					break
				}
			}
			answered <- i
		}()
	}
	for range calls {
		select {
		case <-files.arrived:
		case i := <-answered:
			t.Fatalf("%d did not get as far as its file: %d %s", i, answers[i].status, answers[i].body)
		}
	}
	for db.Stats().InUse > 0 { // a rollback is not awaited
		time.Sleep(time.Millisecond)
	}
	if total := a.total(t); total != int64(len(calls)) {
		t.Errorf("meanwhile %d shipments are listed", total)
	}
	release()
	for range calls {
		<-answered
	}
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
		documents := string(a.do(t, call{path: c.path}).body)
		if n := strings.Count(documents, `"id"`); n != 1 && want == http.StatusCreated || n != 0 && want == http.StatusOK {
			t.Errorf("%d: %d documents", i, n)
		}
	}
}
