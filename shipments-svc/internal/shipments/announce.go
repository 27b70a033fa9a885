package shipments

// announced has the events of actions that are announced as themselves. The others
// are announced by what becomes of the shipment.
var announced = map[Action]EventType{
	Create:  ShipmentCreated,
	Import:  ShipmentCreated,
	Approve: ShipmentApproved,
	Reject:  ShipmentRejected,
	Delete:  ShipmentDeleted,
}

// Announce returns the events of an action, in their order and without ID and
// Number: what became of its document, which is nil if it does not exist, then what
// became of the shipment, whose earlier status was before.
func Announce(e Entry, before Status, to Shipment, doc *Document) []Event {
	var events []Event
	add := func(kind EventType, doc *Document) {
		events = append(events, Event{Type: kind, At: e.At, Shipment: to, Document: doc})
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
