package transport_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestTokensAreListedInPagesWithTheirUsage(t *testing.T) {
	t.Parallel()
	m := manage(t)
	var want []tokens.TokenID
	for range 3 {
		m.now = m.now.Add(time.Second)
		token, _ := m.create(t, nil)
		want = append(want, token.ID)
	}
	slices.Reverse(want)
	want = append(want, m.token.ID)
	wantNoContent(t, m.report(t, reports(reportOf(want[0], created, 5, 2)), nil))
	var got []tokens.TokenID
	for page := 1; page <= 3; page++ {
		res := m.do(t, http.MethodGet, fmt.Sprintf("/api/v1/tokens?per_page=2&page=%d", page), "")
		a := read(t, res, http.StatusOK)
		if a.Meta.Page != page || a.Meta.PerPage != 2 || a.Meta.Total != 4 ||
			!strings.Contains(res.Header().Get("Link"), `</api/v1/tokens?page=2&per_page=2>; rel="last"`) {
			t.Errorf("page %d: %+v, Link: %s", page, a.Meta, res.Header().Get("Link"))
		}
		for _, token := range a.Tokens {
			got = append(got, token.ID)
			if used := token.ID == want[0]; token.Secret != "" ||
				used != (token.Usage.Requests == 5 && token.Usage.Refused == 2 && token.Usage.LastUsedFrom == "192.0.2.1") {
				t.Errorf("%+v", token)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if usage := read(t, m.do(t, http.MethodGet, "/api/v1/tokens/"+string(want[0]), ""),
		http.StatusOK).Token.Usage; usage == nil || usage.Requests != 5 {
		t.Errorf("alone it has %+v", usage)
	}
	if a := read(t, m.do(t, http.MethodGet, "/api/v1/tokens?per_page=1000", ""), http.StatusOK); a.Meta.PerPage != 100 {
		t.Errorf("%+v", a.Meta)
	}
	m.revoke(t, want[0])
	for status, n := range map[string]int{"all": 4, "active": 3, "expiring": 0, "expired": 0, "revoked": 1} {
		if a := read(t, m.do(t, http.MethodGet, "/api/v1/tokens?status="+status, ""), http.StatusOK); a.Meta.Total != n {
			t.Errorf("%d are %s, want %d", a.Meta.Total, status, n)
		}
	}
}
