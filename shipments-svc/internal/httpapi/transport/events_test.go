package transport_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const eventsPath = "/api/v1/events"

type eventPage struct {
	Events []event
	Meta   struct {
		After, Limit int64
		NextAfter    int64  `json:"next_after"`
		NextCursor   string `json:"next_cursor"`
	}
}

type event struct {
	ID, Type, Timestamp string
	Epoch, Environment  string
	Organization        string `json:"organization_id"`
	Sequence            int64
	Data                struct{ Shipment, Document map[string]any }
}

// publish gives numbers to the events of the organization, as a relay does.
func (a *api) publish(t *testing.T) {
	t.Helper()
	org, _ := publicid.Parse("org", a.org)
	if _, _, err := a.jobs.Number(t.Context(), shipments.OrgID(org), 1000); err != nil {
		t.Fatal(err)
	}
}

func (a *api) events(t *testing.T, query string) eventPage {
	t.Helper()
	res := a.do(t, call{path: eventsPath + query})
	res.wants(t, http.StatusOK, "")
	var page eventPage
	decode(t, res.body, &page)
	if link := res.header.Get("Link"); link != fmt.Sprintf(
		`<%s?cursor=%s&limit=%d>; rel="next"`, eventsPath, page.Meta.NextCursor, page.Meta.Limit,
	) {
		t.Errorf("Link is %s", link)
	}
	return page
}

// TestEventsRecordTheLifecycleOfAShipment, in the order in which it happened.
func TestEventsRecordTheLifecycleOfAShipment(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	if none := a.events(t, ""); none.Events == nil || len(none.Events) != 0 || none.Meta.NextAfter != 0 ||
		none.Meta.Limit != 25 {
		t.Errorf("at first: %+v", none)
	}
	path := collection + "/" + a.create(t)
	a.do(t, call{method: http.MethodPost, path: path + "/documents", body: givenList}).wants(t, http.StatusCreated, "")
	a.do(t, approve(path)).wants(t, http.StatusOK, "")
	if early := a.events(t, ""); len(early.Events) != 0 {
		t.Errorf("before they have numbers there are %d", len(early.Events))
	}
	a.publish(t)

	page := a.events(t, "")
	var types []string
	for i, e := range page.Events {
		types = append(types, e.Type)
		if e.Sequence != int64(i)+1 || e.Data.Shipment["id"] != strings.TrimPrefix(path, collection+"/") {
			t.Errorf("%+v", e)
		}
		if document := strings.HasPrefix(e.Type, "document."); document != (e.Data.Document != nil) {
			t.Errorf("%s has the document %v", e.Type, e.Data.Document)
		}
	}
	want := []string{
		"shipment.created",
		"document.attached",
		"document.processed",
		"shipment.ready_for_review",
		"shipment.approved",
	}
	if !slices.Equal(types, want) || page.Meta.NextAfter != int64(len(want)) {
		t.Errorf("%q, %+v, want %q", types, page.Meta, want)
	}
	last := page.Events[len(want)-1]
	if shown := a.list(t, "").Shipments[0]; fmt.Sprint(shown) != fmt.Sprint(last.Data.Shipment) ||
		last.Timestamp != shown["approved_at"] {
		t.Errorf("the event has %v of %s, the list %v", last.Data.Shipment, last.Timestamp, shown)
	}
	if first := page.Events[0].Data.Shipment; first["status"] != "pending" || first["pallets_count"] != 0.0 {
		t.Errorf("the first event has %v", first)
	}
	if theirs := a.as(publicid.New("org")).events(t, ""); len(theirs.Events) != 0 {
		t.Errorf("another organization has %+v", theirs)
	}
}

func TestEventsGoOnWhereTheLastAnswerEnded(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for range 7 {
		a.create(t)
	}
	a.publish(t)
	var seen []int64
	for cursor := ""; ; {
		page := a.events(t, "?limit=3&cursor="+cursor)
		for _, e := range page.Events {
			seen = append(seen, e.Sequence)
		}
		if len(page.Events) == 0 {
			break
		}
		cursor = page.Meta.NextCursor
	}
	if !slices.Equal(seen, []int64{1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("%v", seen)
	}
	for query, want := range map[string]string{
		"?limit=100": "0 100 7", "?limit=9223372036854775807": "0 100 7", "?after=&limit=": "0 25 7", "?after=7": "7 25 7",
	} {
		if m := a.events(t, query).Meta; fmt.Sprint(m.After, m.Limit, m.NextAfter) != want {
			t.Errorf("%s: %+v, want %s", query, m, want)
		}
	}
}

// TestEventsHaveTheseStatuses once the first three of five are no longer kept.
func TestEventsHaveTheseStatuses(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for range 5 {
		a.create(t)
	}
	a.publish(t)
	org, _ := publicid.Parse("org", a.org)
	late := time.Now().Add(shipments.EventLife + time.Hour)
	if _, err := a.jobs.Expire(t.Context(), shipments.OrgID(org), late, 3); err != nil {
		t.Fatal(err)
	}
	const malformed, reset = "400 invalid_parameter, invalid_parameter ", "410 events_reset"
	all := map[string]status{}
	for query, want := range map[string]status{
		"?after=-1": {says: malformed + "after"}, "?after=evt_1": {says: malformed + "after"},
		"?after=9223372036854775808": {says: malformed + "after"}, "?limit=0": {says: malformed + "limit"},
		"?cursor=42": {says: malformed + "cursor"}, "?cursor=a-b": {says: malformed + "cursor"},
		"?cursor=a-42&after=42": {says: malformed + "cursor"},
		"?page=2":               {says: "400 unknown_parameter, unknown_parameter page"},
		"?after=6":              {says: reset, has: `"newest_sequence":5`}, "?cursor=another-5": {says: reset},
		"?cursor=another-2": {says: reset}, "?after=2": {says: "410 events_expired", has: `"oldest_sequence":4`},
		"?after=0": {says: "200", has: `"sequence":4`}, "?after=3": {says: "200", has: `"sequence":4`},
	} {
		want.path = eventsPath + query
		all[query] = want
	}
	a.answers(t, all)
}
