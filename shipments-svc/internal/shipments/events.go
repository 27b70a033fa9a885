package shipments

import (
	"context"
	"fmt"
	"time"
)

// EventLife is how long an Event can be read, counted from its Number.
const EventLife = 30 * 24 * time.Hour

// EventType is the kind of an event.
type EventType string

// The types of events.
const (
	ShipmentCreated        EventType = "shipment.created"
	ShipmentUpdated        EventType = "shipment.updated" // its texts, pallets or checks are others
	ShipmentProcessing     EventType = "shipment.processing"
	ShipmentReadyForReview EventType = "shipment.ready_for_review"
	ShipmentApproved       EventType = "shipment.approved"
	ShipmentRejected       EventType = "shipment.rejected"
	ShipmentDeleted        EventType = "shipment.deleted"
	DocumentAttached       EventType = "document.attached"
	DocumentProcessed      EventType = "document.processed"
	DocumentFailed         EventType = "document.failed"
)

// EventTypes lists every EventType.
var EventTypes = []EventType{
	ShipmentCreated, ShipmentUpdated, ShipmentProcessing, ShipmentReadyForReview, ShipmentApproved,
	ShipmentRejected, ShipmentDeleted,
	DocumentAttached, DocumentProcessed, DocumentFailed,
}

// Event is a change of a shipment or of one of its documents.
type Event struct {
	Org  OrgID     `json:"organization_id"`
	ID   EventID   `json:"id"`
	Type EventType `json:"type"`
	At   time.Time `json:"at"`
	// Number is the event's place among those of its organization: from 1,
	// without gaps, given after the change was stored. Of one shipment an
	// earlier event has a lower one.
	Number   int64     `json:"number"`
	Epoch    string    `json:"epoch"`    // of its Feed; Numbers of others do not compare
	Shipment Shipment  `json:"shipment"` // right after it
	Document *Document `json:"document"` // right after it; nil unless the event is about one
}

// EventQuery selects a part of an organization's events.
type EventQuery struct {
	After int64 // the Number of the last event that is known; 0: none is
	// Epoch is that of the Feed in which After was read. Empty: it is not known.
	Epoch string
	Limit int64 // from 1; 0 means DefaultPerPage, more than MaxPerPage means that
}

// Feed is what the Numbers of an organization's events belong to.
type Feed struct {
	First int64  // the Number of the first event that is kept, or of the first to come
	Head  int64  // the Number of the latest; 0: there was none
	Epoch string // another one after the data was restored from a backup; empty: there was no event
}

// EventPage is a part of an organization's events, in the order of their
// Numbers.
type EventPage struct {
	Events []Event
	After  int64 // as requested
	Limit  int64 // effective
	Next   int64 // After of the next query: the last event's Number, or After where there is none
	Epoch  string
}

// ResetError means that the event that the query names is none of the feed: the data was restored from a backup.
type ResetError struct{ Head int64 } // the Number of the latest event

// Error implements error.
func (e *ResetError) Error() string {
	return fmt.Sprintf("the cursor is of events that a restore of the data replaced; the latest one is %d now", e.Head)
}

// ExpiredError means that events after the one that the query names are no
// longer kept.
type ExpiredError struct{ First int64 } // the Number of the first that is

// Error implements error.
func (e *ExpiredError) Error() string {
	return fmt.Sprintf("events before %d are no longer kept", e.First)
}

// Events returns events of the organization. With After 0 they begin with the
// first that is kept; otherwise with the next after After, or ExpiredError where
// there is a gap, or ResetError where After is of another feed.
func (s *Service) Events(ctx context.Context, org OrgID, q EventQuery) (EventPage, error) {
	paging, _ := pagingOf(1, q.Limit, DefaultPerPage, MaxPerPage)
	page := EventPage{After: q.After, Limit: paging.PerPage, Next: q.After}
	events, feed, err := s.repo.Events(ctx, org, q.After, page.Limit)
	switch {
	case err != nil:
		return EventPage{}, err
	case q.After > feed.Head || q.Epoch != "" && q.Epoch != feed.Epoch:
		return EventPage{}, &ResetError{Head: feed.Head}
	case q.After > 0 && q.After < feed.First-1:
		return EventPage{}, &ExpiredError{First: feed.First}
	}
	page.Epoch = feed.Epoch
	if page.Events = events; len(events) > 0 {
		page.Next = events[len(events)-1].Number
	}
	return page, nil
}

// announced has the events of actions that are announced as themselves. The others
// are announced by what becomes of the shipment.
var announced = map[Action]EventType{
	Create:  ShipmentCreated,
	Approve: ShipmentApproved,
	Reject:  ShipmentRejected,
	Delete:  ShipmentDeleted,
}

// Announce returns the events of an action, in their order and without Number: what became of its
// document, which is nil if it does not exist, then what became of the shipment, whose earlier
// status was before. They have nothing of what was read in the document.
func Announce(newID func() EventID, e Entry, before Status, to Shipment, doc *Document) []Event {
	var events []Event
	add := func(kind EventType, doc *Document) {
		events = append(events, Event{ID: newID(), Type: kind, At: e.At, Shipment: to, Document: doc})
	}
	if doc != nil {
		about := *doc
		about.Facts, about.Remarks, about.Given, about.Mappings = nil, nil, nil, nil
		doc = &about
	}
	if doc != nil {
		if e.Action == AttachDocument {
			add(DocumentAttached, doc)
		}
		if doc.Status == Processed {
			add(DocumentProcessed, doc)
		}
		if doc.Status == Failed {
			add(DocumentFailed, doc)
		}
	}
	switch kind, ok := announced[e.Action]; {
	case ok:
		add(kind, nil)
	case to.Status == Processing && before != Processing:
		add(ShipmentProcessing, nil)
	case to.Status == ReadyForReview && before != ReadyForReview:
		add(ShipmentReadyForReview, nil)
	default:
		add(ShipmentUpdated, nil)
	}
	return events
}
