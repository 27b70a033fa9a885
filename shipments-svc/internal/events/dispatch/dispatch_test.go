package dispatch_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
)

func TestMain(m *testing.M) {
	m.Run()
	postgrestest.Drop()
}

// TestSignaturesPassTheReferenceLibrary of Standard Webhooks, by each secret for a day after it was replaced: a
// rotation whose response was lost leaves the receiver the secret that it has.
func TestSignaturesPassTheReferenceLibrary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := newInbox(t, nil)
	secrets := []webhooks.EndpointWithSecret{w.endpoint(t, in.URL)}
	w.dispatch(t, w.queue, time.Second)
	steps := []struct {
		rotate bool
		later  time.Duration
		sign   string // which of the secrets, the oldest first
	}{
		{false, 0, "100"},
		{true, 0, "110"},
		{true, webhooks.Overlap / 2, "111"}, // the second response was lost
		{false, webhooks.Overlap / 2, "011"},
		{false, webhooks.Overlap / 2, "001"},
	}
	for i, step := range steps {
		w.clock.advance(step.later)
		if step.rotate {
			made, err := w.hooks.RotateSecret(t.Context(), w.org, webhooks.Order{ID: secrets[0].ID})
			if err != nil {
				t.Fatal(err)
			}
			secrets = append(secrets, made)
		}
		w.happen(t, 1)
		eventually(t, "the delivery", func() bool {
			all := w.deliveries(t, secrets[0].ID)
			return len(all) > i && all[0].Status == webhooks.Delivered
		})
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for i, step := range steps {
		r, body := in.requests[i], in.bodies[i]
		signed := ""
		for _, made := range secrets {
			check, err := standardwebhooks.NewWebhook(made.Secret.Reveal())
			if err != nil {
				t.Fatal(err)
			}
			// Later ones are of tomorrow.
			signed += map[bool]string{true: "1", false: "0"}[check.VerifyIgnoringTimestamp([]byte(body), r.Header) == nil]
		}
		if signed != step.sign {
			t.Errorf("delivery %d is signed by %s, want %s", i+1, signed, step.sign)
		}
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" ||
			!strings.Contains(body, `"id":"`+r.Header.Get("webhook-id")+`","type":"shipment.created"`) ||
			!strings.Contains(body, `"environment":"live"`) || !strings.Contains(body, `"organization_id":"org_0`) {
			t.Errorf("%s %v %s", r.Method, r.Header, body)
		}
	}
}

// TestDeliveriesAreAttemptedTenTimes with the same id and body; then they have
// failed.
func TestDeliveriesAreAttemptedTenTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := newInbox(t, func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) })
	made := w.endpoint(t, in.URL)
	w.dispatch(t, w.queue, time.Second)
	w.happen(t, 1)
	for tries := 1; tries <= 10; tries++ {
		var d webhooks.Delivery
		eventually(t, fmt.Sprint("attempt ", tries), func() bool {
			d = w.deliveries(t, made.ID)[0]
			return len(d.Attempts) == tries
		})
		if tries < 10 {
			w.clock.advance(d.Due.Sub(w.clock.Now()) - time.Second)
			w.ring()
			w.clock.advance(time.Second)
			w.ring()
		}
	}
	d := w.deliveries(t, made.ID)[0]
	if d.Status != webhooks.Failed || in.count() != 10 || len(in.ids()) != 1 {
		t.Errorf("%+v, %d requests of %d events", d, in.count(), len(in.ids()))
	}
	for i, a := range d.Attempts {
		if a.Outcome != webhooks.Refused || a.Response != 500 || in.bodies[i] != in.bodies[0] {
			t.Errorf("attempt %d: %+v, %s", i+1, a, in.bodies[i])
		}
	}
	if span := d.Attempts[9].At.Sub(d.Attempts[0].At); span < 75*time.Hour || span > 92*time.Hour {
		t.Errorf("it was tried for %s", span)
	}
	in.answer = nil
	if _, err := w.hooks.Replay(t.Context(), w.org, webhooks.Replay{Order: webhooks.Order{ID: made.ID}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the replay", func() bool { return w.deliveries(t, made.ID)[0].Status == webhooks.Delivered })
}

// TestFailingEndpointIsDisabled after days, with the reason; enabled again it gets the
// waiting deliveries, and failing_since is reset.
func TestFailingEndpointIsDisabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var well atomic.Bool
	in := newInbox(t, func(_ int, w http.ResponseWriter) {
		if !well.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	made := w.endpoint(t, in.URL)
	w.dispatch(t, w.queue, time.Second)
	is := func(what string, ok func(webhooks.Endpoint) bool) {
		t.Helper()
		eventually(t, what, func() bool {
			e, err := w.hooks.Get(t.Context(), w.org, made.ID)
			return err == nil && ok(e)
		})
	}
	begun := w.clock.Now()
	w.happen(t, 1)
	is("that it fails", func(e webhooks.Endpoint) bool { return !e.FailingSince.IsZero() && e.Status == webhooks.Enabled })
	well.Store(true)
	w.clock.advance(webhooks.MaxFailing)
	w.happen(t, 1)
	is(
		"that it works again",
		func(e webhooks.Endpoint) bool { return e.FailingSince.IsZero() && e.Status == webhooks.Enabled },
	)
	// Their results are stored: a later one would say again that the endpoint works.
	eventually(t, "both deliveries", func() bool {
		deliveries := w.deliveries(t, made.ID)
		for _, d := range deliveries {
			if d.Status != webhooks.Delivered {
				return false
			}
		}
		return len(deliveries) == 2
	})
	well.Store(false)
	w.happen(t, 1)
	is("that it fails", func(e webhooks.Endpoint) bool {
		return e.FailingSince.After(begun.Add(webhooks.MaxFailing - time.Second))
	})
	w.clock.advance(webhooks.MaxFailing - time.Minute)
	w.ring()
	eventually(t, "another attempt", func() bool {
		for _, d := range w.deliveries(t, made.ID) {
			if len(d.Attempts) == 2 && d.Status == webhooks.Pending {
				return true
			}
		}
		return false
	})
	is(
		"that it is still enabled", func(e webhooks.Endpoint) bool { return e.Status == webhooks.Enabled && e.Reason == "" },
	)
	w.clock.advance(time.Hour)
	w.ring()
	is(
		"that it is disabled",
		func(e webhooks.Endpoint) bool { return e.Status == webhooks.Disabled && e.Reason == webhooks.Failing },
	)
	well.Store(true)
	e, err := w.hooks.Update(t.Context(), w.org, webhooks.Edit{
		Order: webhooks.Order{ID: made.ID}, Status: new(webhooks.Enabled),
	})
	if err != nil || e.Status != webhooks.Enabled || e.Reason != "" || !e.FailingSince.IsZero() {
		t.Errorf("%+v (%v)", e, err)
	}
	w.clock.advance(24 * time.Hour)
	w.ring()
	eventually(t, "what waited", func() bool {
		for _, d := range w.deliveries(t, made.ID) {
			if d.Status != webhooks.Delivered {
				return false
			}
		}
		return true
	})
}
