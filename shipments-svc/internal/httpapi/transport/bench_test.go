package transport_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/endpoints"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// BenchmarkOperations measures each operation from its handler to Postgres
// and back, with an organization of 1,000 shipments.
func BenchmarkOperations(b *testing.B) {
	db, err := postgres.Open(postgrestest.New(b, postgres.Migrate), postgrestest.Session())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	service := newService(b, postgres.NewRepository(db))
	handler := transport.New(service, nil, transport.NewUploads(), endpoints.Wiring{
		Timeout: postgres.RequestTimeout, Observe: func(string, error, time.Duration) {},
	}, slog.New(slog.NewJSONHandler(io.Discard, nil)))

	org := publicid.New("org")
	id, _ := publicid.Parse("org", org)
	all := make([]shipments.Detail, 1000)
	for i := range all {
		all[i].Shipment = repotest.Shipment(
			shipments.Statuses[i%len(shipments.Statuses)], repotest.Noon.Add(time.Duration(i)*time.Hour),
		)
	}
	all[0].ID, all[0].Status, all[0].ApprovedAt = shipments.ID{15: 1}, shipments.Pending, time.Time{}
	for range 20 {
		all[0].Pallets = append(
			all[0].Pallets, shipments.Pallet{Number: "P", ProduceName: "Plum", Calibre: "A", Boxes: 1, BoxWeight: 1},
		)
	}
	if _, err := service.Import(b.Context(), shipments.OrgID(id), all); err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]struct {
		call
		status int
	}{
		"list": {call{method: http.MethodGet, path: collection}, http.StatusOK},
		"get":  {call{method: http.MethodGet, path: collection + "/ship_00000000000000000000000001"}, http.StatusOK},
		"dry run of 9,980 pallets": {call{
			method: http.MethodPost, path: collection + "/ship_00000000000000000000000001/documents",
			body: strings.TrimSuffix(longList(9_980), "}") + `,"dry_run":true}`,
		}, http.StatusOK},
		"create": {call{method: http.MethodPost, path: collection, body: valid}, http.StatusCreated},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
				r.Header.Set("X-Organization-Id", org)
				r.Header.Set("X-Token-Id", "tok_4fZyo82mVyR1")
				r.Header.Set("X-Token-Permissions", allowed)
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != c.status {
					b.Fatalf("status %d: %s", w.Code, w.Body)
				}
			}
		})
	}
}
