package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestPalletsAreAWorkbook(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.create(t)
	wantTo(t, s.attach(t, path, "false"), path)
	s.reads(t)
	s.until(t, path+"/pallets", "Download as Excel")
	w := s.get(t, path+"/pallets.xlsx")
	name := `attachment; filename="PO-<1> pallets.xlsx"`
	body := w.Body.String() // begins as an archive, or Excel does not open it
	if got := w.Header().Get("Content-Disposition"); !strings.HasPrefix(got, name) || !strings.HasPrefix(body, "PK") {
		t.Errorf("%d %s: %.9q", w.Code, got, body)
	}
	book, err := excelize.OpenReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.GetRows("List")
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	if got, want := rows[1][:6], []string{"P<1>", "Plums", "AA", "9", "5", "45"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if about, _ := book.GetCellValue("About", "A1"); !strings.HasPrefix(about, "1 row: every line of the 1 pallet of ") {
		t.Error(about)
	}
	want(t, s.get(t, strings.Replace(path, s.org, publicid.New("org"), 1)+"/pallets.xlsx"), http.StatusNotFound)
}

func TestTheListIsExportedAsItIsFiltered(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := publicid.Parse("org", s.org)
	for i := range 130 {
		if err := s.repo.Create(t.Context(), shipments.OrgID(id), shipments.Shipment{
			ID: shipments.ID(uuid.Must(uuid.NewV7())), Status: shipments.Pending, Version: 1, Draft: shipments.Draft{
				Reference: fmt.Sprintf("=%d", i), Vessel: []string{"Anna", "Berta"}[i%2], Origin: "O", Destination: "D",
			},
		}, shipments.Actor{}); err != nil {
			t.Fatal(err)
		}
	}
	w := s.get(t, "/shipments/"+s.org+"/export.csv")
	headings, _, _ := strings.Cut(w.Body.String(), "\n")
	if !strings.HasPrefix(headings, "\ufeffReference,Status,Vessel,Voyage,From,To,Pallets,Created ") ||
		!strings.HasSuffix(headings, ",Approved (UTC),Id") {
		t.Errorf("the headings are %s", headings)
	}
	if n := strings.Count(w.Body.String(), "\n"); n != 132 || !strings.Contains(w.Body.String(), "\n'=7,Pending,") {
		t.Errorf("%d lines: %.300s", n, w.Body)
	}
	book, err := excelize.OpenReader(s.get(t, "/shipments/"+s.org+"/export.xlsx?vessel=anna").Body)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := book.GetRows("List"); err != nil || len(rows) != 66 || rows[1][2] != "Anna" {
		t.Error(len(rows), err)
	}
}

// TestExportsHaveEveryRow of a list that is longer than any page, and say so.
func TestExportsHaveEveryRow(t *testing.T) {
	t.Parallel()
	s := start(t)
	const n = 10_100
	s.fill(t, n)
	list := s.get(t, "/shipments/"+s.org+"/export.csv?vessel=anna").Body.String()
	if lines := strings.Split(strings.TrimSpace(list), "\n"); len(lines) != n+2 ||
		!strings.HasPrefix(lines[n+1], "10100 rows: every shipment with vessel anna. Nothing is left out.,") {
		t.Errorf("%d lines, of which the last is %s", len(lines), lines[len(lines)-1])
	}
	book, err := excelize.OpenReader(s.get(t, "/shipments/"+s.org+"/export.xlsx").Body)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.GetRows("List")
	if err != nil || len(rows) != n+1 {
		t.Error(len(rows), err)
	}
	about, _ := book.GetCellValue("About", "A1")
	if about != "10100 rows: every shipment. Nothing is left out." {
		t.Error(about)
	}
}

// TestAnExportThatFailsIsAborted, so that a part of a list is not taken for all of it.
func TestAnExportThatFailsIsAborted(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.fill(t, 1500)
	w := &breaking{ResponseRecorder: httptest.NewRecorder(), broken: func() { _ = s.db.Close() }}
	defer func() {
		if cause := recover(); cause != any(http.ErrAbortHandler) {
			t.Errorf("%v; %d bytes", cause, w.Body.Len())
		}
	}()
	s.ServeHTTP(w, s.request(t, http.MethodGet, "/shipments/"+s.org+"/export.csv", "", http.NoBody))
}

// breaking breaks something as soon as a part of the response was sent.
type breaking struct {
	*httptest.ResponseRecorder
	broken func()
}

func (b *breaking) Write(part []byte) (int, error) {
	b.broken()
	return b.ResponseRecorder.Write(part)
}
