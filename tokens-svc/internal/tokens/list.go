package tokens

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// ExpiringWithin is how near its end a token is called expiring. A token that
// was rotated is, for as long as both work.
const ExpiringWithin = MaxGrace

// Filter selects tokens by their status at a time.
type Filter string

// The filters. An expiring token is active, too.
const (
	FilterAll      Filter = ""
	FilterActive   Filter = Filter(StatusActive)
	FilterExpiring Filter = "expiring" // ends within ExpiringWithin
	FilterExpired  Filter = Filter(StatusExpired)
	FilterRevoked  Filter = Filter(StatusRevoked)
)

// filters are those that have a name.
var filters = []Filter{FilterActive, FilterExpiring, FilterExpired, FilterRevoked}

// ParseFilter reads a filter; "" and "all" let every token through.
func ParseFilter(text string) (Filter, error) {
	if f := Filter(text); text == "" || slices.Contains(filters, f) {
		return f, nil
	}
	if text == "all" {
		return FilterAll, nil
	}
	return "", fmt.Errorf("must be one of %s", join(filters, ", "))
}

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
	Text        string      // in the name or the public part of the token; "": any
	Sort        Sort
	Page        Page
}

// Tokens returns a page of org's tokens, in the order asked for, and how many the query
// selects in all. It gives ErrNotFound when there is no such organization.
func (s *Service) Tokens(ctx context.Context, org OrgID, q Query) ([]Token, int, error) {
	if _, err := s.repo.Organization(ctx, org); err != nil {
		return nil, 0, fmt.Errorf("organization %s: %w", org, err)
	}
	return s.repo.Tokens(ctx, org, q, s.Now())
}

// IDs returns the tokens' ids, in their order.
func IDs(all []Token) []TokenID {
	ids := make([]TokenID, len(all))
	for i, t := range all {
		ids[i] = t.ID
	}
	return ids
}

// Page is a part of a list. The zero Page is all of it.
type Page struct {
	Number int // from 1
	Size   int // how many entries a page has
}

// Offset returns how many entries stand before the page.
func (p Page) Offset() int { return max(p.Number-1, 0) * p.Size }
