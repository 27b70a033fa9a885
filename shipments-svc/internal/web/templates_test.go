package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestTemplatesAreRenamedAndDeleted(t *testing.T) {
	t.Parallel()
	s := start(t)
	base := "/shipments/" + s.org + "/templates"
	want(t, s.get(t, base), http.StatusOK, "There are no templates yet.")
	id, _ := publicid.Parse("org", s.org)
	template := shipments.Template{
		ID: shipments.TemplateID{1}, Name: "Kakuzi", Fingerprint: "f", CreatedAt: now, UpdatedAt: now,
		Columns: []list.AssignedColumn{{Column: "B", Field: "lot"}},
	}
	if err := s.repo.PutTemplate(t.Context(), shipments.OrgID(id), template); err != nil {
		t.Fatal(err)
	}
	page := s.get(t, base)
	want(t, page, http.StatusOK, "Kakuzi", "B: Lot")
	query := regexp.MustCompile(`/rename(\?template=[^"]+)"`).FindStringSubmatch(page.Body.String())[1]
	rename, remove := base+"/rename"+query, base+"/delete"+query
	want(t, s.post(t, rename, url.Values{"name": {" "}}), http.StatusUnprocessableEntity, "Name is required.")
	wantTo(t, s.post(t, rename, url.Values{"name": {"Thika"}}), base+"?done=renamed")
	want(t, s.get(t, remove), http.StatusOK, "Delete Thika?")
	wantTo(t, s.post(t, remove, nil), base+"?done=forgotten")
	want(t, s.post(t, remove, nil), http.StatusNotFound)
}
