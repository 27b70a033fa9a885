package transport_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
)

const (
	hooksPath = "/api/v1/webhook_endpoints"
	noHook    = hooksPath + "/we_00000000000000000000000000"
	hook      = `{"webhook_endpoint":{"url":"https://hooks.example.com/quayside"}}`
)

// webhookEndpoint is a webhook endpoint as it is shown.
type webhookEndpoint struct {
	ID, URL, Description, Status, Secret string
	EventTypes                           []string `json:"event_types"`
	DisabledReason                       string   `json:"disabled_reason"`
	PreviousUntil                        string   `json:"previous_secret_expires_at"`
	CreatedAt                            string   `json:"created_at"`
	UpdatedAt                            string   `json:"updated_at"`
}

// hook creates a webhook endpoint.
func (a *api) hook(t *testing.T) webhookEndpoint {
	t.Helper()
	return a.endpoint(t, post(hooksPath, hook), http.StatusCreated)
}

// endpoint makes a call that is answered with a webhook endpoint.
func (a *api) endpoint(t *testing.T, c call, status int) webhookEndpoint {
	t.Helper()
	res := a.do(t, c)
	res.wants(t, status, "")
	var view struct {
		Endpoint webhookEndpoint `json:"webhook_endpoint"`
	}
	decode(t, res.body, &view)
	return view.Endpoint
}

// TestSecretIsReturnedOnCreationOnly, and not to the same request again with its key.
func TestSecretIsReturnedOnCreationOnly(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	create := post(hooksPath, hook).with("Idempotency-Key", "k")
	made := a.endpoint(t, create, http.StatusCreated)
	if p := a.do(t, create).conflict(t, "secret_already_shown"); !strings.Contains(p.Detail, made.ID) {
		t.Errorf("with the same key: %s", p.Detail)
	}
	stored := ""
	db, err := sqlx.Open("postgres", postgrestest.Direct(a.dsn))
	if err == nil {
		err = errors.Join(db.Get(&stored, `SELECT convert_from(answer, 'UTF8') FROM idempotency_keys`), db.Close())
	}
	if err != nil || strings.Contains(strings.ToLower(stored), "secret") || !strings.Contains(stored, "hooks.example") {
		t.Errorf("with the key %s is stored (%v)", stored, err)
	}
	one := hooksPath + "/" + made.ID
	for name, c := range map[string]call{
		"get": {path: one}, "list": {path: hooksPath}, "deliveries": {path: one + "/deliveries"},
		"update": patch(one, `{"webhook_endpoint":{"description":"d"}}`),
	} {
		if res := a.do(t, c); res.status != http.StatusOK || strings.Contains(string(res.body), "whsec_") ||
			strings.Contains(string(res.body), `"secret"`) {
			t.Errorf("%s: %s", name, res.body)
		}
	}
	rotate := post(one+"/rotate_secret", "{}").with("Idempotency-Key", "k")
	rotated := a.endpoint(t, rotate, http.StatusOK)
	a.do(t, rotate).conflict(t, "secret_already_shown")
	if rotated.Secret == made.Secret || !strings.HasPrefix(rotated.Secret, "whsec_") ||
		!strings.HasPrefix(made.Secret, "whsec_") || rotated.PreviousUntil <= rotated.UpdatedAt {
		t.Errorf("%+v", rotated)
	}
	other := a.do(t, post(hooksPath, hook))
	if location := other.header.Get("Location"); !strings.HasPrefix(location, hooksPath+"/we_") ||
		other.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", other.header)
	}
}

// TestAnEndpointIsChangedListedAndDeleted; of two who saw the same one, the second loses nothing of the first.
func TestAnEndpointIsChangedListedAndDeleted(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	one := a.hook(t)
	path := hooksPath + "/" + one.ID
	if one.Status != "enabled" || len(one.EventTypes) != 0 || one.EventTypes == nil || one.CreatedAt != one.UpdatedAt {
		t.Errorf("%+v", one)
	}
	tag := a.do(t, call{path: path}).header.Get("ETag")
	change := patch(path, `{"webhook_endpoint":{"url":"https://b.example/x","description":" ERP ",
		"event_types":["shipment.rejected","shipment.approved","shipment.rejected"],"status":"disabled"}}`)
	db, err := sqlx.Open("postgres", postgrestest.Direct(a.dsn))
	if err == nil {
		_, err = db.Exec(`UPDATE webhook_endpoints SET failing_since = now()`) // a delivery makes no version
		err = errors.Join(err, db.Close())
	}
	if failing := a.do(t, call{path: path}).header.Get("ETag"); err != nil || failing == tag {
		t.Errorf("%s, %v", failing, err)
	}
	changed := a.endpoint(t, change.with("If-Match", tag), http.StatusOK)
	if changed.URL != "https://b.example/x" || changed.Description != "ERP" || changed.Status != "disabled" ||
		changed.DisabledReason != "requested" || changed.CreatedAt != one.CreatedAt ||
		!slices.Equal(changed.EventTypes, []string{"shipment.approved", "shipment.rejected"}) {
		t.Errorf("%+v", changed)
	}
	enable := patch(path, `{"webhook_endpoint":{"status":"enabled","event_types":[]}}`)
	for _, c := range []call{
		enable, remove(path), post(path+"/rotate_secret", ""), post(path+"/test", ""), post(path+"/replay", `{"after":0}`),
	} {
		a.do(t, c.with("If-Match", tag)).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
	}
	a.do(t, post(path+"/test", "")).wants(t, http.StatusConflict, "webhook_endpoint_disabled")
	back := a.endpoint(t, enable.with("Content-Type", "application/merge-patch+json"), http.StatusOK)
	if back.Status != "enabled" || back.DisabledReason != "" || len(back.EventTypes) != 0 || back.Description != "ERP" {
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
	now := a.do(t, call{path: path}).header.Get("ETag")
	a.do(t, remove(path).with("If-Match", now)).wants(t, http.StatusNoContent, "")
	a.do(t, call{path: path}).wants(t, http.StatusNotFound, "not_found")
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
	a := newAPI(t)
	path := hooksPath + "/" + a.hook(t).ID + "/deliveries"
	if page := a.deliveries(t, path); page.Deliveries == nil || len(page.Deliveries) != 0 || page.Meta.Limit != 25 {
		t.Errorf("at first: %+v", page)
	}
	for range 5 {
		a.create(t)
	}
	a.publish(t)
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
}

// TestTestsAndReplaysAreAccepted, and show among the deliveries.
func TestTestsAndReplaysAreAccepted(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for range 3 {
		a.create(t)
	}
	a.publish(t)
	events := a.events(t, "").Events
	path := hooksPath + "/" + a.hook(t).ID
	a.answers(t, map[string]status{
		"a test": {post(path+"/test", ""), "202", `"event_type":"webhook.test","status":"pending"`},
		"two": {
			post(path+"/replay", fmt.Sprintf(`{"event_ids":[%q,%q]}`, events[0].ID, events[2].ID)),
			"202", `{"replay":{"events":2}}`,
		},
		"from the second": {post(path+"/replay", `{"after":1}`), "202", `{"replay":{"events":2}}`},
		"a range":         {post(path+"/replay", `{"after":0,"until":2}`), "202", `{"replay":{"events":2}}`},
		"none":            {post(path+"/replay", `{"after":3}`), "202", `{"replay":{"events":0}}`},
	})
	if page := a.deliveries(t, path+"/deliveries"); len(page.Deliveries) != 4 ||
		page.Deliveries[0].EventType != "webhook.test" || page.Deliveries[0].Sequence != 0 {
		t.Errorf("%+v", page)
	}
}

// TestWebhookEndpointsHaveTheseStatuses, also for another organization.
func TestWebhookEndpointsHaveTheseStatuses(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	one := hooksPath + "/" + a.hook(t).ID
	const invalid, nobodys = "422 validation_failed, ", `"evt_00000000000000000000000000"`
	of := func(members string) call { return post(hooksPath, `{"webhook_endpoint":{`+members+`}}`) }
	replay := func(body string) call { return post(one+"/replay", body) }
	a.answers(t, map[string]status{
		"nothing":    {post(hooksPath, `{}`), invalid + "required /webhook_endpoint", ""},
		"no address": {of(""), invalid + "required /webhook_endpoint/url", ""},
		"not https":  {of(`"url":"http://example.com"`), invalid + "invalid_value /webhook_endpoint/url", ""},
		"a number":   {of(`"url":7`), invalid + "invalid_type /webhook_endpoint/url", ""},
		"a secret": {
			of(`"url":"https://a.example","secret":"x"`), "422 unknown_field, unknown_field /webhook_endpoint/secret", "",
		},
		"types as one": {
			of(`"url":"https://a.example","event_types":1`), invalid + "invalid_type /webhook_endpoint/event_types", "",
		},
		"all": {
			of(`"url":"x","description":"\u0007","event_types":["y"]`),
			invalid + "invalid_value /webhook_endpoint/url, invalid_text /webhook_endpoint/description, " +
				"invalid_value /webhook_endpoint/event_types/0", "",
		},
		"a status": {
			patch(one, `{"webhook_endpoint":{"status":"deleted"}}`), invalid + "invalid_value /webhook_endpoint/status", "",
		},
		"an empty address": {patch(one, `{"webhook_endpoint":{"url":""}}`), invalid + "required /webhook_endpoint/url", ""},

		"a replay of nothing": {replay(`{}`), invalid + "required /event_ids", ""},
		"without a beginning": {replay(`{"until":3}`), invalid + "required /event_ids", ""},
		"of no events":        {replay(`{"event_ids":[]}`), invalid + "out_of_range /event_ids", ""},
		"of no event's id":    {replay(`{"event_ids":["x"]}`), invalid + "invalid_value /event_ids/0", ""},
		"of an unknown event": {replay(`{"event_ids":[` + nobodys + `]}`), invalid + "invalid_value /event_ids/0", ""},
		"of events or a range": {
			replay(`{"event_ids":[` + nobodys + `],"after":1}`), invalid + "invalid_value /event_ids", "",
		},
		"of a text": {replay(`{"after":"1"}`), invalid + "invalid_type /after", ""},
		"of 101 events": {
			replay(`{"event_ids":[` + strings.Repeat(`"x",`, 100) + `"x"]}`), invalid + "out_of_range /event_ids", "",
		},

		"a test with a member":     {post(one+"/test", `{"x":1}`), "422 unknown_field, unknown_field /x", ""},
		"a rotation with a member": {post(one+"/rotate_secret", `{"x":1}`), "422 unknown_field, unknown_field /x", ""},
		"deliveries before x": {
			call{path: one + "/deliveries?before=x"}, "400 invalid_parameter, invalid_parameter before", "",
		},
		"deliveries before a hook": {
			call{path: one + "/deliveries?before=we_00000000000000000000000000"},
			"400 invalid_parameter, invalid_parameter before", "",
		},
		"lost deliveries": {
			call{path: one + "/deliveries?limit=0&status=lost"},
			"400 invalid_parameter, invalid_parameter status, invalid_parameter limit", "",
		},
	})
	theirs, unknown := a.as(publicid.New("org")), map[string]status{}
	for _, path := range []string{one, noHook, hooksPath + "/we_1"} {
		for _, c := range []call{
			{path: path},
			patch(path, `{"webhook_endpoint":{"status":"disabled"}}`),
			remove(path),
			post(path+"/rotate_secret", ""),
			post(path+"/test", ""),
			post(path+"/replay", `{"after":0}`),
			{path: path + "/deliveries"},
		} {
			unknown[c.method+" "+c.path] = status{c, "404 not_found", "There is no such webhook endpoint."}
		}
	}
	theirs.answers(t, unknown)
	if e := a.endpoint(t, call{path: one}, http.StatusOK); e.Status != "enabled" {
		t.Errorf("%+v", e)
	}
}
