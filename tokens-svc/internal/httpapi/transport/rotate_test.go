package transport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestATokenIsRotated(t *testing.T) {
	t.Parallel()
	m := manage(t)
	for body, ends := range map[string]time.Duration{
		"": 24 * time.Hour, "{}": 24 * time.Hour, `{"grace_seconds":3600}`: time.Hour, `{"grace_seconds":0}`: 0,
		`{"grace_seconds":604800}`: 7 * 24 * time.Hour,
	} {
		old, _ := m.create(t, nil)
		res := m.do(t, http.MethodPost, fmt.Sprintf("/api/v1/tokens/%s/rotate", old.ID), body)
		a := read(t, res, http.StatusCreated)
		if got := res.Header().Get("Location"); got != "/api/v1/tokens/"+string(a.Token.ID) {
			t.Errorf("Location: %s", got)
		}
		if a.Token.RotatedFrom != old.ID || a.Previous.RotatedTo != a.Token.ID ||
			a.Previous.ID != old.ID || a.Previous.Secret != "" {
			t.Errorf("%s: %+v", body, a)
		}
		end := created.Add(ends).Truncate(time.Second)
		if want := end.Format("2006-01-02T15:04:05.000Z"); a.Previous.ExpiresAt != want ||
			a.Token.ExpiresAt != "2027-02-18T14:03:52.000Z" {
			t.Errorf("%s: the old one ends %s, want %s; the new one %s", body, a.Previous.ExpiresAt, want, a.Token.ExpiresAt)
		}
	}
}

// TestATokenRotatesItself, whatever it may do, and the response has no person's name.
func TestATokenRotatesItself(t *testing.T) {
	t.Parallel()
	p := start(t)
	old, _ := p.create(t, func(d *tokens.Draft) { d.Permissions = []string{"webhooks:manage"} })
	res := p.send(t, old, http.MethodPost, "/api/v1/token/rotate", `{"grace_seconds":3600}`)
	a := read(t, res, http.StatusCreated)
	if a.Token.RotatedFrom != old.ID || a.Token.Secret == "" || a.Previous.ExpiresAt != "2026-11-20T15:03:52.000Z" ||
		strings.Contains(res.Body.String(), "created_by") {
		t.Errorf("%s", res.Body)
	}
	problem := wantProblem(t, p.send(t, old, http.MethodPost, "/api/v1/token/rotate", ""),
		http.StatusConflict, "token_rotated")
	if !strings.Contains(problem.Detail, string(a.Token.ID)) {
		t.Errorf("%+v does not name the successor", problem)
	}
}
