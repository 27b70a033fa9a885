package web

import (
	"context"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// perPage is how many entries a list shows at a time.
const perPage = 50

// pageOf reads the number of the requested page.
func pageOf(v *visit) tokens.Page { return tokens.Page{Number: pages.Number(v.Form), Size: perPage} }

// pagesOf returns the way around a list of so many entries.
func pagesOf(v *visit, p tokens.Page, total int) pages.Pager {
	return pages.Around(v.URL, p.Number, p.Size, total)
}

// filter is one choice above the list of tokens.
type filter struct {
	ID    tokens.Filter // "show=" in the address
	Label string
	Empty string // shown if the list is empty
}

var filters = []filter{
	{tokens.FilterActive, "Active", "No active tokens."},
	{tokens.FilterExpiring, "Expiring", "No tokens expire within 7 days."},
	{tokens.FilterExpired, "Expired", "No expired tokens."},
	{tokens.FilterRevoked, "Revoked", "No revoked tokens."},
	{tokens.FilterAll, "All", "No tokens."},
}

// tokenEntry is a token on pages.
type tokenEntry struct {
	tokens.Token
	State      state
	Usage      tokens.Use
	Recent     usage // on the token's own page
	Changeable bool  // whether this person may edit and rotate it, and whether it makes sense
	Revocable  bool

	// Of a new token, on the one page that holds its text.
	Secret   string
	Previous tokens.Token // zero, or whose place it takes
	BaseURL  string
}

func (s *site) entry(v *visit, t tokens.Token, u tokens.Use) tokenEntry {
	now := s.Tokens.Now()
	may := v.principal().MayChange(t) && t.Status(now) == tokens.StatusActive
	return tokenEntry{Token: t, State: stateOf(t, now), Usage: u, Changeable: may && t.RotatedTo == "", Revocable: may}
}

// entries returns a page of the tokens that a query selects, and how many there are.
func (s *site) entries(ctx context.Context, v *visit, q tokens.Query) (rows []tokenEntry, total int, err error) {
	all, total, err := s.Tokens.Tokens(ctx, v.org(), q)
	if err != nil {
		return nil, 0, err
	}
	used, err := s.Tokens.Usage(ctx, v.org(), all...)
	for _, t := range all {
		rows = append(rows, s.entry(v, t, used[t.ID]))
	}
	return rows, total, err
}

// sortOption is one order of the list of tokens.
type sortOption struct {
	ID   tokens.Sort // "sort=" in the address
	Name string
}

var sortOptions = []sortOption{
	{tokens.ByCreation, "Newest first"},
	{tokens.ByName, "Name"},
	{tokens.ByLastUse, "Last used first"},
	{tokens.ByExpiry, "Expiring first"},
}

// tokenList is the page Settings › API.
type tokenList struct {
	Rows    []tokenEntry
	Filters []filter
	Picked  filter
	Text    string // that was searched
	Sorts   []sortOption
	Sort    tokens.Sort
	First   bool // there is no token at all yet
	Pages   pages.Pager
}

func (s *site) toAPI(_ context.Context, v *visit) (answer, error) {
	return redirect(v.path("/api")), nil
}

func (s *site) listTokens(ctx context.Context, v *visit) (answer, error) {
	list := tokenList{
		Filters: filters, Picked: filters[0], Sorts: sortOptions,
		Text: tokens.Scrub(strings.TrimSpace(v.Form.Get("q"))),
	}
	if i := slices.IndexFunc(filters, func(f filter) bool { return v.Form.Get("show") == string(f.ID) }); i >= 0 {
		list.Picked = filters[i]
	}
	if i := slices.IndexFunc(sortOptions, func(o sortOption) bool { return v.Form.Get("sort") == string(o.ID) }); i >= 0 {
		list.Sort = sortOptions[i].ID
	}
	query := tokens.Query{Filter: list.Picked.ID, Text: list.Text, Sort: list.Sort, Page: pageOf(v)}
	rows, total, err := s.entries(ctx, v, query)
	if err == nil && total == 0 {
		var all int
		_, all, err = s.Tokens.Tokens(ctx, v.org(), tokens.Query{Page: tokens.Page{Number: 1, Size: 1}})
		list.First = all == 0
	}
	if err != nil {
		return answer{}, err
	}
	list.Rows, list.Pages = rows, pagesOf(v, query.Page, total)
	return page("tokens", "API tokens", list), nil
}
