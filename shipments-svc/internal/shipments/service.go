package shipments

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/limit"
)

// Service is what can be done with shipments.
type Service struct {
	repo      Repository
	files     Files
	reader    Reader
	runChecks RunChecks
	newID     func() ID
	now       func() time.Time

	waits   *limit.Limit[OrgID]
	closing chan struct{} // closed by Drain
	drained sync.Once
}

// Needs are the dependencies of a Service.
type Needs struct {
	Repository Repository
	Files      Files
	Reader     Reader // of files in a dry run
	RunChecks  RunChecks
	NewID      func() ID // names shipments and documents, later ones higher
	Now        func() time.Time
}

// NewService returns a Service. Needs may be incomplete if the methods that use
// them are not called.
func NewService(n Needs) *Service {
	return &Service{
		repo: n.Repository, files: n.Files, reader: n.Reader, runChecks: n.RunChecks, newID: n.NewID, now: n.Now,
		waits: limit.New[OrgID](maxWaits, maxOrgWaits), closing: make(chan struct{}),
	}
}

// List returns one page of the organization's shipments. A page past the end
// is empty and has the true total.
func (s *Service) List(ctx context.Context, org OrgID, q Query) (page Page[Shipment], err error) {
	var offset int64
	page.Paging, offset = paged(q.Page, q.PerPage)
	page.Elements, page.Total, err = s.repo.List(ctx, org, q.Filter, offset, page.PerPage)
	return page, err
}

// paged returns the effective page and size, and how many elements stand
// before the page.
func paged(page, perPage int64) (Paging, int64) {
	p := Paging{Page: max(page, 1), PerPage: min(perPage, MaxPerPage)}
	if p.PerPage < 1 {
		p.PerPage = DefaultPerPage
	}
	if p.Page-1 > math.MaxInt64/p.PerPage {
		return p, math.MaxInt64
	}
	return p, (p.Page - 1) * p.PerPage
}

// Creation is a request for a new shipment.
type Creation struct {
	Draft
	By Actor
}

// Create makes a pending shipment of the draft. A draft with faults gives
// Invalid.
func (s *Service) Create(ctx context.Context, org OrgID, c Creation) (Shipment, error) {
	if f := c.Faults(); f != nil {
		return Shipment{}, &Invalid{Faults: f}
	}
	created := Shipment{ID: s.newID(), Draft: c.Draft, Status: Pending, Version: 1, CreatedAt: instant(s.now())}
	return created, s.repo.Create(ctx, org, created, c.By)
}

// instant returns t as it is stored, ordered by and shown.
func instant(t time.Time) time.Time {
	return t.UTC().Truncate(time.Millisecond)
}
