package transport_test

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// fakeRepository has one shipment, or none without one. Methods that it does not
// implement must not be called.
type fakeRepository struct {
	shipments.Repository
	detail *shipments.Detail
	list   func(context.Context) error // nil: List succeeds
}

func (r fakeRepository) List(
	ctx context.Context, _ shipments.OrgID, _ shipments.Filter, _, _ int64,
) ([]shipments.Shipment, int64, error) {
	if r.list == nil {
		return nil, 0, nil
	}
	return nil, 0, r.list(ctx)
}

func (r fakeRepository) Get(
	context.Context, shipments.OrgID, shipments.ID, shipments.Parts, int64,
) (shipments.Detail, error) {
	if r.detail == nil {
		return shipments.Detail{}, shipments.ErrNotFound
	}
	d := *r.detail
	d.Pallets = append([]shipments.Pallet{}, d.Pallets...)
	return d, nil
}

func (fakeRepository) Head(context.Context, shipments.OrgID, shipments.ID) (shipments.Head, error) {
	return shipments.Head{}, shipments.ErrNotFound
}

// fakeService returns a service on a repository, without files.
func fakeService(r fakeRepository) *shipments.Service {
	return shipments.NewService(shipments.Needs{Repository: r, Now: time.Now})
}

// slowReader reads files as long as its channel is open, and counts them.
type slowReader struct {
	over  chan struct{}
	begun *atomic.Int32
}

func (r slowReader) Read(
	context.Context, shipments.DocumentType, shipments.Kind, io.ReaderAt, int64, []shipments.Assignment,
) (shipments.Reading, error) {
	r.begun.Add(1)
	<-r.over
	return shipments.Reading{}, shipments.ErrNotFound
}

// noFiles stores nothing.
type noFiles struct{ shipments.Files }

func (noFiles) Put(context.Context, shipments.FileKey, io.Reader, int64) error {
	return shipments.ErrNoFile
}
