package transport_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// manager is a token that manages tokens.
type manager struct {
	*program
	token tokens.Token
}

// manage returns a program and a token with the permission admin.
func manage(tb testing.TB) manager {
	tb.Helper()
	p := start(tb)
	token, _ := p.create(tb, func(d *tokens.Draft) {
		d.Name, d.Permissions, d.ExpiresAt = "Terraform", []string{"admin"}, time.Time{}
	})
	return manager{p, token}
}

// send makes a request of a token of org, with a JSON body if there is one; change may alter it.
func (p *program) send(
	tb testing.TB, token tokens.Token, method, path, body string, change ...func(*http.Request),
) *httptest.ResponseRecorder {
	tb.Helper()
	return p.ask(tb, method, path, token.Partition(), token.ID, func(r *http.Request) {
		var held []string
		for _, permission := range p.service.Permissions().Expand(token.Permissions) {
			held = append(held, string(permission))
		}
		r.Header.Set("X-Token-Permissions", strings.Join(held, " "))
		r.Header.Set("X-Client-Address", "192.0.2.7")
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
		for _, alter := range change {
			alter(r)
		}
	})
}

func (m manager) do(tb testing.TB, method, path, body string) *httptest.ResponseRecorder {
	tb.Helper()
	return m.send(tb, m.token, method, path, body)
}

// shown is what tests look at in an answer.
type shown struct {
	ID          tokens.TokenID `json:"id"`
	Name        string         `json:"name"`
	Status      string         `json:"status"`
	Environment string         `json:"environment"`
	Permissions []string       `json:"permissions"`
	Effective   []string       `json:"effective_permissions"`
	Owner       string         `json:"owner"`
	CreatedBy   struct {
		Kind, ID, Name string
	} `json:"created_by"`
	ExpiresAt     string         `json:"expires_at"`
	RevokedReason string         `json:"revoked_reason"`
	RotatedFrom   tokens.TokenID `json:"rotated_from"`
	RotatedTo     tokens.TokenID `json:"rotated_to"`
	RateLimit     struct {
		Limit         int `json:"limit"`
		WindowSeconds int `json:"window_seconds"`
	} `json:"rate_limit"`
	IPAllow []string `json:"ip_allow"`
	Usage   *struct {
		LastUsedFrom string `json:"last_used_from"`
		Requests     int    `json:"requests_24h"`
		Refused      int    `json:"refused_24h"`
	} `json:"usage"`
	Secret string `json:"secret"`
}

// answered is every answer of the management API.
type answered struct {
	Token    shown   `json:"token"`
	Previous shown   `json:"previous"`
	Tokens   []shown `json:"tokens"`
	Events   []struct {
		Sequence int `json:"sequence"`
		Action   string
		Target   string
		Actor    struct {
			Kind, ID, Name, Address string
			RequestID               string `json:"request_id"`
		}
		Details map[string]string
	} `json:"audit_events"`
	Meta struct {
		Page    int `json:"page"`
		PerPage int `json:"per_page"`
		Total   int `json:"total"`
	} `json:"meta"`
}

// read checks an answer's status and what every JSON answer has.
func read(tb testing.TB, res *httptest.ResponseRecorder, status int) answered {
	tb.Helper()
	var a answered
	if err := json.Unmarshal(res.Body.Bytes(), &a); res.Code != status || err != nil {
		tb.Fatalf("%d %s (%v), want %d", res.Code, res.Body, err, status)
	}
	for name, want := range map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store"} {
		if got := res.Header().Get(name); got != want {
			tb.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	return a
}
