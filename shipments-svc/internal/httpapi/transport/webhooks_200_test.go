package transport_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestSecretIsReturnedOnCreationOnly, and not to the same request again with its key.
func TestSecretIsReturnedOnCreationOnly(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	create := call{method: http.MethodPost, path: hooksPath, body: hook}.with("Idempotency-Key", "k")
	res := a.do(t, create)
	res.wants(t, http.StatusCreated, "")
	var view struct {
		Endpoint webhookEndpoint `json:"webhook_endpoint"`
	}
	decode(t, res.body, &view)
	made := view.Endpoint
	if !strings.HasPrefix(made.Secret, "whsec_") || res.header.Get("Location") != hooksPath+"/"+made.ID ||
		res.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%+v, %v", made, res.header)
	}
	if p := a.do(t, create).conflict(t, "secret_already_shown"); !strings.Contains(p.Detail, made.ID) {
		t.Errorf("with the same key: %s", p.Detail)
	}
	one := hooksPath + "/" + made.ID
	for name, c := range map[string]call{
		"get": {path: one}, "list": {path: hooksPath}, "deliveries": {path: one + "/deliveries"},
		"update": {method: http.MethodPatch, path: one, body: `{"webhook_endpoint":{"description":"d"}}`},
	} {
		if res := a.do(t, c); res.status != http.StatusOK || strings.Contains(string(res.body), "whsec_") ||
			strings.Contains(string(res.body), `"secret"`) {
			t.Errorf("%s: %s", name, res.body)
		}
	}
	rotate := call{method: http.MethodPost, path: one + "/rotate_secret", body: "{}"}.with("Idempotency-Key", "k")
	rotated := a.endpoint(t, rotate, http.StatusOK)
	a.do(t, rotate).conflict(t, "secret_already_shown")
	if rotated.Secret == made.Secret || !strings.HasPrefix(rotated.Secret, "whsec_") ||
		rotated.PreviousUntil <= rotated.UpdatedAt {
		t.Errorf("%+v", rotated)
	}
}

func TestAnEndpointIsChangedListedAndDeleted(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	one := a.hook(t)
	path := hooksPath + "/" + one.ID
	if one.Status != "enabled" || len(one.EventTypes) != 0 || one.EventTypes == nil || one.CreatedAt != one.UpdatedAt {
		t.Errorf("%+v", one)
	}
	changed := a.endpoint(
		t,
		call{
			method: http.MethodPatch,
			path:   path,
			body: `{"webhook_endpoint":{"url":"https://b.example/x","description":" ERP ",
		"event_types":["shipment.rejected","shipment.approved","shipment.rejected"],"status":"disabled"}}`,
		},
		http.StatusOK,
	)
	if changed.URL != "https://b.example/x" || changed.Description != "ERP" || changed.Status != "disabled" ||
		changed.DisabledReason != "requested" ||
		!slices.Equal(changed.EventTypes, []string{"shipment.approved", "shipment.rejected"}) ||
		changed.CreatedAt != one.CreatedAt {
		t.Errorf("%+v", changed)
	}
	patch := call{
		method: http.MethodPatch,
		path:   path,
		body:   `{"webhook_endpoint":{"status":"enabled","event_types":[]}}`,
	}.with("Content-Type", "application/merge-patch+json")
	if back := a.endpoint(t, patch, http.StatusOK); back.Status != "enabled" || back.DisabledReason != "" ||
		len(back.EventTypes) != 0 ||
		back.Description != "ERP" {
		t.Errorf("%+v", back)
	}
	other := a.hook(t)
	var all struct {
		Endpoints []webhookEndpoint `json:"webhook_endpoints"`
	}
	decode(t, a.do(t, call{path: hooksPath}).body, &all)
	if len(all.Endpoints) != 2 || all.Endpoints[0].ID != one.ID || all.Endpoints[1].ID != other.ID {
		t.Errorf("%+v", all)
	}
	a.do(t, call{method: http.MethodDelete, path: path}).wants(t, http.StatusNoContent, "")
	for _, c := range []call{
		{path: path},
		{method: http.MethodDelete, path: path},
		{method: http.MethodPatch, path: path, body: `{"webhook_endpoint":{}}`},
		{path: path + "/deliveries"},
	} {
		a.do(t, c).wants(t, http.StatusNotFound, "not_found")
	}
}

type deliveryPage struct {
	Deliveries []struct {
		EventID   string `json:"event_id"`
		EventType string `json:"event_type"`
		Sequence  int64
		Status    string
		Next      string `json:"next_attempt_at"`
		Attempts  []any
		CreatedAt string `json:"created_at"`
	}
	Meta struct {
		Limit      int64
		NextBefore string `json:"next_before"`
	}
}

func (a *api) deliveries(t *testing.T, path string) (page deliveryPage) {
	t.Helper()
	res := a.do(t, call{path: path})
	res.wants(t, http.StatusOK, "")
	decode(t, res.body, &page)
	if link := res.header.Get("Link"); (link != "") != (page.Meta.NextBefore != "") ||
		!strings.Contains(link, page.Meta.NextBefore) {
		t.Errorf("Link is %q, %+v", res.header.Get("Link"), page.Meta)
	}
	return page
}

// TestDeliveriesAreListedTheLatestEventFirst, in parts, and by status.
func TestDeliveriesAreListedTheLatestEventFirst(t *testing.T) {
	t.Parallel()
	a, db := publishing(t)
	path := hooksPath + "/" + a.hook(t).ID + "/deliveries"
	if page := a.deliveries(t, path); page.Deliveries == nil || len(page.Deliveries) != 0 || page.Meta.Limit != 25 {
		t.Errorf("at first: %+v", page)
	}
	for range 5 {
		a.create(t)
	}
	a.publish(t, db)
	var seen []int64
	for before := ""; ; {
		page := a.deliveries(t, path+"?limit=2&status=pending&before="+before)
		for _, d := range page.Deliveries {
			if seen = append(seen, d.Sequence); d.EventType != "shipment.created" || d.Status != "pending" || d.Next == "" ||
				len(d.Attempts) != 0 {
				t.Errorf("%+v", d)
			}
		}
		if before = page.Meta.NextBefore; before == "" {
			break
		}
	}
	if !slices.Equal(seen, []int64{5, 4, 3, 2, 1}) {
		t.Errorf("%v", seen)
	}
	if page := a.deliveries(t, path+"?status=failed"); len(page.Deliveries) != 0 {
		t.Errorf("failed: %+v", page)
	}
	for _, query := range []string{"?before=x", "?before=we_00000000000000000000000000", "?limit=0", "?status=lost"} {
		a.do(t, call{path: path + query}).wants(t, http.StatusBadRequest, "invalid_parameter")
	}
}

// TestTestsAndReplaysAreAccepted, and show among the deliveries.
func TestTestsAndReplaysAreAccepted(t *testing.T) {
	t.Parallel()
	a, db := publishing(t)
	for range 3 {
		a.create(t)
	}
	a.publish(t, db)
	events := a.events(t, "").Events
	path := hooksPath + "/" + a.hook(t).ID
	post := func(action, body string) string {
		res := a.do(t, call{method: http.MethodPost, path: path + action, body: body}.with("Idempotency-Key", action+body))
		res.wants(t, http.StatusAccepted, "")
		return strings.TrimSpace(string(res.body))
	}
	if body := post("/test", ""); !strings.Contains(body, `"event_type":"webhook.test","status":"pending"`) {
		t.Error(body)
	}
	for body, want := range map[string]string{
		fmt.Sprintf(`{"event_ids":[%q,%q]}`, events[0].ID, events[2].ID): `{"replay":{"events":2}}`,
		`{"after":1}`:           `{"replay":{"events":2}}`,
		`{"after":0,"until":2}`: `{"replay":{"events":2}}`,
		`{"after":3}`:           `{"replay":{"events":0}}`,
	} {
		if got := post("/replay", body); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if page := a.deliveries(t, path+"/deliveries"); len(page.Deliveries) != 4 ||
		page.Deliveries[0].EventType != "webhook.test" ||
		page.Deliveries[0].Sequence != 0 {
		t.Errorf("%+v", page)
	}
}
