package shipments

import (
	"context"
	"errors"
	"slices"
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

func (o Order) isFor(version int64) bool { return o.Expects == nil || o.Expects(version) }

// Approval is a request to approve a shipment.
type Approval struct {
	Order
	// Override is the reason for approval with failing checks. nil: failing checks
	// prevent approval.
	Override *string
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
	r, err := s.change(ctx, org, Update, e.Order, func(r *Revision) error {
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
	return s.act(ctx, org, Approve, a.Order, a.Faults(), func(h Head, to *Shipment, entry *Entry) error {
		if len(h.Failing) > 0 && a.Override == nil {
			return &ChecksFailingError{Checks: h.Failing}
		}
		if a.Override != nil {
			entry.Reason = *a.Override
		}
		if to.ApprovedAt = entry.At; to.ApprovedAt.Before(h.CreatedAt) { // another machine's clock is ahead
			to.ApprovedAt = h.CreatedAt
		}
		return nil
	})
}

// Reject rejects a shipment for a reason.
func (s *Service) Reject(ctx context.Context, org OrgID, r Rejection) (Shipment, error) {
	return s.act(ctx, org, Reject, r.Order, r.Faults(), func(_ Head, _ *Shipment, entry *Entry) error {
		entry.Reason = r.Reason
		return nil
	})
}

// Delete removes a shipment with its history, which must not have documents or have been decided on.
func (s *Service) Delete(ctx context.Context, org OrgID, o Order) (struct{}, error) {
	_, err := s.act(ctx, org, Delete, o, nil, func(h Head, _ *Shipment, _ *Entry) error {
		while := ""
		switch {
		case h.Documents > 0:
			while = "the shipment has documents"
		case h.Decided: // a reviewer's decision must not be erased with the history
			while = "the shipment's history has a decision"
		default:
			return nil
		}
		allowed := slices.DeleteFunc(Allowed(h.Status), func(a Action) bool { return a == Delete })
		return &TransitionError{Action: Delete, Status: h.Status, While: while, Allowed: allowed}
	})
	return struct{}{}, err
}

// act performs an action with optimistic locking: it reads the shipment, calls
// decide, and stores the result if the shipment still has the same version. On a
// version conflict it retries until ctx ends.
func (s *Service) act(
	ctx context.Context, org OrgID, a Action, o Order, f []Fault, decide func(Head, *Shipment, *Entry) error,
) (Shipment, error) {
	if f != nil {
		return Shipment{}, &Invalid{Faults: f}
	}
	for {
		head, err := s.repo.Head(ctx, org, o.ID)
		if err != nil {
			return Shipment{}, err
		}
		if a == Approve && head.Status == Approved {
			return head.Shipment, nil
		}
		if !o.isFor(head.Version) {
			return Shipment{}, ErrVersion
		}
		to := head.Shipment
		if to.Status, err = move(a, head.Status, parts{}); err != nil {
			return Shipment{}, err
		}
		to.Version++
		entry := Entry{Version: to.Version, At: instant(s.now()), By: o.By, Action: a, Status: to.Status}
		if err := decide(head, &to, &entry); err != nil {
			return Shipment{}, err
		}
		if to.Status == gone {
			err = s.repo.Delete(ctx, org, head.Shipment, entry)
		} else {
			err = s.repo.Change(ctx, org, head.Shipment, to, entry)
		}
		if !errors.Is(err, ErrVersion) {
			return to, err
		}
	}
}
