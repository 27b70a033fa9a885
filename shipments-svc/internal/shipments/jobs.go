package shipments

import (
	"context"
	"errors"
	"time"
)

// Lease is a worker's claim to a job, different each time.
type Lease [16]byte

// Job is a document that is to be read.
type Job struct {
	Org      OrgID
	Shipment ID
	Document DocumentID
	Run      int   // of the document
	Attempt  int   // how often the job was claimed, from 1
	Lease    Lease // of whoever has it now
}

// Bounds of jobs.
const (
	// LeaseTime is how long a job belongs to a worker that says nothing.
	LeaseTime = 15 * time.Second
	// MaxAttempts is how often a job is claimed before it is given up.
	MaxAttempts = 8
)

// Jobs is the queue of documents that are to be read. A document that is
// stored as Queued has a job, and one that is stored as Processed or Failed has
// none; storing is one transaction with that.
type Jobs interface {
	// Claim leases the job that has waited longest of the organization whose
	// turn it is, or returns ErrNoJob.
	Claim(ctx context.Context, lease Lease, turn Turn) (Job, error)

	// Begin notes that a document is being read: it is BeingRead, if it was
	// Queued, which makes a version of the shipment.
	Begin(ctx context.Context, j Job, at time.Time) error

	// Extend lengthens a lease by LeaseTime from now, or returns ErrLost.
	Extend(ctx context.Context, j Job) error

	// Release gives a job back, to be claimed after a while. One that was lost
	// is nobody's to give.
	Release(ctx context.Context, j Job, after time.Duration) error
}

// Turn says whose turn it is: of the organizations that have a job, the first
// after After in a fixed cyclic order that is not in Except.
type Turn struct {
	After  OrgID
	Except []OrgID
}

// ErrNoJob says that no job waits for which it is the turn.
var ErrNoJob = errors.New("no job")

// ErrLost says that a job is not, or no longer, that of whoever acts on it:
// its lease ended, the document is gone, or is to be read anew.
var ErrLost = errors.New("the job was lost")
