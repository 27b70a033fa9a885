package shipments

import (
	"context"
	"time"
)

// Overview is what the people of an organization look at first.
type Overview struct {
	Counts       map[Status]int64      `json:"counts"` // of shipments; under the empty status of all
	Newest       map[Status][]Shipment `json:"newest"` // of those that are not decided
	Failing      []Shipment            `json:"failing"`
	FailingCount int                   `json:"failing_count"` // that wait for a review; at most MaxFailing
	Weeks        []Week                `json:"weeks"`         // the last twelve, which begin on Mondays
	Latest       []Deed                `json:"latest"`        // what people did, the latest first
}

// Week is how many shipments were decided on within a week.
type Week struct {
	Begin    time.Time `json:"begin"`
	Approved int64     `json:"approved"`
	Rejected int64     `json:"rejected"`
}

// Deed is a change of a shipment by a person.
type Deed struct {
	At        time.Time `json:"at"`
	By        Actor     `json:"by"`
	Action    Action    `json:"action"`
	ID        ID        `json:"id"`
	Reference string    `json:"reference"`
}

const (
	// MaxFailing is up to which number the shipments whose checks fail are counted.
	MaxFailing = 1_000
	// newestShown is how many of each an Overview has.
	newestShown = 6
)

// Overview returns the overview of the organization.
func (s *Service) Overview(ctx context.Context, org OrgID) (Overview, error) {
	today := s.now().UTC().Truncate(24 * time.Hour)
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	return s.repo.Overview(ctx, org, monday.AddDate(0, 0, -7*11), newestShown)
}
