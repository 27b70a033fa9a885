package transport_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// loaded stores a shipment of a status, with a check of each of the results,
// and returns its path.
func (a *api) loaded(tb testing.TB, status shipments.Status, results ...shipments.Result) string {
	tb.Helper()
	d := shipments.Detail{Shipment: newShipment(status, noon)}
	for _, r := range results {
		d.Checks = append(d.Checks, shipments.Check{Name: "check_" + string(r), Result: r, Details: "because"})
	}
	a.load(tb, d)
	return collection + "/" + publicid.Format("ship", uuid.UUID(d.ID))
}

// approve, reject and update are the actions, each fine by itself.
func approve(path string) call { return post(path+"/approve", "") }
func reject(path string) call  { return post(path+"/reject", `{"reason":"wet boxes"}`) }
func update(path string) call  { return patch(path, `{"shipment":{"vessel":"Maersk Lavras"}}`) }

// version is the entity-tag of a version of a shipment.
func version(n int) string { return fmt.Sprintf(`"3.%d"`, n) }

// shipment is what an answer shows of a shipment.
func (r answer) shipment(tb testing.TB) map[string]any {
	tb.Helper()
	r.wants(tb, http.StatusOK, "")
	var shown struct{ Shipment map[string]any }
	decode(tb, r.body, &shown)
	return shown.Shipment
}

// members is what the problems of some codes have besides.
type members struct {
	Detail     string
	Allowed    []string `json:"allowed_actions"`
	DocumentID string   `json:"document_id"`
	Failing    []string `json:"failing_checks"`
}

// conflict is what an answer says that must be a 409 of that code.
func (r answer) conflict(tb testing.TB, code string) members {
	tb.Helper()
	var p struct {
		members
		Code string
	}
	if err := json.Unmarshal(r.body, &p); err != nil || r.status != http.StatusConflict || p.Code != code {
		tb.Fatalf("status %d, %s (%v), want 409 %s", r.status, r.body, err, code)
	}
	return p.members
}

func TestApproveMakesAShipmentApprovedOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview, shipments.Pass, shipments.Warn, shipments.Skip)
	before := time.Now().Truncate(time.Millisecond)
	res := a.do(t, approve(path))
	s := res.shipment(t)
	at, err := time.Parse("2006-01-02T15:04:05.000Z", s["approved_at"].(string))
	if err != nil || at.Before(before) || at.After(time.Now()) || s["status"] != "approved" ||
		res.header.Get("ETag") != version(2) {
		t.Errorf("%s, ETag %s (%v)", res.body, res.header.Get("ETag"), err)
	}
	for name, again := range map[string]call{
		"without a body":                 approve(path),
		"with an override":               post(path+"/approve", `{"override_reason":"another"}`),
		"for the version before":         approve(path).with("If-Match", version(1)),
		"with the media type of nothing": approve(path).with("Content-Type", "application/json"),
	} {
		if second := a.do(t, again); second.status != http.StatusOK || string(second.body) != string(res.body) ||
			second.header.Get("ETag") != res.header.Get("ETag") {
			t.Errorf("%s: %s", name, second.body)
		}
	}
	if got := a.do(t, call{path: path}); got.header.Get("ETag") != version(2) ||
		got.shipment(t)["approved_at"] != s["approved_at"] {
		t.Errorf("it is shown as %s", got.body)
	}
	for _, c := range []call{update(path), reject(path), remove(path), attach(path)} {
		if p := a.do(t, c).conflict(t, "invalid_transition"); !slices.Equal(p.Allowed, []string{"approve"}) {
			t.Errorf("%s %s: allowed are %v", c.method, c.path, p.Allowed)
		}
	}
}

// TestFailingChecksAreNamedAndOverridden for a reason, which the history has with what was accepted.
func TestFailingChecksAreNamedAndOverridden(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview, shipments.Fail)
	p := a.do(t, approve(path)).conflict(t, "checks_failing")
	if !slices.Equal(p.Failing, []string{"check_fail"}) ||
		p.Detail != "Checks are failing: check_fail; to approve nevertheless, give an override_reason." {
		t.Errorf("%+v", p)
	}
	const reason = "counted by hand: „0043“"
	s := a.do(t, post(path+"/approve", `{"override_reason":" `+reason+` "}`)).shipment(t)
	h := a.history(t, path).History
	if s["status"] != "approved" || len(h) != 2 || h[0].Action != "approve" || h[0].Reason != reason ||
		h[0].Status != "approved" || h[0].Version != 2 || len(h[0].Accepted) != 1 ||
		h[0].Accepted[0].Result != shipments.Fail {
		t.Errorf("%v, %+v", s, h)
	}
}

func TestUpdateReplacesWhatIsGiven(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	for _, c := range []call{
		patch(path, `{"shipment":{"vessel":" Maersk Lavras","origin":"Łódź"}}`),
		patch(path, `{"shipment":{}}`),
		update(path).with("Content-Type", "application/merge-patch+json"), // as it is
	} {
		res := a.do(t, c)
		s := res.shipment(t)
		if s["vessel"] != "Maersk Lavras" || s["origin"] != "Łódź" || s["reference"] != "PO-1" || s["status"] != "pending" ||
			res.header.Get("ETag") != version(2) {
			t.Errorf("%s: %v, ETag %s", c.body, s, res.header.Get("ETag"))
		}
	}
}

// TestUpdateRunsTheChecks: they are those of the new destination at once.
func TestUpdateRunsTheChecks(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	if before := a.do(t, attach(path)).document(t).check("location_codes"); !strings.Contains(before, "NLRTM") {
		t.Fatal(before)
	}
	a.do(t, patch(path, `{"shipment":{"destination":"Hamburg"}}`)).wants(t, http.StatusOK, "")
	if shown := a.do(t, call{path: path}); !strings.Contains(string(shown.body), "DEHAM") {
		t.Errorf("%s", shown.body)
	}
}

func TestDeleteRemovesAPendingShipmentWithItsHistory(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	res := a.do(t, remove(path))
	if res.wants(t, http.StatusNoContent, ""); len(res.body) > 0 || res.header.Get("Content-Type") != "" {
		t.Errorf("%s, %v", res.body, res.header)
	}
	for _, c := range []call{
		{path: path}, {path: path + "/history"}, remove(path), update(path), approve(path), reject(path),
	} {
		a.do(t, c).wants(t, http.StatusNotFound, "not_found")
	}
}

// TestPreconditionsRestrictActions to versions: the second of two who saw the same one loses nothing of the first.
func TestPreconditionsRestrictActions(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for name, action := range map[string]func() call{
		"approve": func() call { return approve(a.loaded(t, shipments.ReadyForReview)) },
		"reject":  func() call { return reject(a.loaded(t, shipments.ReadyForReview)) },
		"update":  func() call { return update(a.loaded(t, shipments.Pending)) },
		"delete":  func() call { return remove(a.loaded(t, shipments.Pending)) },
	} {
		for _, c := range []struct {
			header, value string
			met           bool
		}{
			{"If-Match", version(1), true},
			{"If-Match", version(2), false},
			{"If-None-Match", version(2), true},
			{"If-None-Match", version(1), false},
		} {
			if got := a.do(t, action().with(c.header, c.value)).says(t); (got != "412 etag_mismatch") != c.met {
				t.Errorf("%s, %s %s: %s", name, c.header, c.value, got)
			}
		}
	}
}

// TestActionsHaveTheseStatuses, and what is refused changes nothing.
func TestActionsHaveTheseStatuses(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview)
	const invalid, unknown, unsupported = "422 validation_failed, ", "422 unknown_field, ", "415 unsupported_media_type"
	a.answers(t, map[string]status{
		"no reason":      {post(path+"/reject", ""), invalid + "required /reason", ""},
		"a number":       {post(path+"/reject", `{"reason":1}`), invalid + "invalid_type /reason", ""},
		"two lines":      {post(path+"/reject", `{"reason":"a\nb"}`), invalid + "invalid_text /reason", ""},
		"a merge patch":  {reject(path).with("Content-Type", "application/merge-patch+json"), unsupported, ""},
		"another member": {post(path+"/reject", `{"reason":"r","why":"w"}`), unknown + "unknown_field /why", ""},

		"an empty override": {
			post(path+"/approve", `{"override_reason":""}`), invalid + "required /override_reason", "",
		},
		"null as override": {
			post(path+"/approve", `{"override_reason":null}`), invalid + "invalid_type /override_reason", "",
		},
		"a reject's member": {post(path+"/approve", `{"reason":"r"}`), unknown + "unknown_field /reason", ""},
		"a form": {
			post(path+"/approve", "x=1").with("Content-Type", "application/x-www-form-urlencoded"), unsupported, "",
		},

		"no shipment":    {patch(path, `{}`), invalid + "required /shipment", ""},
		"an empty text":  {patch(path, `{"shipment":{"vessel":""}}`), invalid + "required /shipment/vessel", ""},
		"a status":       {patch(path, `{"shipment":{"status":"approved"}}`), unknown + "unknown_field /shipment/status", ""},
		"a text":         {update(path).with("Content-Type", "text/plain"), unsupported, ""},
		"a JSON patch":   {update(path).with("Content-Type", "application/json-patch+json"), unsupported, ""},
		"a parameter":    {update(path + "?x=1"), "400 unknown_parameter, unknown_parameter x", ""},
		"what is not it": {update(nothing), "404 not_found", "There is no such shipment."},
	})
	if tag := a.do(t, call{path: path}).header.Get("ETag"); tag != version(1) {
		t.Errorf("the shipment was changed, ETag %s", tag)
	}
}
