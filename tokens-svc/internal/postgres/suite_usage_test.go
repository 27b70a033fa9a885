package postgres_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

var (
	firstAddress  = audit.Address{Addr: netip.MustParseAddr("192.0.2.1")}
	secondAddress = audit.Address{Addr: netip.MustParseAddr("2001:db8::7")}
)

func usageIsAddedUp(t *testing.T, repo *postgres.Repository) {
	token, _ := add(t, repo, 0)
	idle, _ := add(t, repo, 0)
	use := tokens.Use{Token: token.ID, Requests: 120, Refused: 3, LastUsedAt: atNoon, Address: firstAddress}
	later := tokens.Use{Token: token.ID, Requests: 1, LastUsedAt: atNoon.Add(2 * time.Hour), Address: secondAddress}
	stranger := tokens.Use{Token: "tok_zzzzzzzzzzzz", Requests: 7, LastUsedAt: atNoon}
	gives(t, repo.AddUsage(t.Context(), []tokens.Use{use, later, stranger}), nil)
	gives(t, repo.AddUsage(t.Context(), []tokens.Use{later, stranger, use}), nil)
	earlier := tokens.Use{
		Token: token.ID, Requests: 8, LastUsedAt: later.LastUsedAt.Add(-time.Second), Address: firstAddress,
	}
	none := tokens.Use{Token: token.ID, LastUsedAt: earlier.LastUsedAt}
	gives(t, repo.AddUsage(t.Context(), []tokens.Use{none, earlier, none}), nil) // one hour of a token several times
	later.Requests, later.Refused = 250, 6
	ids := []tokens.TokenID{token.ID, idle.ID, stranger.Token}
	wantUsage(t, repo, ids, atNoon.Truncate(time.Hour), later)
	later.Requests, later.Refused = 10, 0
	wantUsage(t, repo, ids, atNoon.Add(time.Hour).Truncate(time.Hour), later)
	later.Requests = 0
	wantUsage(t, repo, ids, atNoon.Add(24*time.Hour), later)
	gives(t, repo.AddUsage(t.Context(), nil), nil)
}

func usageNeverMovesBack(t *testing.T, repo *postgres.Repository) {
	token, _ := add(t, repo, 0)
	newer := tokens.Use{Token: token.ID, Requests: 1, LastUsedAt: atNoon.Add(time.Minute), Address: secondAddress}
	older := tokens.Use{Token: token.ID, Requests: 2, LastUsedAt: atNoon, Address: firstAddress}
	nowhere := tokens.Use{Token: token.ID, Refused: 4, LastUsedAt: atNoon.Add(2 * time.Minute)}
	for _, u := range []tokens.Use{newer, older} {
		gives(t, repo.AddUsage(t.Context(), []tokens.Use{u}), nil)
	}
	newer.Requests = 3
	wantUsage(t, repo, []tokens.TokenID{token.ID}, atNoon.Truncate(time.Hour), newer)
	gives(t, repo.AddUsage(t.Context(), []tokens.Use{nowhere}), nil)
	nowhere.Requests = 3
	wantUsage(t, repo, []tokens.TokenID{token.ID}, atNoon.Truncate(time.Hour), nowhere)
}

func usageIsPrivate(t *testing.T, repo *postgres.Repository) {
	token, _ := add(t, repo, 0)
	gives(t, repo.AddUsage(t.Context(), []tokens.Use{{
		Token: token.ID, Requests: 1, LastUsedAt: atNoon, Errors: []tokens.Failure{{At: atNoon, Status: 404}},
	}}), nil)
	got, err := repo.Usage(t.Context(), otherOrg, []tokens.TokenID{token.ID}, atNoon)
	gives(t, err, nil)
	equal(t, got, []tokens.Use{})
	hours, errors, err := repo.History(t.Context(), otherOrg, token.ID, atNoon.Add(-time.Hour))
	gives(t, err, nil)
	if len(hours) != 0 || len(errors) != 0 {
		t.Errorf("%v, %v", hours, errors)
	}
}

// Hours have each result, of a token and of all. However many errors a token makes, its last ones are kept, and those
// of others.
func resultsAndErrorsAreKept(t *testing.T, repo *postgres.Repository) {
	busy, _ := add(t, repo, 0)
	calm, _ := add(t, repo, 0)
	failure := tokens.Failure{At: atNoon, Status: 404, RequestID: "req_calm", Request: "GET /api/v1/shipments/x"}
	at := atNoon.AddDate(1, 0, 0) // an hour of its own for the organization
	report := []tokens.Use{{
		Token: calm.ID, Requests: 8, Refused: 6, LastUsedAt: at, Results: [6]int64{1, 2, 3, 3, 4, 1},
		Errors: []tokens.Failure{failure},
	}, {Token: busy.ID, LastUsedAt: at}}
	for i := range 30 {
		gives(t, repo.AddUsage(t.Context(), report), nil)
		report = []tokens.Use{{Token: busy.ID, Requests: 1, LastUsedAt: at, Results: [6]int64{4: 1}}}
		for j := range 10 {
			last := tokens.Failure{At: atNoon.Add(time.Duration(10*i+j) * time.Second)}
			report[0].Errors = append(report[0].Errors, last)
		}
	}
	hour := tokens.Hour{
		Hour: at.Truncate(time.Hour), Requests: 8, Unauthorized: 1, Forbidden: 2, Limited: 3, Rejected: 4, Failed: 1,
	}
	got, errors, err := repo.History(t.Context(), someOrg, calm.ID, hour.Hour)
	gives(t, err, nil)
	equal(t, got, []tokens.Hour{hour})
	equal(t, errors, []tokens.Failure{failure})
	hour.Requests, hour.Rejected = 8+29, 4+29
	got, errors, err = repo.History(t.Context(), someOrg, "", hour.Hour)
	gives(t, err, nil)
	equal(t, got, []tokens.Hour{hour})
	equal(t, errors, []tokens.Failure{})
	_, errors, err = repo.History(t.Context(), someOrg, busy.ID, hour.Hour)
	gives(t, err, nil)
	if newest := errors[0].At; len(errors) != tokens.KeptErrors || !newest.Equal(atNoon.Add(289*time.Second)) {
		t.Errorf("%d errors: %+v", len(errors), errors)
	}
}

func reportsAllCount(t *testing.T, repo *postgres.Repository) {
	const gateways, n = 20, 40
	uses := make([]tokens.Use, n)
	for i := range uses {
		token, _ := add(t, repo, 0)
		uses[i] = tokens.Use{Token: token.ID, Requests: 1, LastUsedAt: atNoon}
	}
	s := tokens.NewService(repo, tokens.Config{Now: func() time.Time { return atNoon }})
	together(gateways, func(gateway int) {
		report := make([]tokens.Use, 0, n)
		for i := range uses { // each gateway begins elsewhere
			report = append(report, uses[(i+gateway*7)%n])
		}
		gives(t, s.RecordUsage(t.Context(), report), nil)
	})
	for _, u := range uses {
		u.Requests = gateways
		wantUsage(t, repo, []tokens.TokenID{u.Token}, atNoon.Truncate(time.Hour), u)
	}
}

func wantUsage(t *testing.T, repo *postgres.Repository, ids []tokens.TokenID, since time.Time, want ...tokens.Use) {
	t.Helper()
	got, err := repo.Usage(t.Context(), someOrg, ids, since)
	gives(t, err, nil)
	equal(t, got, want)
}
