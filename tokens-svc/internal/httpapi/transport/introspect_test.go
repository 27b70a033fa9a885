package transport_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestInvalidTokensReturnExactlyInactive(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, good := p.create(t, nil)
	text := good.Reveal()
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, c := range map[string]struct {
		form   string
		change func(*http.Request)
	}{
		"empty":                   {"token=", nil},
		"text":                    {"token=hello", nil},
		"of 4096 bytes":           {"token=" + strings.Repeat("x", 4096-len("token=")), nil},
		"unknown":                 {known, nil},
		"unknown, with a hint":    {known + "&token_type_hint=access_token", nil},
		"not UTF-8":               {"token=%ff%00", nil},
		"of another environment?": {"token=" + strings.Replace(text, "_live_", "_test_", 1), nil},
		"with a charset": {
			"token=x", header("Content-Type", "Application/X-WWW-Form-URLEncoded; charset=utf-8"),
		},
		"with the older credential":   {"token=x", header("Authorization", "Bearer "+olderCredential)},
		"with a scheme in lower case": {"token=x", header("Authorization", "bearer  "+gatewayCredential)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantBody(t, p.introspect(t, c.form, c.change), `{"active":false}`)
		})
	}
}

// TestIntrospectionRefuses without asking for the token: what is no form with one, what has no good credential, also of
// requests that are wrong besides, and other methods, because RFC 7662 wants tokens kept out of addresses.
func TestIntrospectionRefuses(t *testing.T) {
	t.Parallel()
	set := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	method := func(name string) func(*http.Request) { return func(r *http.Request) { r.Method = name } }
	path := func(text string) func(*http.Request) { return func(r *http.Request) { r.URL.Path = text } }
	const bearer = "Bearer " + gatewayCredential
	for name, c := range map[string]struct {
		form, want string // the status and the code
		change     func(*http.Request)
	}{
		"nothing":       {"", "400 invalid_request", nil},
		"another name":  {"access_token=shpt_x", "400 invalid_request", nil},
		"twice":         {"token=a&token=b", "400 invalid_request", nil},
		"broken escape": {"token=shpt_live_%zz", "400 invalid_request", nil},
		"semicolon":     {"token=a;b", "400 invalid_request", nil},
		"in the query":  {"", "400 invalid_request", func(r *http.Request) { r.URL.RawQuery = "token=shpt_x" }},
		"cut short": {"", "400 invalid_request", func(r *http.Request) {
			r.Body = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))
		}},
		"no credential":  {"token=x", "401 invalid_credential", set("Authorization")},
		"an empty one":   {"token=x", "401 invalid_credential", set("Authorization", "Bearer ")},
		"another one":    {"token=x", "401 invalid_credential", set("Authorization", bearer+"x")},
		"cut off":        {"token=x", "401 invalid_credential", set("Authorization", bearer[:20])},
		"the whole list": {"token=x", "401 invalid_credential", set("Authorization", bearer+","+olderCredential)},
		"another scheme": {"token=x", "401 invalid_credential", set("Authorization", "Basic "+gatewayCredential)},
		"no scheme":      {"token=x", "401 invalid_credential", set("Authorization", gatewayCredential)},
		"two":            {"token=x", "401 invalid_credential", set("Authorization", bearer, bearer)},
		"and no form":    {"", "401 invalid_credential", set("Authorization")},
		"GET":            {"token=x", "405 method_not_allowed", method(http.MethodGet)},
		"no operation":   {"token=x", "404 not_found", path("/internal/")},
		"4097 bytes":     {"token=" + strings.Repeat("x", 4091), "413 body_too_large", nil},
		"no media type":  {"token=x", "415 unsupported_media_type", set("Content-Type", "")},
		"JSON":           {"token=x", "415 unsupported_media_type", set("Content-Type", "application/json")},
		"text":           {"token=x", "415 unsupported_media_type", set("Content-Type", "text/plain")},
		"multipart":      {"token=x", "415 unsupported_media_type", set("Content-Type", "multipart/form-data")},
		"a broken parameter": {
			"token=x", "415 unsupported_media_type", set("Content-Type", "application/x-www-form-urlencoded;;"),
		},
	} {
		p := with(t, failing(errors.New("must not be asked")))
		res := p.introspect(t, c.form, c.change)
		status, _ := strconv.Atoi(c.want[:3])
		if problem := wantProblem(t, res, status, c.want[4:]); strings.Contains(problem.Detail, "shpt") {
			t.Errorf("%s: the problem repeats the form: %s", name, problem.Detail)
		}
		challenge, allow := res.Header().Get("WWW-Authenticate"), res.Header().Get("Allow")
		if (challenge == `Bearer realm="gateways"`) != (status == 401) || (allow == http.MethodPost) != (status == 405) ||
			status == 401 && res.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", name, res.Header())
		}
		if n := p.logged(t, "WARN", "request without a valid gateway credential"); (n == 1) != (status == 401) {
			t.Errorf("%s: %d lines of the log are about the credential", name, n)
		}
	}
}

// introspected is the response of an introspection.
type introspected struct {
	Active         bool
	Scope          string
	OrganizationID tokens.OrgID `json:"organization_id"`
	Environment    string
	Revision       int64 `json:"rev"`
}

func (p *program) introspected(t *testing.T, s tokens.Secret) (found introspected) {
	t.Helper()
	if err := json.Unmarshal(p.introspect(t, formOf(s), nil).Body.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestIntrospectionResponsesMatchTheContract makes the tokens that the contract
// speaks of and compares the answers with its text, order of members included.
func TestIntrospectionResponsesMatchTheContract(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.now = time.Unix(1795255432, 0).UTC()
	expires := time.Unix(1803031432, 0).UTC()
	ending := parsed(t, "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19")
	lasting := parsed(t, "shpt_live_000000000001_0000000000000000000000000000000027i4HK")
	p.plant(t, lasting, 3, tokens.Token{Permissions: []tokens.Permission{"shipments:read"}})
	p.plant(t, ending, 812, tokens.Token{
		Permissions: []tokens.Permission{"shipments:write"},
		IPAllow:     []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")},
		ExpiresAt:   expires,
	})

	p.answersAs(t, "active", formOf(ending))
	p.answersAs(t, "active_never_expiring", formOf(lasting))
	successor := parsed(t, "shpt_test_zzzzzzzzzzzz_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz2AqDwp")
	p.plant(t, successor, 813, tokens.Token{Permissions: []tokens.Permission{"shipments:read"}})
	exec(t, p.dsn, `UPDATE api_tokens SET rotated_to = $1, expires_at = to_timestamp(1795341832), rev = 814 WHERE id = $2`,
		successor.ID(), lasting.ID())
	p.answersAs(t, "active_rotated", formOf(lasting))
	exec(t, p.dsn, `UPDATE api_tokens SET rotated_to = NULL, expires_at = NULL WHERE id = $1`, lasting.ID())

	p.answersAs(t, "inactive", "token=nonsense")
	p.now = expires
	p.answersAs(t, "inactive_expired", formOf(ending))
	p.revoke(t, lasting.ID())
	p.answersAs(t, "inactive_revoked", formOf(lasting))
}

func (p *program) answersAs(t *testing.T, name, form string) {
	t.Helper()
	content, err := os.ReadFile("../../../testdata/contract/introspection.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract map[string]json.RawMessage
	if err := json.Unmarshal(content, &contract); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, contract[name]); err != nil {
		t.Fatal(err)
	}
	wantBody(t, p.introspect(t, form, nil), want.String())
}

func parsed(t *testing.T, text string) tokens.Secret {
	t.Helper()
	s, err := tokens.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plant stores a token whose text is known, at a revision of choice.
func (p *program) plant(t *testing.T, s tokens.Secret, revision int64, token tokens.Token) {
	t.Helper()
	exec(t, p.dsn, `UPDATE revision SET value = $1`, revision-1)
	token.ID, token.Lineage, token.Name, token.Environment = s.ID(), s.ID(), "planted", tokens.Live
	token.RateLimit, token.CreatedAt, token.CreatedBy = tokens.DefaultRateLimit, p.now, audit.CommandLine
	pool, err := postgres.Open(p.dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	err = postgres.NewRepository(pool).Change(t.Context(), org, func(tx tokens.Tx) error {
		got, err := tx.Insert(t.Context(), token, pepper(t).Seal(s))
		if err == nil && got != revision {
			err = fmt.Errorf("revision %d", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
