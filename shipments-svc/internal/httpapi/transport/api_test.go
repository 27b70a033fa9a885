package transport_test

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	servicekit "github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/gateway/servicekit/testserver"
	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/storage"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Drop()
	os.Exit(code)
}

const (
	collection = "/api/v1/shipments"
	valid      = `{"shipment":{"reference":"PO-1","vessel":"MSC Carmen","origin":"Valparaíso",` +
		`"destination":"Rotterdam"}}`
	token   = "tok_4fZyo82mVyR1"
	allowed = "documents:read documents:write shipments:read shipments:review shipments:write webhooks:manage"
)

// api is the whole service on a listener, as the gateway reaches it.
type api struct {
	service *shipments.Service
	url     string
	client  *http.Client
	log     *testserver.Log
	// observed has a line for each request that failed: its operation and its code.
	observed *testserver.Log
	org      string // whose requests these are
	jobs     *postgres.Repository
	dsn      string
	files    string // the directory in which files are kept
}

// as returns the same service for requests of another organization.
func (a *api) as(org string) *api {
	other := *a
	other.org = org
	return &other
}

// newAPI returns the service on the real repository and a fresh database. On a busy machine the work of a request may
// take longer than its second.
func newAPI(tb testing.TB) *api {
	tb.Helper()
	return newAPIOn(tb, postgrestest.New(tb, postgres.Migrate), postgrestest.Session(), 10*postgres.RequestTimeout)
}

// newAPIAt returns the service on the database at dsn, with the timeouts of production.
func newAPIAt(tb testing.TB, dsn string) *api {
	tb.Helper()
	session := postgrestest.Session()
	session.AnswerTimeout = 0
	return newAPIOn(tb, dsn, session, postgres.RequestTimeout)
}

// newAPIOn is newAPIAt with other timeouts.
func newAPIOn(tb testing.TB, dsn string, session servicekit.Session, timeout time.Duration) *api {
	tb.Helper()
	db, err := postgres.Open(dsn, session)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	repo, dir := postgres.NewRepository(db), tb.TempDir()
	disk, err := storage.NewDisk(dir)
	if err != nil {
		tb.Fatal(err)
	}
	service := shipments.NewService(shipments.Needs{
		Repository: repo, Files: disk, Reader: plainReader{}, Pages: plainReader{}, RunChecks: checks.Run,
		NewID: func() shipments.ID { return shipments.ID(uuid.Must(uuid.NewV7())) }, Now: time.Now,
	})
	a := newAPIWithin(tb, service, newHooks(tb, repo), timeout)
	a.jobs, a.files, a.dsn = repo, dir, dsn
	return a
}

// newHooks returns the service of webhook endpoints on a repository.
func newHooks(tb testing.TB, repo *postgres.Repository) *webhooks.Service {
	tb.Helper()
	keys, err := sealing.Parse("1:ZGVtby13ZWJob29rLWtleS1mb3ItbGFwdG9wcy14eHg=")
	if err != nil {
		tb.Fatal(err)
	}
	return webhooks.NewService(
		postgres.NewWebhooks(repo, keys), func() [16]byte { return uuid.Must(uuid.NewV7()) }, time.Now, false,
	)
}

// newAPIOf returns the transport on any service, without webhooks.
func newAPIOf(tb testing.TB, service *shipments.Service) *api {
	tb.Helper()
	return newAPIWithin(tb, service, newHooks(tb, nil), postgres.RequestTimeout)
}

// newAPIWithin is newAPIOf with another timeout for each request.
func newAPIWithin(tb testing.TB, service *shipments.Service, hooks *webhooks.Service, timeout time.Duration) *api {
	tb.Helper()
	a := &api{service: service, log: &testserver.Log{}, observed: &testserver.Log{}, org: publicid.New("org")}
	config := transport.Config{Timeout: timeout, Failed: func(operation string, err error) {
		_, _ = fmt.Fprintln(a.observed, operation, transport.Code(err))
	}}
	srv := httptest.NewServer(
		transport.New(service, hooks, transport.NewUploads(), config, slog.New(slog.NewJSONHandler(a.log, nil))),
	)
	tb.Cleanup(srv.Close)
	a.url = srv.URL
	a.client = &http.Client{Transport: described{tb, srv.Client().Transport}}
	return a
}

// create makes a shipment and returns its id.
func (a *api) create(tb testing.TB) string {
	tb.Helper()
	res := a.do(tb, call{method: http.MethodPost, body: valid})
	res.wants(tb, http.StatusCreated, "")
	var created struct {
		Shipment struct {
			ID, Reference, Status string
			CreatedAt             string `json:"created_at"`
			UpdatedAt             string `json:"updated_at"`
		}
	}
	decode(tb, res.body, &created)
	return created.Shipment.ID
}

// noon is a time, in the middle of its UTC day.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// newShipment returns a shipment of that status and time.
func newShipment(status shipments.Status, created time.Time) shipments.Shipment {
	s := shipments.Shipment{
		ID: shipments.ID(uuid.New()), Status: status, Version: 1, CreatedAt: created.UTC().Truncate(time.Millisecond),
		Draft: shipments.Draft{
			Reference: "PO-" + rand.Text()[:6], Vessel: "MSC Carmen",
			Origin: "Valparaíso, Chile", Destination: "Łódź \U0001F34A",
		},
	}
	if s.UpdatedAt = s.CreatedAt; status == shipments.Approved {
		s.ApprovedAt = s.CreatedAt.Add(time.Hour)
		s.UpdatedAt = s.ApprovedAt
	}
	return s
}

// load stores shipments that have a past, for the organization of a.
func (a *api) load(tb testing.TB, loaded ...shipments.Detail) {
	tb.Helper()
	org, _ := publicid.Parse("org", a.org)
	for _, d := range loaded {
		if d.ID == (shipments.ID{}) {
			d.ID = shipments.ID(uuid.Must(uuid.NewV7()))
		}
		d.Status = cmp.Or(d.Status, shipments.Pending)
		if d.CreatedAt.IsZero() {
			d.CreatedAt = time.Now().UTC().Truncate(time.Millisecond)
		}
		from, to := d.Shipment, d.Shipment
		from.Version, to.Version, to.PalletsCount = 0, 1, len(d.Pallets)
		entry := shipments.Entry{Version: 1, At: d.CreatedAt, Action: shipments.Update, Status: d.Status}
		if err := errors.Join(
			a.jobs.Create(tb.Context(), shipments.OrgID(org), from, shipments.Actor{}),
			a.jobs.Revise(tb.Context(), shipments.OrgID(org), shipments.Revision{
				From: from, To: to, Entry: entry, Pallets: d.Pallets, Checks: append([]shipments.Check{}, d.Checks...),
			}),
		); err != nil {
			tb.Fatal(err)
		}
	}
	all, err := sqlx.Open("postgres", postgrestest.Direct(a.dsn))
	if err == nil {
		_, err = all.ExecContext(tb.Context(), `DELETE FROM shipment_history WHERE version = 0`)
	}
	if err := errors.Join(err, all.Close()); err != nil {
		tb.Fatal(err)
	}
}

func (a *api) total(tb testing.TB) int64 {
	tb.Helper()
	return a.list(tb, "").Meta.Total
}

type page struct {
	Shipments []map[string]any
	Meta      struct {
		Page, Total int64
		PerPage     int64 `json:"per_page"`
	}
}

func (a *api) list(tb testing.TB, query string) page {
	tb.Helper()
	res := a.do(tb, call{path: query})
	res.wants(tb, http.StatusOK, "")
	var p page
	decode(tb, res.body, &p)
	if p.Shipments == nil {
		tb.Errorf("shipments is null: %s", res.body)
	}
	return p
}

func (p page) ids() []string {
	all := make([]string, len(p.Shipments))
	for i, s := range p.Shipments {
		all[i] = fmt.Sprint(s["id"])
	}
	return all
}
