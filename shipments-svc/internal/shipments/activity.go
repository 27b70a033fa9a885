package shipments

import (
	"context"
	"time"
)

// Activity is a change of a thing that has no history of its own, or none any more: who did what, when.
type Activity struct {
	At      time.Time      `json:"at"`
	By      Actor          `json:"by"`
	Action  Action         `json:"action"`
	Subject UUID[Activity] `json:"subject"` // the shipment, or the webhook endpoint
	Name    string         `json:"name"`    // its reference, or its host
}

// DeleteShipment is Delete among the activity of an organization. Those of webhook endpoints are the other actions.
const DeleteShipment Action = "delete_shipment"

// Activity returns one page of the activity of an organization, the latest first.
func (s *Service) Activity(ctx context.Context, org OrgID, number, perPage int64) (page Page[Activity], err error) {
	var offset int64
	page.Paging, offset = pagingOf(number, perPage, DefaultPerPage, MaxPerPage)
	page.Elements, page.Total, err = s.repo.Activity(ctx, org, offset, page.PerPage)
	return page, err
}
