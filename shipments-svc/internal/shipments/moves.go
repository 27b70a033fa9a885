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
	Update  Action = "update"  // change its texts
	Approve Action = "approve" // accept it
	Reject  Action = "reject"  // refuse it as it is
	Delete  Action = "delete"  // remove it with its history

	AttachDocument    Action = "attach_document"    // add one
	UpdateDocument    Action = "update_document"    // correct its type
	ReprocessDocument Action = "reprocess_document" // read one again
	CorrectMapping    Action = "correct_mapping"    // read a packing list again with other fields of its columns
	DeleteDocument    Action = "delete_document"    // remove one, with its pallets
)

// The actions of the service itself, in the history.
const (
	ProcessDocument Action = "process_document" // make its content part of the shipment
	FailDocument    Action = "fail_document"    // reading it failed
)

// Actions lists every Action of clients, in the order in which they are
// offered.
var Actions = []Action{
	Update, AttachDocument, UpdateDocument, ReprocessDocument, CorrectMapping, DeleteDocument, Approve, Reject, Delete,
}

const (
	// gone is the result of Delete.
	gone Status = ""
	// settled is Processing while there are documents to read; else
	// ReadyForReview with pallets and Pending without.
	settled Status = "settled"
	// emptied is Pending if the shipment has no pallets left; else the status
	// does not change.
	emptied Status = "emptied"
)

// moves is the whole state machine: where an action takes a shipment from
// each status in which it is allowed. Every other action is refused. A new
// shipment is Pending.
//
// Approving what is approved changes nothing and is no fault, so that a client
// that lost the response can retry. Rejecting a rejected shipment is a fault: its
// reason would be lost.
var moves = map[Action]map[Status]Status{
	Update:            {Pending: Pending, Processing: Processing, ReadyForReview: ReadyForReview, Rejected: Rejected},
	AttachDocument:    {Pending: settled, Processing: settled, ReadyForReview: settled, Rejected: settled},
	UpdateDocument:    {Pending: settled, Processing: settled, ReadyForReview: settled, Rejected: settled},
	ReprocessDocument: {Pending: settled, Processing: settled, ReadyForReview: settled, Rejected: settled},
	CorrectMapping:    {Pending: settled, Processing: settled, ReadyForReview: settled, Rejected: settled},
	DeleteDocument:    {Pending: settled, Processing: settled, ReadyForReview: settled, Rejected: emptied},
	ProcessDocument:   {Processing: settled},
	FailDocument:      {Processing: settled},
	Approve:           {ReadyForReview: Approved, Approved: Approved},
	Reject:            {Pending: Rejected, ReadyForReview: Rejected},
	Delete:            {Pending: gone},
}

// Allowed returns the actions that are allowed in a status.
func Allowed(status Status) []Action {
	return slices.DeleteFunc(slices.Clone(Actions), func(a Action) bool {
		_, ok := moves[a][status]
		return !ok
	})
}

// TransitionError means that an action is not allowed as the shipment is.
type TransitionError struct {
	Action  Action
	Status  Status
	While   string   // the obstacle; empty: its status
	Allowed []Action // now; may be empty, but is never nil
}

// notWhile is the error of an action that an obstacle prevents in a status that allows it.
func notWhile(obstacle string, a Action, status Status) *TransitionError {
	others := slices.DeleteFunc(Allowed(status), func(other Action) bool { return other == a })
	return &TransitionError{Action: a, Status: status, While: obstacle, Allowed: others}
}

// Error implements error.
func (e *TransitionError) Error() string {
	allowed := "nothing"
	if len(e.Allowed) > 0 {
		allowed = Join(e.Allowed)
	}
	while := e.While
	if while == "" {
		while = "the status is " + string(e.Status)
	}
	return fmt.Sprintf("%s is not allowed while %s; allowed: %s", e.Action.doing(), while, allowed)
}

// doing names the action in a sentence: "approving", "attaching a document".
func (a Action) doing() string {
	verb, object, _ := strings.Cut(string(a), "_")
	return strings.TrimSuffix(strings.TrimSuffix(verb, "e")+"ing a "+object, " a ")
}

// ChecksFailingError means that approving a shipment with failing checks needs a
// reason.
type ChecksFailingError struct {
	Checks []string // the names of those that fail
}

// Error implements error.
func (e *ChecksFailingError) Error() string {
	return fmt.Sprintf(
		"checks are failing: %s; to approve nevertheless, give an override_reason", strings.Join(e.Checks, ", "),
	)
}

// ErrVersion means that the shipment is not, or no longer, of a version that
// the caller expects.
var ErrVersion = errors.New("the shipment has changed")

// parts is what a shipment has, as far as its status depends on it.
type parts struct {
	pallets    int
	unfinished bool // a document of it is to be read
}

// move returns the status of the shipment, with these parts, after an action.
func move(a Action, from Status, has parts) (Status, error) {
	to, ok := moves[a][from]
	switch {
	case !ok:
		return "", &TransitionError{Action: a, Status: from, Allowed: Allowed(from)}
	case to == emptied && has.pallets > 0:
		return from, nil
	case to == emptied:
		return Pending, nil
	case to != settled:
		return to, nil
	case has.unfinished:
		return Processing, nil
	case has.pallets > 0:
		return ReadyForReview, nil
	default:
		return Pending, nil
	}
}
