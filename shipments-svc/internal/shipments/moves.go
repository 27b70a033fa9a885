package shipments

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Action is what can be done with a shipment that exists.
type Action string

// The actions.
const (
	Update  Action = "update"  // change what the client says about it
	Approve Action = "approve" // decide that it may go
	Reject  Action = "reject"  // decide that it may not, as it is
	Delete  Action = "delete"  // remove it, as if it had never been

	AttachDocument Action = "attach_document" // add one, with its pallets
	DeleteDocument Action = "delete_document" // remove one, with its pallets
)

// Actions lists every Action, in the order in which they are offered.
var Actions = []Action{Update, AttachDocument, DeleteDocument, Approve, Reject, Delete}

const (
	// gone is where Delete takes a shipment.
	gone Status = ""
	// settled is ReadyForReview where there are pallets to judge, and Pending
	// where there are none.
	settled Status = "settled"
)

// moves is the whole state machine: where an action takes a shipment from
// each status in which it is allowed. What is not here is refused. A new
// shipment is Pending.
//
// Approving what is approved changes nothing and is no fault, so that a client
// who lost the answer can ask again. Rejecting what is rejected is one: its
// reason would be lost.
var moves = map[Action]map[Status]Status{
	Update:         {Pending: Pending, Processing: Processing, ReadyForReview: ReadyForReview, Rejected: Rejected},
	AttachDocument: {Pending: settled, Processing: settled, ReadyForReview: settled, Rejected: settled},
	DeleteDocument: {Processing: settled, ReadyForReview: settled, Rejected: settled},
	Approve:        {ReadyForReview: Approved, Approved: Approved},
	Reject:         {ReadyForReview: Rejected},
	Delete:         {Pending: gone},
}

// Allowed returns the actions that are allowed in a status.
func Allowed(status Status) []Action {
	allowed := []Action{}
	for _, a := range Actions {
		if _, ok := moves[a][status]; ok {
			allowed = append(allowed, a)
		}
	}
	return allowed
}

// TransitionError says that an action is not allowed in the status in which
// the shipment is.
type TransitionError struct {
	Action  Action
	Status  Status
	Allowed []Action // in that status; may be empty, but is never nil
}

// Error implements error.
func (e *TransitionError) Error() string {
	allowed := "nothing"
	if len(e.Allowed) > 0 {
		allowed = list(e.Allowed)
	}
	return fmt.Sprintf("%s is not allowed while the status is %s; allowed: %s", e.Action, e.Status, allowed)
}

// ChecksFailingError says that a shipment with failing checks is approved
// only by someone who says why.
type ChecksFailingError struct {
	Checks []string // the names of those that fail
}

// Error implements error.
func (e *ChecksFailingError) Error() string {
	return fmt.Sprintf("checks are failing: %s; to approve nevertheless, give an override_reason", strings.Join(e.Checks, ", "))
}

// ErrVersion says that the shipment is not, or no longer, of a version that
// the caller expects.
var ErrVersion = errors.New("the shipment has changed")

// Expectation says which versions of a shipment an action is meant for.
type Expectation struct {
	Versions []int64 // nil: any
}

// met reports whether the action is meant for this version.
func (e Expectation) met(version int64) bool {
	return e.Versions == nil || slices.Contains(e.Versions, version)
}

// move returns the status to which an action takes the shipment, which then
// has so many pallets.
func move(a Action, s Shipment, pallets int) (Status, error) {
	to, ok := moves[a][s.Status]
	if !ok {
		return "", &TransitionError{Action: a, Status: s.Status, Allowed: Allowed(s.Status)}
	}
	if to != settled {
		return to, nil
	}
	if pallets > 0 {
		return ReadyForReview, nil
	}
	return Pending, nil
}
