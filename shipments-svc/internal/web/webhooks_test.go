package web_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestWhatIsAsStrongAsATokenNeedsARecentProof: a new endpoint, another secret, and another address.
func TestWhatIsAsStrongAsATokenNeedsARecentProof(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.permissions += " webhooks:manage"
	base := "/webhooks/" + s.org
	form := url.Values{"key": {"k"}, "url": {"https://example.com/hooks"}}
	want(t, s.post(t, base, form), http.StatusOK, "whsec_")
	one := regexp.MustCompile(base + `/we_\w+`).FindString(s.get(t, base).Body.String())
	for _, proof := range []time.Time{{}, time.Now().Add(-16 * time.Minute)} {
		s.proof = proof
		toProof := func(w *httptest.ResponseRecorder, page string) {
			t.Helper()
			wantTo(t, w, "/settings/prove?return="+url.QueryEscape(page))
		}
		toProof(s.get(t, base+"/new"), base+"/new")
		toProof(s.post(t, base, form), base+"/new?done=lost")
		toProof(s.get(t, one+"/rotate"), one+"/rotate")
		toProof(s.post(t, one+"/rotate", form), one+"/rotate")
		edit := s.version(t, one)
		edit.Set("url", "https://example.com/other")
		toProof(s.post(t, one, edit), one+"?done=lost")
		edit.Set("url", "https://example.com/hooks")
		wantTo(t, s.post(t, one, edit), one+"?done=saved")
	}
}

func TestAPersonManagesWebhookEndpoints(t *testing.T) {
	t.Parallel()
	s := start(t)
	base := "/webhooks/" + s.org
	want(t, s.get(t, base), http.StatusForbidden)
	want(t, s.get(t, "/shipments/"+s.org), http.StatusOK, `!href="`+base+`"`)
	s.permissions += " webhooks:manage"
	want(t, s.get(t, base), http.StatusOK, "No webhook endpoints yet",
		`<a href="`+base+`" aria-current="page">Webhooks</a>`)

	page := s.get(t, base+"/new").Body.String()
	form := url.Values{"key": {keyOf.FindStringSubmatch(page)[1]}, "url": {"http://127.0.0.1/<b>"}}
	want(t, s.post(t, base, form), http.StatusUnprocessableEntity, "Address must begin", "127.0.0.1/&lt;b&gt;")
	form = maps.Clone(form)
	form.Set("url", "https://example.com/hooks")
	form.Set("event_types", "shipment.approved")
	secret := regexp.MustCompile(`whsec_[^<]+`)
	first := secret.FindString(s.post(t, base, form).Body.String())
	want(t, s.post(t, base, form), http.StatusConflict, "already sent", "!whsec_")
	list := s.get(t, base)
	want(t, list, http.StatusOK, "https://example.com/hooks", "shipment.approved", "Enabled", "!whsec_")
	one := regexp.MustCompile(base + `/we_\w+`).FindString(list.Body.String())

	wantTo(t, s.post(t, one+"/test", nil), one+"?done=tested")
	want(t, s.get(t, one), http.StatusOK, "webhook.test", "Pending",
		`value="shipment.approved" id="type-shipment.approved" checked`)
	test := regexp.MustCompile(one + `/deliveries/evt_\w+`).FindString(s.get(t, one).Body.String())
	want(t, s.get(t, test), http.StatusOK, "&#34;data&#34;: {}", "There was no attempt yet.")
	want(t, s.get(t, one+"?status=failed"), http.StatusOK, "No deliveries with this status.")
	want(t, s.post(t, one+"/deliveries/evt_unknown", nil), http.StatusNotFound)

	edit := s.version(t, one)
	edit.Set("url", "ftp://x")
	want(t, s.post(t, one, edit), http.StatusUnprocessableEntity, "Address must begin", "ftp://x")
	edit.Set("url", "https://example.com/v2")
	wantTo(t, s.post(t, one, edit), one+"?done=saved")
	want(t, s.post(t, one, edit), http.StatusPreconditionFailed, "was changed")
	want(t, s.get(t, one), http.StatusOK, "https://example.com/v2", "Disabled", `!id="enabled" checked`)

	page = s.get(t, one+"/rotate").Body.String()
	form = url.Values{"key": {keyOf.FindStringSubmatch(page)[1]}}
	if next := secret.FindString(s.post(t, one+"/rotate", form).Body.String()); next == "" || next == first {
		t.Errorf("the secret %q was replaced by %q", first, next)
	}
	want(t, s.post(t, one+"/rotate", form), http.StatusConflict, "already sent", "!whsec_")
	other := strings.Replace(one, s.org, "org_01jd0000000000000000000000", 1)
	want(t, s.get(t, other), http.StatusNotFound)
	wantTo(t, s.post(t, one+"/delete", nil), base+"?done=endpoint-deleted")
	want(t, s.get(t, one), http.StatusNotFound)

	path := s.create(t)
	wantTo(t, s.post(t, path+"/delete", s.version(t, path+"/delete")), "/shipments/"+s.org+"?done=removed")
	activity := "/shipments/" + s.org + "/activity"
	want(t, s.get(t, activity), http.StatusForbidden)
	s.permissions += " audit:read"
	shown := s.get(t, activity)
	want(t, shown, http.StatusOK, "example.com", "!example.com/", one[len(base)+1:], path[len("/shipments/"+s.org)+1:],
		"Anna &lt;b&gt;")
	var actions []string
	for _, row := range regexp.MustCompile(`"rowheader">([^<]+)<`).FindAllStringSubmatch(shown.Body.String(), -1) {
		actions = append(actions, row[1])
	}
	if got := strings.Join(actions, ", "); got != "Shipment deleted, Webhook endpoint deleted, Webhook secret replaced, "+
		"Webhook endpoint sent elsewhere, Webhook endpoint created" {
		t.Errorf("%s", got)
	}
}
