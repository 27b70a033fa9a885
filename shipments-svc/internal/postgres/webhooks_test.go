package postgres

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// sealingKeys returns keys of these versions, the newest first.
func sealingKeys(t *testing.T, versions ...int) sealing.Keys {
	t.Helper()
	var entries []string
	for _, v := range versions {
		entries = append(
			entries, fmt.Sprintf("%d:%s", v, base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{byte(v)}, 32))),
		)
	}
	keys, err := sealing.Parse(strings.Join(entries, ","))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func openWebhooks(t *testing.T) (*Webhooks, *sqlx.DB) {
	t.Helper()
	r, db := newTest(t)
	return NewWebhooks(r, sealingKeys(t, 1)), db
}

var lastEndpoint atomic.Int64

// endpointOf stores an endpoint that wants these types.
func endpointOf(
	t *testing.T, w *Webhooks, org shipments.OrgID, types ...shipments.EventType,
) webhooks.EndpointWithSecret {
	t.Helper()
	n := lastEndpoint.Add(1)
	m := webhooks.EndpointWithSecret{Secret: webhooks.Secret{byte(n), 9}, Endpoint: webhooks.Endpoint{
		ID: webhooks.ID{
			byte(n >> 8),
			byte(n),
		}, URL: "https://example.com/", Description: "d", EventTypes: append([]shipments.EventType{}, types...),
		Status: webhooks.Enabled, CreatedAt: Noon, UpdatedAt: Noon,
	}}
	must(t, w.CreateEndpoint(t.Context(), org, m))
	return m
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// happen makes n events, shipment.created each.
func happen(t *testing.T, w *Webhooks, org shipments.OrgID, n int) {
	t.Helper()
	for range n {
		must(t, w.Create(t.Context(), org, NewShipment(shipments.Pending, Noon), Someone))
	}
	number(t, w.Repository, org)
}

func (w *Webhooks) all(t *testing.T, org shipments.OrgID, id webhooks.ID) []webhooks.Delivery {
	t.Helper()
	all, err := w.Deliveries(t.Context(), org, webhooks.DeliveryQuery{Endpoint: id}, 1000)
	must(t, err)
	return all
}

// later is after all that tests make due.
var later = Noon.AddDate(1, 0, 0)

func (w *Webhooks) claim(t *testing.T, org shipments.OrgID, id webhooks.ID, now time.Time) (webhooks.Job, bool) {
	t.Helper()
	job, ok, err := w.Claim(t.Context(), webhooks.EndpointKey{Org: org, Endpoint: id}, now, now.Add(time.Minute))
	must(t, err)
	return job, ok
}

func TestEndpointIsReadAsItWasStored(t *testing.T) {
	t.Parallel()
	w, db := openWebhooks(t)
	org, theirs := NewOrg(), NewOrg()
	made := endpointOf(t, w, org, shipments.ShipmentCreated, shipments.DocumentFailed)
	got, err := w.Endpoint(t.Context(), org, made.ID)
	if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", made.Endpoint) {
		t.Errorf("%+v, want %+v (%v)", got, made.Endpoint, err)
	}
	changed := made.Endpoint
	changed.URL, changed.Status, changed.Reason = "https://b.example/", webhooks.Disabled, webhooks.Requested
	changed.UpdatedAt = Noon.Add(time.Hour)
	must(t, w.UpdateEndpoint(t.Context(), org, changed))
	if all, err := w.Endpoints(t.Context(), org); err != nil || len(all) != 1 ||
		fmt.Sprintf("%+v", all[0]) != fmt.Sprintf("%+v", changed) {
		t.Errorf("%+v, want %+v (%v)", all, changed, err)
	}
	for name, err := range map[string]error{
		"get":    second(w.Endpoint(t.Context(), theirs, made.ID)),
		"change": w.UpdateEndpoint(t.Context(), theirs, changed),
		"rotate": second(w.RotateSecret(t.Context(), theirs, made.ID, webhooks.Secret{}, later, later)),
		"delete": w.DeleteEndpoint(t.Context(), theirs, made.ID),
	} {
		if !errors.Is(err, webhooks.ErrNotFound) {
			t.Errorf("%s for another organization: %v", name, err)
		}
	}
	must(t, w.DeleteEndpoint(t.Context(), org, made.ID))
	if all, err := w.Endpoints(t.Context(), org); err != nil || len(all) != 0 ||
		!errors.Is(w.DeleteEndpoint(t.Context(), org, made.ID), webhooks.ErrNotFound) {
		t.Errorf("it is still there: %+v (%v)", all, err)
	}
	var secrets int
	must(t, db.GetContext(t.Context(), &secrets, `SELECT count(*) FROM webhook_endpoints WHERE secret <> ''`))
	if secrets != 0 {
		t.Error("the secret of what was deleted is still there")
	}
}

// TestAnEndpointIsAsExpectedUntilItIsChanged: a delivery that would disable it meanwhile waits.
func TestAnEndpointIsAsExpectedUntilItIsChanged(t *testing.T) {
	t.Parallel()
	w, db := openWebhooks(t)
	org := NewOrg()
	made := endpointOf(t, w, org)
	service := webhooks.NewService(w, nil, time.Now, false)
	o := webhooks.Order{ID: made.ID, Expects: func(webhooks.Endpoint) bool {
		var free []string
		must(t, db.SelectContext(t.Context(), &free, `SELECT id FROM webhook_endpoints FOR UPDATE SKIP LOCKED`))
		return len(free) == 0
	}}
	_, err := service.Update(t.Context(), org, webhooks.Edit{Order: o})
	must(t, err)
}

func second[T any](_ T, err error) error { return err }

// TestEndpointsOfAnOrganizationAreLimited, also of many created at once.
func TestEndpointsOfAnOrganizationAreLimited(t *testing.T) {
	t.Parallel()
	w, _ := openWebhooks(t)
	org := NewOrg()
	var created atomic.Int64
	var wg sync.WaitGroup
	for i := range webhooks.MaxEndpoints + 8 {
		wg.Go(func() {
			m := webhooks.EndpointWithSecret{Endpoint: webhooks.Endpoint{ID: webhooks.ID{15: byte(i)}, CreatedAt: Noon}}
			switch err := w.CreateEndpoint(t.Context(), org, m); {
			case err == nil:
				created.Add(1)
			case !errors.Is(err, webhooks.ErrTooMany):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, err := w.Endpoints(t.Context(), org)
	if err != nil || len(all) != webhooks.MaxEndpoints || created.Load() != webhooks.MaxEndpoints {
		t.Errorf("%d are there, %d were created (%v)", len(all), created.Load(), err)
	}
	must(t, w.DeleteEndpoint(t.Context(), org, all[0].ID))
	endpointOf(t, w, org)
}
