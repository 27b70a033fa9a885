package postgres

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestEventsAreDeliveredToSubscribedEndpoints, once each, from the endpoint's creation
// on.
func TestEventsAreDeliveredToSubscribedEndpoints(t *testing.T) {
	t.Parallel()
	w, _ := openWebhooks(t)
	org, theirs := NewOrg(), NewOrg()
	happen(t, w, org, 1)
	all, some, none, off := endpointOf(
		t, w, org,
	), endpointOf(
		t, w, org, shipments.ShipmentCreated, shipments.ShipmentDeleted,
	), endpointOf(
		t, w, org, shipments.ShipmentDeleted,
	), endpointOf(
		t, w, org,
	)
	other := endpointOf(t, w, theirs)
	off.Status = webhooks.Disabled
	must(t, w.UpdateEndpoint(t.Context(), org, off.Endpoint))
	happen(t, w, org, 3)
	for name, c := range map[string]struct {
		org  shipments.OrgID
		id   webhooks.ID
		want int
	}{"all": {org, all.ID, 3}, "some": {org, some.ID, 3}, "none": {org, none.ID, 0}, "disabled": {
		org, off.ID,
		0,
	}, "another organization's": {theirs, other.ID, 0}} {
		if got := w.all(t, c.org, c.id); len(got) != c.want {
			t.Errorf("%s: %d, want %d", name, len(got), c.want)
		}
	}
	for _, want := range []float64{6, 106} { // few, and many
		due, next, err := w.Due(t.Context(), webhooks.EndpointKey{}, later, 10)
		if err != nil || next != nil ||
			!slices.Equal(due, []webhooks.EndpointKey{{Org: org, Endpoint: all.ID}, {Org: org, Endpoint: some.ID}}) {
			t.Errorf("due: %v, %v (%v)", due, next, err)
		}
		for after := (&webhooks.EndpointKey{}); after != nil; { // one at a time
			var some []webhooks.EndpointKey
			some, after, err = w.Due(t.Context(), *after, later, 1)
			must(t, err)
			due = append(due, some...)
		}
		if len(due) != 4 || due[2] != due[0] || due[3] != due[1] {
			t.Errorf("one at a time: %v", due)
		}
		if n, err := w.Overdue(t.Context(), later); err != nil || n != want {
			t.Errorf("%v are due (%v)", n, err)
		}
		happen(t, w, org, 50)
	}
}

// TestADeliveryHasOneHolderAtATime: the first who claims; after the lease the
// next, and then the first writes nothing.
func TestADeliveryHasOneHolderAtATime(t *testing.T) {
	t.Parallel()
	w, _ := openWebhooks(t)
	org := NewOrg()
	made := endpointOf(t, w, org)
	happen(t, w, org, 1)
	first, ok := w.claim(t, org, made.ID, later)
	if !ok || first.URL != made.URL || first.Event.Type != shipments.ShipmentCreated || first.Event.Number != 1 ||
		!slices.Equal(first.Secrets, []webhooks.Secret{made.Secret}) {
		t.Fatalf("%+v", first)
	}
	if _, ok := w.claim(t, org, made.ID, later); ok {
		t.Error("it was claimed twice")
	}
	second, ok := w.claim(t, org, made.ID, later.Add(time.Minute))
	if !ok || second.Claim <= first.Claim || second.Tries != 0 {
		t.Fatalf("%+v", second)
	}
	accepted := webhooks.Attempt{At: later, Took: 12 * time.Millisecond, Outcome: webhooks.Accepted, Response: 204}
	refused := webhooks.Attempt{At: later, Took: time.Second, Outcome: webhooks.Refused, Response: 500}
	must(t, w.Finish(t.Context(), first, accepted, webhooks.Verdict{Status: webhooks.Delivered}))
	if d := w.all(t, org, made.ID)[0]; d.Status != webhooks.Pending || len(d.Attempts) != 0 || !d.Due.IsZero() {
		t.Errorf("the first wrote: %+v", d)
	}
	must(t, w.Finish(t.Context(), second, refused, webhooks.Verdict{Status: webhooks.Pending, Due: later.Add(time.Hour)}))
	if _, ok := w.claim(t, org, made.ID, later.Add(time.Hour-time.Second)); ok {
		t.Error("it was tried too early")
	}
	third, _ := w.claim(t, org, made.ID, later.Add(time.Hour))
	if third.Tries != 1 {
		t.Fatalf("%+v", third)
	}
	must(t, w.Finish(t.Context(), third, accepted, webhooks.Verdict{Status: webhooks.Delivered}))
	d := w.all(t, org, made.ID)[0]
	if d.Status != webhooks.Delivered || !slices.Equal(d.Attempts, []webhooks.Attempt{refused, accepted}) ||
		!d.Due.IsZero() ||
		d.Type != shipments.ShipmentCreated ||
		d.Number != 1 {
		t.Errorf("%+v", d)
	}
}

func TestStatus410DisablesAnEndpoint(t *testing.T) {
	t.Parallel()
	w, _ := openWebhooks(t)
	org := NewOrg()
	made := endpointOf(t, w, org)
	happen(t, w, org, 2)
	job, _ := w.claim(t, org, made.ID, later)
	a := webhooks.Attempt{At: later, Outcome: webhooks.Refused, Response: 410}
	must(t, w.Finish(t.Context(), job, a, webhooks.Evaluate(a, 1, job.Event.Type, 0)))
	if e, err := w.Endpoint(t.Context(), org, made.ID); err != nil || e.Status != webhooks.Disabled ||
		e.Reason != webhooks.Gone ||
		!e.UpdatedAt.Equal(later) {
		t.Errorf("%+v (%v)", e, err)
	}
	if _, ok := w.claim(t, org, made.ID, later); ok {
		t.Error("what is disabled is sent to")
	}
	must(t, w.UpdateEndpoint(t.Context(), org, made.Endpoint))
	if _, ok := w.claim(t, org, made.ID, later); !ok {
		t.Error("what waited is lost")
	}
}

// TestEventsAreReplayed: those from before the endpoint, and what was delivered
// or failed; what is being sent stays as it is.
func TestEventsAreReplayed(t *testing.T) {
	t.Parallel()
	w, _ := openWebhooks(t)
	org, theirs := NewOrg(), NewOrg()
	happen(t, w, org, 3)
	happen(t, w, theirs, 1)
	made, deletions := endpointOf(t, w, org), endpointOf(t, w, org, shipments.ShipmentDeleted)
	all := events(t, w.Repository, org)
	foreign := events(t, w.Repository, theirs)[0].ID
	if found, err := w.Replay(t.Context(), org, made.ID, []shipments.EventID{all[0].ID, foreign}, later); err != nil ||
		!slices.Equal(found, []shipments.EventID{all[0].ID}) ||
		len(w.all(t, org, made.ID)) != 0 {
		t.Errorf("with one of another organization: %v (%v)", found, err)
	}
	if found, err := w.Replay(t.Context(), org, deletions.ID, []shipments.EventID{all[2].ID, all[0].ID, all[0].ID},
		later); err != nil ||
		len(found) != 2 ||
		len(w.all(t, org, deletions.ID)) != 2 {
		t.Errorf("by name: %v (%v)", found, err)
	}
	if n, _, err := w.ReplayRange(t.Context(), org, deletions.ID, 0, 100, 10, later); err != nil || n != 0 {
		t.Errorf("a range of what it does not want: %d (%v)", n, err)
	}
	for _, c := range []struct {
		after, until int64
		limit        int
		want         string
	}{{0, 2, 10, "2 2"}, {1, 100, 10, "2 3"}, {0, 100, 2, "2 2"}, {3, 100, 10, "0 0"}} {
		n, last, err := w.ReplayRange(t.Context(), org, made.ID, c.after, c.until, c.limit, later)
		if got := fmt.Sprint(n, last); err != nil || got != c.want {
			t.Errorf("from %d to %d: %s, want %s (%v)", c.after, c.until, got, c.want, err)
		}
	}
	delivered, _ := w.claim(t, org, made.ID, later)
	must(
		t,
		w.Finish(
			t.Context(), delivered, webhooks.Attempt{At: later, Outcome: webhooks.Accepted},
			webhooks.Verdict{Status: webhooks.Delivered},
		),
	)
	leased, _ := w.claim(t, org, made.ID, later)
	n, _, err := w.ReplayRange(t.Context(), org, made.ID, 0, 100, 10, later)
	must(t, err)
	pending := 0
	for _, d := range w.all(t, org, made.ID) {
		if !d.Due.IsZero() {
			pending++
		}
		if d.Event == delivered.Event.ID && (len(d.Attempts) != 1 || d.Status != webhooks.Pending) {
			t.Errorf("what was delivered: %+v", d)
		}
	}
	if n != 3 || pending != 2 {
		t.Errorf("%d replayed, %d to be sent", n, pending)
	}
	if again, ok := w.claim(t, org, made.ID, later); !ok || again.Event.ID == leased.Event.ID || again.Tries != 0 {
		t.Errorf("%+v", again)
	}
}

func TestTestDeliveryIsNoEvent(t *testing.T) {
	t.Parallel()
	w, _ := openWebhooks(t)
	org := NewOrg()
	made := endpointOf(t, w, org, shipments.ShipmentDeleted)
	must(t, w.CreateTest(t.Context(), org, made.ID, shipments.EventID{1}, Noon))
	job, ok := w.claim(t, org, made.ID, later)
	if !ok || job.Event.Type != webhooks.Test || job.Event.ID != (shipments.EventID{1}) ||
		!job.Event.At.Equal(Noon) ||
		job.Event.Number != 0 {
		t.Errorf("%+v", job)
	}
	if d := w.all(t, org, made.ID); len(d) != 1 || d[0].Type != webhooks.Test || d[0].Number != 0 {
		t.Errorf("%+v", d)
	}
	if len(events(t, w.Repository, org)) != 0 {
		t.Error("it is an event")
	}
}

// TestDeliveriesGoWithTheirEventsAndEndpoints, a few at a time.
func TestDeliveriesGoWithTheirEventsAndEndpoints(t *testing.T) {
	t.Parallel()
	w, db := openWebhooks(t)
	org := NewOrg()
	kept, deleted := endpointOf(t, w, org), endpointOf(t, w, org)
	happen(t, w, org, 5)
	for i, at := range []time.Time{Noon, later} {
		must(t, w.CreateTest(t.Context(), org, kept.ID, shipments.EventID{byte(i)}, at))
	}
	must(t, w.DeleteEndpoint(t.Context(), org, deleted.ID))
	exec(
		t, db, `UPDATE events SET numbered_at = $2 WHERE organization_id = $1 AND number <= 3`, uuid.UUID(org), Noon,
	)
	before := Noon.Add(time.Hour)
	for range 2 { // an endpoint goes with the sweep after that of its last delivery
		for n := 2; n == 2; {
			var err error
			n, err = w.Expire(t.Context(), org, before.Add(shipments.EventLife), 2)
			must(t, err)
		}
	}
	if got := w.all(t, org, kept.ID); len(got) != 3 { // two events and a test
		t.Errorf("%d are left", len(got))
	}
	var rows []string
	must(
		t,
		db.SelectContext(t.Context(), &rows, `SELECT 'endpoint' FROM webhook_endpoints WHERE status = 'deleted' UNION ALL
		SELECT 'delivery' FROM webhook_deliveries WHERE endpoint_id = $1`, uuid.UUID(deleted.ID)),
	)
	if len(rows) != 0 {
		t.Errorf("of what was deleted there are %v", rows)
	}
}

// TestDispatcherIsNotifiedAfterTheCommit of what is asked for: before that it finds nothing to deliver.
func TestDispatcherIsNotifiedAfterTheCommit(t *testing.T) {
	t.Parallel()
	w, _ := openWebhooks(t)
	org := NewOrg()
	e := endpointOf(t, w, org)
	select { // it was created
	case <-w.WebhooksDue:
	default:
	}
	must(t, w.Locked(t.Context(), org, webhooks.EndpointsLock, func(ctx context.Context) error {
		err := w.CreateTest(ctx, org, e.ID, shipments.EventID{1}, Noon)
		if len(w.WebhooksDue) > 0 {
			t.Error("the dispatcher is notified before the delivery can be seen")
		}
		return err
	}))
	if len(w.WebhooksDue) == 0 {
		t.Error("the dispatcher is not notified of a delivery that is due")
	}
}
