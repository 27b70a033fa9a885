package web

import (
	"context"
	"slices"
	"strconv"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// overviewPage is the data of the first page.
type overviewPage struct {
	Ways   []pages.Link
	Panels []panel
	Chart  pages.Chart
	Latest []shipments.Deed
	Me     string // the id of the person, in Latest
	Create bool   // the person may
	Empty  bool   // the organization has no shipments at all
}

// panel is what waits for something: how many shipments, and the newest few.
type panel struct {
	ID, Title, Count, To string
	Nothing              string // where there are none
	Rows                 []row
}

// overview shows what needs the person now. Addresses of lists from before it was the first page lead to the list.
func (s *site) overview(ctx context.Context, v *visit) (answer, error) {
	for _, name := range append([]string{"status", "page"}, filterNames...) {
		if v.URL.Query().Has(name) {
			return redirect(v.list()+"?"+v.URL.RawQuery, ""), nil
		}
	}
	found, err := s.Service.Overview(ctx, v.org)
	if err != nil {
		return answer{}, err
	}
	p := overviewPage{
		Ways: v.ways(), Chart: weekly(found.Weeks), Create: v.may("POST /api/v1/shipments"), Empty: found.Counts[""] == 0,
		Latest: found.Latest, Me: v.person.Actor(),
	}
	failing := list.Figure(found.FailingCount)
	if found.FailingCount == shipments.MaxFailing {
		failing += "+"
	}
	of := func(status shipments.Status, title, nothing string) panel {
		return panel{
			ID: string(status), Title: title, Count: list.Figure(int(found.Counts[status])), Nothing: nothing,
			To: v.list() + "?status=" + string(status),
		}
	}
	lists := [][]shipments.Shipment{
		found.Newest[shipments.ReadyForReview], found.Failing, found.Newest[shipments.Pending],
		found.Newest[shipments.Processing],
	}
	p.Panels = []panel{
		of(shipments.ReadyForReview, "Ready for review", "No shipment waits for a review."),
		{
			ID: "failing", Title: "Failing checks", Count: failing, Nothing: "No check fails.",
			To: v.list() + "?check_result=fail&status=" + string(shipments.ReadyForReview),
		},
		of(shipments.Pending, "Waiting for documents", "Every shipment has its documents."),
		of(shipments.Processing, "Being read", "No document is being read."),
	}
	rows, err := s.rows(ctx, v, slices.Concat(lists...))
	if err != nil {
		return answer{}, err
	}
	for i, some := range lists {
		p.Panels[i].Rows, rows = rows[:len(some)], rows[len(some):]
	}
	return page("overview", "Overview", p), nil
}

// ways lead to the overview and the list.
func (v *visit) ways() []pages.Link {
	return []pages.Link{
		{Text: "Overview", To: v.path(), Current: v.URL.Path == v.path()},
		{Text: "All shipments", To: v.list(), Current: v.URL.Path == v.list()},
	}
}

// weekly is the chart of decisions.
func weekly(weeks []shipments.Week) pages.Chart {
	c := pages.Chart{
		Caption: "Decisions in " + strconv.Itoa(len(weeks)) + " weeks", Heading: "Week from",
		Series: []string{"Approved", "Rejected"},
	}
	for _, w := range weeks {
		c.Columns = append(c.Columns, pages.Column{
			Label: w.Begin.UTC().Format("2 Jan"), Values: []int64{w.Approved, w.Rejected},
		})
	}
	return c
}
