package web

import (
	"context"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// activityPage shows what happened to deleted shipments and to webhook endpoints.
type activityPage struct {
	Rows  []activityRow
	Pages pages.Pager
}

type activityRow struct {
	shipments.Activity
	ID string
}

func (s *site) activity(ctx context.Context, v *visit) (answer, error) {
	at := pages.Number(v.URL.Query())
	found, err := s.Service.Activity(ctx, v.org, int64(at), perPage)
	p := activityPage{Pages: pages.Around(v.URL, at, perPage, int(found.Total))}
	for _, one := range found.Elements {
		row := activityRow{one, transport.WebhookIDs.Format(webhooks.ID(one.Subject))}
		if one.Action == shipments.DeleteShipment {
			row.ID = transport.ShipmentIDs.Format(shipments.ID(one.Subject))
		}
		p.Rows = append(p.Rows, row)
	}
	return page("activity", "Activity", p), err
}
