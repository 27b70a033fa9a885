package shipments

import (
	"context"
	"errors"
	"time"
)

// MaxReason bounds the reason of a decision, in code points.
const MaxReason = 1_000

// Order is common to all actions.
type Order struct {
	ID ID
	By Actor
	// Expects reports whether the action is meant for this version of the
	// shipment. nil: it is for any.
	Expects func(version int64) bool
}

// Waits returns how much longer than others the request may take.
func (Order) Waits() time.Duration { return changeWait }

// Approval is a request to approve a shipment.
type Approval struct {
	Order
	// Override is the reason for approval with failing checks. nil: failing checks
	// prevent approval.
	Override *string
	Clean    bool // checks that warn prevent it, too
}

// Faults returns what is wrong with the approval, with pointers from it.
func (a Approval) Faults() []Fault {
	var f faults
	if a.Override != nil {
		f.text("", "override_reason", *a.Override, MaxReason)
	}
	return f
}

// Rejection is a request to reject a shipment.
type Rejection struct {
	Order
	Reason string
}

// Faults returns what is wrong with the rejection, with pointers from it.
func (r Rejection) Faults() []Fault {
	var f faults
	f.text("", "reason", r.Reason, MaxReason)
	return f
}

// Update replaces texts of a shipment, with the checks made anew. Where nothing
// differs nothing is changed.
func (s *Service) Update(ctx context.Context, org OrgID, e Edit) (Shipment, error) {
	if f := e.Faults(); f != nil {
		return Shipment{}, &Invalid{Faults: f}
	}
	r, err := s.change(ctx, org, Update, e.Order, allParts(DocumentID{}), func(r *Revision) error {
		if r.To.Draft, r.Entry.Changes = e.applied(r.From.Draft); r.Entry.Changes == nil {
			return errUnchanged
		}
		return nil
	})
	return r.To, err
}

// Approve approves a shipment. Failing checks give ChecksFailingError unless the
// approval overrides them. An approved shipment stays as it is, whatever version is
// expected.
func (s *Service) Approve(ctx context.Context, org OrgID, a Approval) (Shipment, error) {
	if f := a.Faults(); f != nil {
		return Shipment{}, &Invalid{Faults: f}
	}
	r, err := s.change(ctx, org, Approve, a.Order, Parts{}, func(r *Revision) error {
		var failing []string
		for _, c := range r.Checks {
			if c.Result == Fail || a.Clean && c.Result == Warn {
				failing = append(failing, c.Name)
			}
			if c.Result == Fail || c.Result == Warn {
				r.Entry.Accepted = append(r.Entry.Accepted, Finding{c.Name, c.Result, c.Details})
			}
		}
		if a.Override != nil {
			r.Entry.Reason = *a.Override
		} else if failing != nil {
			return &ChecksFailingError{Checks: failing}
		}
		r.To.ApprovedAt = r.Entry.At
		return nil
	})
	return r.To, err
}

// Reject rejects a shipment for a reason.
func (s *Service) Reject(ctx context.Context, org OrgID, rejection Rejection) (Shipment, error) {
	if f := rejection.Faults(); f != nil {
		return Shipment{}, &Invalid{Faults: f}
	}
	r, err := s.change(ctx, org, Reject, rejection.Order, Parts{}, func(r *Revision) error {
		r.Entry.Reason = rejection.Reason
		return nil
	})
	return r.To, err
}

// Delete removes a shipment with its history. It must not have been decided on, or have documents but those that could
// not be read, whose files are removed.
func (s *Service) Delete(ctx context.Context, org OrgID, o Order) (struct{}, error) {
	for {
		head, err := s.repo.Head(ctx, org, o.ID)
		if err != nil {
			return struct{}{}, err
		}
		if o.Expects != nil && !o.Expects(head.Version) {
			return struct{}{}, ErrVersion
		}
		if _, err := move(Delete, head.Status, parts{}); err != nil {
			return struct{}{}, err
		}
		while := ""
		if head.Documents > 0 {
			while = "the shipment has documents that were read"
		} else if head.Decided { // a reviewer's decision must not be erased with the history
			while = "the shipment's history has a decision"
		}
		if while != "" {
			return struct{}{}, notWhile(while, Delete, head.Status)
		}
		failed, err := s.repo.Documents(ctx, org, o.ID)
		if err != nil {
			return struct{}{}, err
		}
		entry := Entry{Version: head.Version + 1, At: instant(s.now()), By: o.By, Action: Delete}
		if err = s.repo.Delete(ctx, org, head.Shipment, entry); !errors.Is(err, ErrVersion) {
			if err == nil {
				s.discard(ctx, org, failed...)
			}
			return struct{}{}, err
		}
	}
}
