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
	Org      OrgID      `json:"organization_id"`
	Shipment ID         `json:"shipment_id"`
	Document DocumentID `json:"document_id"`
	Run      int        `json:"run"`      // of the document
	Attempt  int        `json:"attempts"` // how often the job was claimed and not released, from 1
	Lease    Lease      `json:"-"`        // of the current owner
}

// Bounds of jobs.
const (
	// LeaseTime is the duration of a lease that is not extended.
	LeaseTime = 15 * time.Second
	// MaxAttempts is how often a job is claimed and not released before it is given up:
	// those attempts ended with the process or by a fault of the program.
	MaxAttempts = 8
)

// Jobs is the queue of documents that are to be read. A document that is
// stored as Queued has a job, and one that is stored as Processed or Failed has
// none; storing is one transaction with that.
type Jobs interface {
	// Claim leases the job that has waited longest of the organization whose
	// turn it is, or returns ErrNoJob.
	Claim(ctx context.Context, lease Lease, turn Turn) (Job, error)

	// Begin notes that a document is being read and returns it, or ErrLost if it is not to be read by the job.
	Begin(ctx context.Context, j Job) (Document, error)

	// Extend lengthens a lease by LeaseTime from now, or returns ErrLost.
	Extend(ctx context.Context, j Job) error

	// Release ends a lease; the job can be claimed after the given time, and the attempt
	// does not count. For a lost job it returns ErrLost.
	Release(ctx context.Context, j Job, after time.Duration) error
}

// Turn selects an organization round robin: of those that have a job, the first
// after After in a fixed cyclic order that is not in Except.
type Turn struct {
	After  Organization
	Except []Organization
}

// ErrNoJob means that no organization that Turn selects has a job.
var ErrNoJob = errors.New("no job")

// ErrLost means that the caller does not own the job: its lease expired, the document
// was deleted, or has a later run.
var ErrLost = errors.New("the job was lost")
