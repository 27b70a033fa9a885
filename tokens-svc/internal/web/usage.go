package web

import (
	"context"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// usage is the requests of a token, or of all of an organization's, as pages show them.
type usage struct {
	Days   bool // of 30 days and not of 24 hours
	Chart  pages.Chart
	Errors []tokens.Failure // of a token
	Tokens []tokenEntry     // of an organization: those that were used last
}

// usage returns that of a token, or with "" of all.
func (s *site) usage(ctx context.Context, v *visit, id tokens.TokenID) (u usage, err error) {
	u.Days = v.Form.Get("span") == "30d"
	u.Chart = pages.Chart{Caption: "Requests in 24 hours, by hour (UTC)", Heading: "From", Series: []string{
		"Succeeded", "401 Unauthorized", "403 Forbidden", "429 Too many requests", "Other 4xx", "5xx",
	}}
	step, n, layout := time.Hour, 24, "15:04"
	if u.Days {
		u.Chart.Caption = "Requests in 30 days, by day (UTC)"
		step, n, layout = day, 30, "2 Jan"
	}
	begin := s.Tokens.Now().UTC().Truncate(step).Add(-time.Duration(n-1) * step)
	for i := range n {
		at := begin.Add(time.Duration(i) * step)
		u.Chart.Columns = append(u.Chart.Columns, pages.Column{Label: at.Format(layout), Values: make([]int64, 6)})
	}
	var hours []tokens.Hour
	hours, u.Errors, err = s.Tokens.History(ctx, v.org(), id, begin)
	for _, h := range hours {
		values := u.Chart.Columns[min(int(h.Hour.Sub(begin)/step), n-1)].Values
		for i, n := range []int64{
			h.Requests - h.Rejected - h.Failed, h.Unauthorized, h.Forbidden, h.Limited, h.Rejected, h.Failed,
		} {
			values[i] += n
		}
	}
	return u, err
}

// showUsage shows the requests of all tokens of the organization.
func (s *site) showUsage(ctx context.Context, v *visit) (answer, error) {
	u, err := s.usage(ctx, v, "")
	if err != nil {
		return answer{}, err
	}
	last := tokens.Query{Filter: tokens.FilterAll, Sort: tokens.ByLastUse, Page: tokens.Page{Number: 1, Size: perPage}}
	u.Tokens, _, err = s.entries(ctx, v, last)
	return page("usage", "Usage", u), err
}

func (s *site) showToken(ctx context.Context, v *visit) (answer, error) {
	row, err := s.find(ctx, v)
	if err == nil {
		row.Recent, err = s.usage(ctx, v, row.ID)
	}
	return page("token", row.Name, row), err
}
