package wire

import (
	"encoding/json"
	"net/netip"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestTimesHaveMillisecondsAndAreUTC(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]time.Time{
		`"2026-11-20T14:03:52.123Z"`: time.Date(2026, 11, 20, 15, 3, 52, 123456789, time.FixedZone("", 3600)),
		`"2026-11-20T14:03:52.000Z"`: time.Date(2026, 11, 20, 14, 3, 52, 0, time.UTC),
	} {
		if got, err := json.Marshal(Time(at)); err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

func TestAnEndedTokenShowsHowItEnded(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 14, 3, 52, 123e6, time.UTC)
	token := tokens.Token{
		ID: "tok_000000000001", Name: "ERP", Organization: tokens.Organization{ID: "org_1", Name: "Acme", CreatedAt: at},
		Environment: tokens.Live, Permissions: []tokens.Permission{"documents:write"},
		IPAllow:   []netip.Prefix{netip.MustParsePrefix("2001:db8::/32")},
		RateLimit: tokens.DefaultRateLimit, CreatedAt: at, RevokedAt: at.Add(time.Hour), RevokedReason: "lost", Revision: 7,
		CreatedBy:   audit.Actor{Kind: audit.User, ID: "usr_1", Name: "anna@acme.example"},
		RotatedFrom: "tok_000000000000", RotatedTo: "tok_000000000002",
	}
	const want = `{"id":"tok_000000000001","name":"ERP","organization":{"id":"org_1","name":"Acme"},` +
		`"environment":"live",` +
		`"permissions":["documents:read","documents:write"],` +
		`"effective_permissions":["documents:read","documents:write"],"owner":"organization","status":"revoked",` +
		`"created_at":"2026-11-20T14:03:52.123Z",` +
		`"created_by":{"kind":"user","id":"usr_1","name":"anna@acme.example"},` +
		`"revoked_at":"2026-11-20T15:03:52.123Z","revoked_reason":"lost",` +
		`"rotated_from":"tok_000000000000","rotated_to":"tok_000000000002","rate_limit":{"limit":100,"window_seconds":60},` +
		`"ip_allow":["2001:db8::/32"]}`
	if got, err := json.Marshal(NewToken(tokens.NewService(nil, tokens.Config{Now: func() time.Time { return at }}),
		token)); err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}

func TestUsageIsShownAsItIsKnown(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 14, 3, 52, 123e6, time.UTC)
	for want, u := range map[string]tokens.Usage{
		`{"requests_24h":0,"refused_24h":0}`: {},
		`{"last_used_at":"2026-11-20T14:03:52.123Z","last_used_from":"2001:db8::1","requests_24h":5,"refused_24h":1}`: {
			LastUsedAt: at, LastUsedFrom: netip.MustParseAddr("2001:db8::1"),
			Hours: []tokens.Hour{{Requests: 2, Refused: 1}, {Requests: 3}},
		},
	} {
		if got, err := json.Marshal(NewUsage(u)); err != nil || string(got) != want {
			t.Errorf("%s, %v\nwant %s", got, err, want)
		}
	}
}
