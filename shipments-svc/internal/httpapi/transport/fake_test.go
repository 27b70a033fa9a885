package transport_test

import (
	"context"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// emptyService has no shipments.
type emptyService struct{}

func (emptyService) List(_ context.Context, _ shipments.OrgID, q shipments.Query) (shipments.Page, error) {
	return shipments.Page{
		Paging: shipments.Paging{Page: max(q.Page, 1), PerPage: min(max(q.PerPage, 1), shipments.MaxPerPage)},
	}, nil
}

func (emptyService) Get(context.Context, shipments.OrgID, shipments.GetQuery) (shipments.GetResult, error) {
	return shipments.GetResult{}, shipments.ErrNotFound
}

func (emptyService) Create(context.Context, shipments.OrgID, shipments.Creation) (shipments.Shipment, error) {
	return shipments.Shipment{}, shipments.ErrUnavailable
}

func (emptyService) Reprocess(context.Context, shipments.OrgID, shipments.DocumentOrder) (shipments.Document, error) {
	return shipments.Document{}, shipments.ErrNotFound
}

func (emptyService) CorrectMapping(context.Context, shipments.OrgID, shipments.Correction) (shipments.Document, error) {
	return shipments.Document{}, shipments.ErrNotFound
}

func (emptyService) Templates(context.Context, shipments.OrgID, struct{}) ([]shipments.Template, error) {
	return nil, nil
}

func (emptyService) UpdateTemplate(
	context.Context, shipments.OrgID, shipments.TemplateEdit,
) (shipments.Template, error) {
	return shipments.Template{}, shipments.ErrNoTemplate
}

func (emptyService) DeleteTemplate(context.Context, shipments.OrgID, shipments.TemplateID) (struct{}, error) {
	return struct{}{}, shipments.ErrNoTemplate
}

func (emptyService) File(context.Context, shipments.OrgID, shipments.DocumentQuery) (shipments.StoredFile, error) {
	return shipments.StoredFile{}, shipments.ErrNotFound
}

func (emptyService) Update(context.Context, shipments.OrgID, shipments.Edit) (shipments.Shipment, error) {
	return shipments.Shipment{}, shipments.ErrNotFound
}

func (emptyService) Delete(context.Context, shipments.OrgID, shipments.Order) (struct{}, error) {
	return struct{}{}, shipments.ErrNotFound
}

func (emptyService) Approve(context.Context, shipments.OrgID, shipments.Approval) (shipments.Shipment, error) {
	return shipments.Shipment{}, shipments.ErrNotFound
}

func (emptyService) Reject(context.Context, shipments.OrgID, shipments.Rejection) (shipments.Shipment, error) {
	return shipments.Shipment{}, shipments.ErrNotFound
}

func (emptyService) Events(context.Context, shipments.OrgID, shipments.EventQuery) (shipments.EventPage, error) {
	return shipments.EventPage{}, nil
}

func (emptyService) Documents(context.Context, shipments.OrgID, shipments.ID) ([]shipments.Document, error) {
	return nil, shipments.ErrNotFound
}

func (emptyService) Document(context.Context, shipments.OrgID, shipments.DocumentQuery) (shipments.Document, error) {
	return shipments.Document{}, shipments.ErrNotFound
}

func (emptyService) Attach(context.Context, shipments.OrgID, shipments.Attachment) (shipments.Attached, error) {
	return shipments.Attached{}, shipments.ErrNotFound
}

func (emptyService) AttachOnce(
	context.Context, shipments.OrgID, shipments.Key, shipments.Attachment, func(shipments.Attached) ([]byte, error),
) ([]byte, bool, error) {
	return nil, false, shipments.ErrNotFound
}

func (emptyService) Detach(context.Context, shipments.OrgID, shipments.DocumentOrder) (struct{}, error) {
	return struct{}{}, shipments.ErrNotFound
}

func (emptyService) Once(
	ctx context.Context, _ shipments.OrgID, _ shipments.Key, do func(context.Context) ([]byte, error),
) ([]byte, bool, error) {
	answer, err := do(ctx)
	return answer, false, err
}

func (emptyService) History(context.Context, shipments.OrgID, shipments.HistoryQuery) (shipments.HistoryPage, error) {
	return shipments.HistoryPage{}, shipments.ErrNotFound
}

// detailService has one shipment.
type detailService struct {
	emptyService
	detail shipments.Detail
}

func (s detailService) Get(context.Context, shipments.OrgID, shipments.GetQuery) (shipments.GetResult, error) {
	return shipments.GetResult{Detail: s.detail}, nil
}

// failingService lists by calling a function.
type failingService struct {
	emptyService
	list func(context.Context) error
}

func (s failingService) List(ctx context.Context, _ shipments.OrgID, _ shipments.Query) (shipments.Page, error) {
	return shipments.Page{Paging: shipments.Paging{PerPage: 1}}, s.list(ctx)
}
