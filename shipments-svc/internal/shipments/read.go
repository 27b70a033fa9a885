package shipments

import (
	"context"
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

// Head returns a shipment without its parts, or ErrNotFound.
func (s *Service) Head(ctx context.Context, org OrgID, id ID) (Head, error) {
	return s.repo.Head(ctx, org, id)
}

// read returns a shipment with its parts. release ends the use of memory for them. While it waits for that it holds
// nothing.
func (s *Service) read(ctx context.Context, org OrgID, id ID) (d Detail, release func(), err error) {
	release = func() {}
	for atMost := int64(small); ; atMost = d.Bytes {
		d, err = s.repo.Get(ctx, org, id, atMost)
		if err != nil || d.Bytes <= atMost {
			return d, release, err
		}
		release()
		if release, err = s.reads.Acquire(ctx, OrganizationOf(org), d.Bytes*memoryOf); err != nil {
			return Detail{}, release, err
		}
	}
}
