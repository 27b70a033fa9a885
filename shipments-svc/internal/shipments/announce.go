package shipments

// announcement is what an action is announced as: first what became of its
// document, then what became of the shipment.
type announcement struct {
	attached bool      // the document is new
	read     bool      // the document may have been read
	shipment EventType // byStatus: as the shipment's status says
}

// byStatus announces a shipment by the status to which it came, and as updated
// where it has the same as before.
const byStatus EventType = ""

// announcements has a line for every action but StartDocument, which is not
// announced.
var announcements = map[Action]announcement{
	Create:         {shipment: ShipmentCreated},
	Import:         {shipment: ShipmentCreated},
	Update:         {shipment: ShipmentUpdated},
	AttachDocument: {attached: true, read: true, shipment: byStatus},
	DeleteDocument: {shipment: byStatus},

	ReprocessDocument: {shipment: byStatus},
	ProcessDocument:   {read: true, shipment: byStatus},
	FailDocument:      {read: true, shipment: byStatus},

	Approve: {shipment: ShipmentApproved},
	Reject:  {shipment: ShipmentRejected},
	Delete:  {shipment: ShipmentDeleted},
}

// arrivals says what a status is announced as when a shipment gets it. The
// others are not announced by themselves.
var arrivals = map[Status]EventType{
	Processing:     ShipmentProcessing,
	ReadyForReview: ShipmentReadyForReview,
}

// readings says what the status of a document that may have been read is
// announced as.
var readings = map[DocumentStatus]EventType{
	Processed: DocumentProcessed,
	Failed:    DocumentFailed,
}

// Announce returns the events of an action, in their order and without ID and
// Number: with the shipment, whose earlier status was before, and the document of
// the action if it still exists.
func Announce(e Entry, before Status, to Shipment, doc *Document) []Event {
	a := announcements[e.Action]
	var events []Event
	add := func(kind EventType, doc *Document) {
		events = append(events, Event{Type: kind, At: e.At, Shipment: to, Document: doc})
	}
	if doc != nil && a.attached {
		add(DocumentAttached, doc)
	}
	if doc != nil && a.read && readings[doc.Status] != "" {
		add(readings[doc.Status], doc)
	}
	switch arrived := arrivals[to.Status]; {
	case a.shipment != byStatus:
		add(a.shipment, nil)
	case arrived != "" && to.Status != before:
		add(arrived, nil)
	default:
		add(ShipmentUpdated, nil)
	}
	return events
}
