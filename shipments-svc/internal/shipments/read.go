package shipments

import (
	"context"
	"math"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
)

const (
	// small is how many bytes the parts of a shipment have in the database that is read beside any number of others.
	small = 64 << 10
	// memoryOf is how much memory a byte of a part takes while it is decoded, changed and shown.
	memoryOf = 8
	// ReadWait is how long a request waits for the memory that its shipment takes.
	ReadWait = 10 * time.Second
)

// reads is the memory for the shipments that are read at once.
var reads = limit.Config{Total: 160 << 20, Each: 64 << 20, Queue: 50, Wait: ReadWait}

// needsMemory is the error of what Once does where a part takes more memory than was acquired before.
type needsMemory struct{ bytes int64 }

// Error implements error.
func (*needsMemory) Error() string {
	return "the parts of the shipment take memory that is not acquired"
}

// read returns a shipment with parts of it. release ends the use of memory for them. While it waits for that it holds
// nothing: in a transaction it fails, and Once waits.
func (s *Service) read(ctx context.Context, org OrgID, id ID, p Parts) (d Detail, release func(), err error) {
	release = func() {}
	if p.admitted {
		d, err = s.repo.Get(ctx, org, id, p, math.MaxInt64)
		return d, release, err
	}
	acquired, inOnce := ctx.Value(onceKey{}).(int64)
	for atMost := max(small, acquired); ; atMost = d.Bytes {
		if d, err = s.repo.Get(ctx, org, id, p, atMost); err == nil && d.Bytes <= atMost {
			return d, release, nil
		}
		if release(); err != nil {
			return Detail{}, release, err
		}
		if inOnce {
			return Detail{}, release, &needsMemory{d.Bytes}
		}
		if release, err = s.reads.Acquire(ctx, OrganizationOf(org), d.Bytes*memoryOf); err != nil {
			return Detail{}, release, err
		}
	}
}

// Bounds of what is read of the pallets of a shipment.
const (
	// MaxShown is how many bytes of pallets a shipment is shown with. One that has more is shown with MaxLinesPerPage
	// lines, and all of them are in its pages.
	MaxShown = 4 << 20
	// MaxLinesPerPage is how many lines a page has at most.
	MaxLinesPerPage = 1_000

	lineMemory = 8 << 10 // what a line of a page takes, with texts of usual lengths
)

// PageQuery selects a page of what a shipment has: of its history, or of the lines of its pallets.
type PageQuery struct {
	ID      ID
	Page    int64 // from 1; 0 means 1
	PerPage int64 // 0 means the default, more than the maximum means that
}

// Waits returns how much longer than others the request may take.
func (q PageQuery) Waits() time.Duration { return ReadWait }

// PalletPart is a pallet with those of its Contents that are on a page.
type PalletPart struct {
	Pallet

	Lines int `json:"lines"`         // that the pallet has
	From  int `json:"contents_from"` // how many of them are on pages before
}

// PalletsPage is one page of the lines of the pallets of a version of a shipment. Its Total counts the lines of all.
// Release ends the use of memory for it, once it has been sent.
type PalletsPage struct {
	Paging
	Version int64        `json:"version"`
	Pallets []PalletPart `json:"pallets"`
	Release func()       `json:"-"`
}

// Pallets returns one page of the lines of a shipment's pallets, or ErrNotFound: MaxLinesPerPage of them by default. A
// pallet that is not put together from several is one line. A page past the end is empty.
func (s *Service) Pallets(ctx context.Context, org OrgID, q PageQuery) (page PalletsPage, err error) {
	paging, offset := pagingOf(q.Page, q.PerPage, MaxLinesPerPage, MaxLinesPerPage)
	release, err := s.reads.Acquire(ctx, OrganizationOf(org), paging.PerPage*lineMemory)
	if err == nil {
		if page, err = s.repo.Lines(ctx, org, q.ID, offset, paging.PerPage); err != nil {
			release()
		}
	}
	page.Page, page.PerPage, page.Release = paging.Page, paging.PerPage, release
	return page, err
}
