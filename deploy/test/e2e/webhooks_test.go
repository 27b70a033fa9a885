package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

type event struct {
	ID, Type, Timestamp string
	Sequence            int64
	Data                struct{ Shipment shipment }
}

type eventPage struct {
	Events []event
	Meta   struct {
		NextAfter int64 `json:"next_after"`
	}
}

// inbox is a receiver of webhooks that checks their signatures as the README describes.
type inbox struct {
	url string

	mu     sync.Mutex
	secret string
	forged int
	came   map[string][]event // by webhook-id
}

func newInbox(t *testing.T) *inbox {
	t.Helper()
	in := &inbox{came: map[string][]event{}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		in.mu.Lock()
		defer in.mu.Unlock()
		var e event
		if err != nil || !genuine(in.secret, r.Header, body) || json.Unmarshal(body, &e) != nil {
			in.forged++
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		id := r.Header.Get("webhook-id")
		in.came[id] = append(in.came[id], e)
	}))
	t.Cleanup(srv.Close)
	in.url = srv.URL
	return in
}

func (in *inbox) trust(secret string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.secret = secret
}

func (in *inbox) got(id string) []event {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.came[id]
}

func genuine(secret string, h http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", h.Get("webhook-id"), h.Get("webhook-timestamp"), body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for given := range strings.FieldsSeq(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(given), []byte(want)) {
			return true
		}
	}
	return false
}

// Events of a shipment are listed at /events and delivered to a webhook endpoint,
// signed with its secret and, after a rotation, with the new one. They can be
// delivered again.
func TestEventsAreListedAndDelivered(t *testing.T) {
	t.Parallel()
	write, hooks := fresh(t, "shipments:write").Secret, fresh(t, "webhooks:manage").Secret
	in := newInbox(t)
	const endpoints = "/api/v1/webhook_endpoints"
	post := func(path, token, body string, status int) answer {
		t.Helper()
		a := do(t, call{method: http.MethodPost, path: path, token: token, body: body})
		a.wants(t, status, "")
		return a
	}
	type made struct {
		Endpoint struct{ ID, Secret, Status string } `json:"webhook_endpoint"`
	}
	a := post(endpoints, hooks, fmt.Sprintf(`{"webhook_endpoint":{"url":%q,"event_types":["shipment.created"]}}`, in.url),
		http.StatusCreated)
	one := a.header.Get("Location")
	in.trust(decode[made](t, a).Endpoint.Secret)

	create := func() (e event) {
		t.Helper()
		created := decode[struct{ Shipment shipment }](t,
			post("/api/v1/shipments", write, valid, http.StatusCreated)).Shipment
		after := int64(0)
		eventually(t, 5*time.Second, "the event of "+created.ID, func() bool {
			page := decode[eventPage](t, do(t,
				call{path: fmt.Sprintf("/api/v1/events?limit=100&after=%d", after), token: write}))
			for _, e = range page.Events {
				if e.Type == "shipment.created" && e.Data.Shipment.ID == created.ID {
					return true
				}
			}
			after = page.Meta.NextAfter
			return false
		})
		return e
	}
	arrives := func(e event, times int) {
		t.Helper()
		eventually(t, 10*time.Second, e.ID+" at the receiver", func() bool { return len(in.got(e.ID)) >= times })
		for _, got := range in.got(e.ID) {
			if !reflect.DeepEqual(got, e) {
				t.Errorf("%+v was sent, /events has %+v", got, e)
			}
		}
	}
	first := create()
	arrives(first, 1)

	in.trust(decode[made](t, post(one+"/rotate_secret", hooks, "", http.StatusOK)).Endpoint.Secret)
	second := create()
	arrives(second, 1)
	post(one+"/replay", hooks, fmt.Sprintf(`{"event_ids":[%q]}`, first.ID), http.StatusAccepted)
	arrives(first, 2)

	type deliveries struct {
		Deliveries []struct {
			EventID  string `json:"event_id"`
			Status   string
			Attempts []struct{ Outcome string }
		}
	}
	eventually(t, 5*time.Second, "the list of deliveries", func() bool {
		for _, d := range decode[deliveries](t, do(t, call{path: one + "/deliveries", token: hooks})).Deliveries {
			if d.EventID == first.ID {
				return d.Status == "delivered" && len(d.Attempts) == 2
			}
		}
		return false
	})
	do(t, call{method: http.MethodDelete, path: one, token: hooks}).wants(t, http.StatusNoContent, "")
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.forged > 0 {
		t.Errorf("%d deliveries have a wrong signature", in.forged)
	}
}
