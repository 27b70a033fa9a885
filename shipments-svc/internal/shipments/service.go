package shipments

import (
	"context"
	"errors"
	"iter"
	"math"
	"sync"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
)

// Service is what can be done with shipments.
type Service struct {
	Lookups

	repo      Repository
	files     Files
	reader    Reader
	pages     Pages
	runChecks RunChecks
	newID     func() ID
	now       func() time.Time

	waits   *limit.Shares[Organization] // of GetQuery
	reads   *limit.Shares[Organization] // bytes of memory
	changes *limit.Shares[Organization]
	closing chan struct{} // closed by Drain
	drained sync.Once

	roundsMu sync.Mutex
	rounds   map[OrgID]*round // to come
}

// Needs are the dependencies of a Service.
type Needs struct {
	Repository Repository
	Files      Files
	Reader     Reader // of files in a dry run
	Pages      Pages
	RunChecks  RunChecks
	NewID      func() ID // names shipments and documents, later ones higher
	Now        func() time.Time
}

// NewService returns a Service. Needs may be incomplete if the methods that use
// them are not called.
func NewService(n Needs) *Service {
	return &Service{
		Lookups: n.Repository, repo: n.Repository, files: n.Files, reader: n.Reader, pages: n.Pages, runChecks: n.RunChecks,
		newID: n.NewID, now: n.Now,
		waits: limit.New[Organization](limit.Config{Total: maxWaits, Each: maxOrgWaits}),
		reads: limit.New[Organization](reads), changes: limit.New[Organization](changes), closing: make(chan struct{}),
		rounds: map[OrgID]*round{},
	}
}

// List returns one page of the organization's shipments. A page past the end
// is empty and has the true total. Of a list that is sorted the first MaxMatches are in pages; one that also has a
// filter which more meet is ErrTooBroad.
func (s *Service) List(ctx context.Context, org OrgID, q Query) (page Page[Shipment], err error) {
	var offset int64
	page.Paging, offset = pagingOf(q.Page, q.PerPage, DefaultPerPage, MaxPerPage)
	if q.Sort != (Sort{}) {
		page.Elements, page.Total, err = s.repo.Sorted(ctx, org, q.Filter, q.Sort, min(offset, MaxMatches), page.PerPage)
		page.Total = min(page.Total, MaxMatches)
		return page, err
	}
	page.Elements, page.Total, err = s.repo.List(ctx, org, q.Filter, offset, page.PerPage)
	return page, err
}

// allBatch is how many shipments All reads at once.
const allBatch = 1_000

// All yields the shipments that meet the filter, in the order of List: each once, whatever is created
// or deleted meanwhile, and ends with an error if it cannot go on. It holds no connection between batches.
func (s *Service) All(ctx context.Context, org OrgID, f Filter) iter.Seq2[Shipment, error] {
	return func(yield func(Shipment, error) bool) {
		var last *Shipment
		for more := true; more; {
			batch, err := s.repo.ListAfter(ctx, org, f, last, allBatch)
			if err != nil {
				yield(Shipment{}, err)
				return
			}
			for i := range batch {
				if last = &batch[i]; !yield(*last, nil) {
					return
				}
			}
			more = len(batch) == allBatch
		}
	}
}

// pagingOf returns the effective page and size, and how many elements stand
// before the page.
func pagingOf(page, perPage, byDefault, atMost int64) (Paging, int64) {
	p := Paging{Page: max(page, 1), PerPage: min(perPage, atMost)}
	if p.PerPage < 1 {
		p.PerPage = byDefault
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
	created.UpdatedAt = created.CreatedAt
	return created, s.repo.Create(ctx, org, created, c.By)
}

// instant returns t as it is stored, ordered by and shown.
func instant(t time.Time) time.Time {
	return t.UTC().Truncate(time.Millisecond)
}

// KeyLife is the retention of a Key.
const KeyLife = 24 * time.Hour

// Key is an idempotency key: requests with the same key are retries of one
// request.
type Key struct {
	Operation   string // method and path; the same Text for another is another Key
	Text        string // of the client's choice
	Fingerprint [32]byte
}

// ErrKeyReused means that the key was given to a request with another
// fingerprint.
var ErrKeyReused = errors.New("the key belongs to another request")

// ErrKeyInProgress means that a request with the key is in progress.
var ErrKeyInProgress = errors.New("a request with the key is in progress")

// Commit is the second phase of a request that read or stored files in its first: database
// work only, so that it may be part of a transaction.
type Commit[Res any] func(context.Context) (Res, error)

// Once runs do once for each key of an organization, in one transaction with the
// record of the key. While the record is kept, retries get the first answer, and
// replayed is true. An error of do rolls back its effect and is not recorded. The transaction does not wait for memory:
// do runs again once it was acquired.
//
// do must use the context that it is given for all that it does.
func (s *Service) Once(
	ctx context.Context, org OrgID, k Key, do func(context.Context) ([]byte, error),
) (answer []byte, replayed bool, err error) {
	release, err := s.acquireChange(ctx, org)
	if err != nil {
		return nil, false, err
	}
	defer release()
	for acquired, free := int64(0), func() {}; ; {
		answer, replayed, err = s.repo.Once(context.WithValue(ctx, onceKey{}, acquired), org, k, s.now(), do)
		free()
		needs, ok := errors.AsType[*needsMemory](err)
		if !ok {
			return answer, replayed, err
		}
		if free, err = s.reads.Acquire(ctx, OrganizationOf(org), needs.bytes*memoryOf); err != nil {
			return nil, false, err
		}
		acquired = needs.bytes
	}
}

const (
	// changeWait is how much longer a request may take since others of its organization are made first, and changeTime
	// what of its time is left for itself.
	changeWait = 6 * time.Second
	changeTime = 2 * time.Second
)

// changes are those that are made at once, fewer than the database has connections: those of an organization wait for
// locks of each other.
var changes = limit.Config{Total: 10, Each: 2, Queue: 100, Wait: ReadTimeout}

// onceKey marks the context of what Once runs, which has acquired its change, and memory for so many bytes of parts.
type onceKey struct{}

// acquireChange waits until the organization may change something, with time left for that.
func (s *Service) acquireChange(ctx context.Context, org OrgID) (release func(), err error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-changeTime))
		defer cancel()
	}
	return s.changes.Acquire(ctx, OrganizationOf(org), 1)
}
