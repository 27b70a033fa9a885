package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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

// TestIdentityHeadersMatchTheContract: what the gateway sends is understood.
func TestIdentityHeadersMatchTheContract(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.plant(t, parsed(t, "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"), 1,
		tokens.Token{Permissions: []tokens.Permission{"shipments:write"}})
	content, err := os.ReadFile("../../../testdata/contract/identity.json")
	if err != nil {
		t.Fatal(err)
	}
	var headers map[string]string
	if err := json.Unmarshal(content, &headers); err != nil {
		t.Fatal(err)
	}
	res := p.ask(t, http.MethodGet, "/api/v1/token", "", "", func(r *http.Request) {
		for name, value := range headers {
			r.Header.Set(name, value)
		}
	})
	if text := res.Body.String(); res.Code != http.StatusOK || !strings.Contains(text, headers["X-Token-ID"]) {
		t.Errorf("%d %s", res.Code, text)
	}
	if !strings.Contains(p.log.String(), headers["X-Request-ID"]) {
		t.Error("the request's id is not in the log")
	}
}
