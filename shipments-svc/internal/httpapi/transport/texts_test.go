package transport_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestEachTextIsKeptChangedAndRemoved: each of shipments.TextFields is shown as it was given,
// alone, in lists and in events, and as it was changed, in the history, too, and lists are filtered by it.
// An optional one is removed by null, and may be left out; of the others null is refused.
func TestEachTextIsKeptChangedAndRemoved(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for _, text := range shipments.TextFields {
		given := map[string]any{}
		for _, other := range shipments.TextFields {
			given[other.Name] = "first " + other.Name
		}
		path := textsOf(t, a, given)
		a.change(t, path, text.Name, "second "+text.Name)
		a.filters(t, path, text, "second "+text.Name)
		a.shows(t, path, text.Name, "second "+text.Name)
		a.noted(t, path, text.Name, "first "+text.Name, "second "+text.Name)
		if !text.Optional {
			res := a.do(t, call{method: http.MethodPatch, path: path, body: `{"shipment":{"` + text.Name + `":null}}`})
			res.wants(t, http.StatusUnprocessableEntity, "validation_failed")
			continue
		}
		a.change(t, path, text.Name, nil)
		a.shows(t, path, text.Name, nil)
		a.noted(t, path, text.Name, "second "+text.Name, "")
		delete(given, text.Name)
		a.shows(t, textsOf(t, a, given), text.Name, nil)
	}
}

// filters compares lists that are filtered by a text, which one shipment has.
func (a *api) filters(t *testing.T, path string, text shipments.TextField, value string) {
	t.Helper()
	found := map[string]bool{value: true, value + " ": true, value[1:]: false}
	switch text.Filter {
	case shipments.Unfiltered:
		return
	case shipments.Equal:
		found[value[:8]], found[strings.ToUpper(value)] = false, false
	case shipments.Prefix:
		found[value[:8]], found[strings.ToUpper(value)] = true, true
	}
	for given, want := range found {
		ids := a.list(t, "?"+url.Values{text.Name: {given}}.Encode()).ids()
		if got := len(ids) == 1 && strings.HasSuffix(path, ids[0]); got != want || !want && len(ids) > 0 {
			t.Errorf("%s %q finds %v, want %s: %t", text.Name, given, ids, path, want)
		}
	}
}

// textsOf creates a shipment and returns its path.
func textsOf(t *testing.T, a *api, texts map[string]any) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"shipment": texts})
	if err != nil {
		t.Fatal(err)
	}
	res := a.do(t, call{method: http.MethodPost, body: string(body)})
	res.wants(t, http.StatusCreated, "")
	return res.header.Get("Location")
}

func (a *api) change(t *testing.T, path, name string, value any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"shipment": map[string]any{name: value}})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.do(t, call{method: http.MethodPatch, path: path, body: string(body)}).shipment(t)[name]; got != value {
		t.Errorf("%s was changed to %v, want %v", name, got, value)
	}
}

// shows compares a text where shipments are shown; the shipment is the newest.
func (a *api) shows(t *testing.T, path, name string, want any) {
	t.Helper()
	a.publish(t)
	events := a.events(t, "?limit=100").Events
	for where, got := range map[string]map[string]any{
		"alone": a.do(t, call{path: path}).shipment(t), "in a list": a.list(t, "?per_page=1").Shipments[0],
		"in an event": events[len(events)-1].Data.Shipment,
	} {
		if got[name] != want {
			t.Errorf("%s %s is %v, want %v", name, where, got[name], want)
		}
	}
}

// noted compares the newest entry of the history with a change.
func (a *api) noted(t *testing.T, path, name, from, to string) {
	t.Helper()
	got := a.history(t, path).History[0].Changes
	if len(got) != 1 || got[0].Field != name || got[0].From != from || got[0].To != to {
		t.Errorf("the history has %+v, want %s from %q to %q", got, name, from, to)
	}
}
