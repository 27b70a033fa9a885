package tokens

import (
	"context"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// ExpiringWithin is how near its end a token is called expiring. A token that was rotated is, for as long as both work.
const ExpiringWithin = MaxGrace

// Filter selects tokens by their status at a time.
type Filter string

// The filters. An expiring token is active, too.
const (
	FilterAll      Filter = "all"
	FilterActive   Filter = Filter(StatusActive)
	FilterExpiring Filter = "expiring" // ends within ExpiringWithin
	FilterExpired  Filter = Filter(StatusExpired)
	FilterRevoked  Filter = Filter(StatusRevoked)
)

// Filters are all of them.
var Filters = []Filter{FilterActive, FilterExpiring, FilterExpired, FilterRevoked, FilterAll}

// Expiring reports whether t is active and ends within ExpiringWithin.
func (t Token) Expiring(now time.Time) bool {
	return t.Status(now) == StatusActive && !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(now.Add(ExpiringWithin))
}

// Sort is an order of tokens.
type Sort string

// The orders. A token that never expires, or was never used, comes last.
const (
	ByCreation Sort = ""        // the newest first
	ByName     Sort = "name"    // in any case
	ByLastUse  Sort = "used"    // the latest first
	ByExpiry   Sort = "expires" // the first to expire first
)

// Query selects tokens.
type Query struct {
	Filter      Filter
	Environment Environment // "": both
	Text        string      // words in the name or the public part of the token; "": any
	Sort        Sort
	Page        Page
}

// Tokens returns a page of org's tokens, in the order asked for, and how many the query selects in all.
func (s *Service) Tokens(ctx context.Context, org OrgID, q Query) ([]Token, int, error) {
	return s.repo.Tokens(ctx, org, q, s.Now())
}

// Page is a part of a list. The zero Page is all of it.
type Page struct {
	Number int // from 1
	Size   int // how many entries a page has
}

// Offset returns how many entries stand before the page.
func (p Page) Offset() int { return max(p.Number-1, 0) * p.Size }

// AuditQuery selects events of an organization's audit log. Its zero fields select all.
type AuditQuery struct {
	Text   string // words in action, actor, target or details, in any case
	Actor  string // in the actor's name, in any case
	Action audit.Action
	From   time.Time
	Before time.Time
	// After selects events behind the one of this number, oldest first. How many follow in all is without the others.
	After *int64
}

// AuditWindow is how many events a query reads at most: the newest of its time or, with After, those that follow.
const AuditWindow = 20_000

// AuditPage is a page of events.
type AuditPage struct {
	Events []audit.Event
	Total  int       // how many the query selects or, with After, how many follow in all
	Older  time.Time // of the newest event of the query's time that was not searched; zero: all were
}

// AuditEvents returns a page of the selected events of the organization's audit log, newest first unless the query has
// After, both within AuditWindow unless the query is zero. It gives ErrNotFound when there is no such organization, and
// ErrForbidden.
func (s *Service) AuditEvents(
	ctx context.Context, principal Principal, org OrgID, q AuditQuery, p Page,
) (AuditPage, error) {
	if !principal.Audit {
		return AuditPage{}, principal.refuse("read the audit log")
	}
	return s.repo.AuditEvents(ctx, org, q, p)
}
