package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

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
}
