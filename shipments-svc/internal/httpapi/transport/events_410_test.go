package transport_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestGapInTheEventsIsReported(t *testing.T) {
	t.Parallel()
	a, db := publishing(t)
	for range 5 {
		a.create(t)
	}
	a.publish(t, db)
	org, _ := publicid.Parse("org", a.org)
	if _, err := db.Expire(t.Context(), shipments.OrgID(org), time.Now().Add(shipments.EventLife+time.Hour),
		3); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"?after=6", "?cursor=another-5", "?cursor=another-2"} {
		res := a.do(t, call{path: eventsPath + query})
		if res.status != http.StatusGone || !strings.Contains(string(res.body), `"code":"events_reset"`) ||
			!strings.Contains(string(res.body), `"newest_sequence":5`) {
			t.Errorf("%s: %d, %s", query, res.status, res.body)
		}
	}
	res := a.do(t, call{path: eventsPath + "?after=2"})
	if res.status != http.StatusGone || !strings.Contains(string(res.body), `"code":"events_expired"`) ||
		!strings.Contains(string(res.body), `"oldest_sequence":4`) {
		t.Errorf("status %d: %s", res.status, res.body)
	}
	for _, query := range []string{"", "?after=0", "?after=3"} {
		if page := a.events(t, query); len(page.Events) != 2 || page.Events[0].Sequence != 4 {
			t.Errorf("%q: %+v", query, page)
		}
	}
}
