package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

func TestPalletsAreAWorkbook(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.create(t)
	wantTo(t, s.attach(t, path, "false"), path)
	s.reads(t)
	s.until(t, path, "Download as Excel")
	w := s.get(t, path+"/pallets.xlsx")
	if got := w.Header().Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="ship_`) {
		t.Errorf("%d %s", w.Code, got)
	}
	book, err := excelize.OpenReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.GetRows("Sheet1")
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	if got, want := rows[1][:6], []string{"P<1>", "Plums", "AA", "10", "5", "50"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	want(t, s.get(t, strings.Replace(path, s.org, publicid.New("org"), 1)+"/pallets.xlsx"), http.StatusNotFound)
}
