package transport_test

import (
	"context"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// emptyService has no shipments.
type emptyService struct{}

func (emptyService) List(_ context.Context, _ shipments.OrgID, q shipments.Query) (shipments.Page, error) {
	return shipments.Page{Page: max(q.Page, 1), PerPage: min(max(q.PerPage, 1), shipments.MaxPerPage)}, nil
}

func (emptyService) Get(context.Context, shipments.OrgID, shipments.ID) (shipments.Detail, error) {
	return shipments.Detail{}, shipments.ErrNotFound
}

func (emptyService) Create(_ context.Context, _ shipments.OrgID, d shipments.Draft) (shipments.Shipment, error) {
	if f := d.Faults(); f != nil {
		return shipments.Shipment{}, &shipments.Invalid{Faults: f}
	}
	return shipments.Shipment{Draft: d, Status: shipments.Pending}, nil
}

// detailService has one shipment.
type detailService struct {
	emptyService
	detail shipments.Detail
}

func (s detailService) Get(context.Context, shipments.OrgID, shipments.ID) (shipments.Detail, error) {
	return s.detail, nil
}

// failingService lists by calling a function.
type failingService struct {
	emptyService
	list func(context.Context) error
}

func (s failingService) List(ctx context.Context, _ shipments.OrgID, _ shipments.Query) (shipments.Page, error) {
	return shipments.Page{PerPage: 1}, s.list(ctx)
}
