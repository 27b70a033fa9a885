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

// announcements has a line for every action but StartDocument, which is no
// news.
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

// arrivals says what a status is announced as when a shipment comes to it. One
// that is not here is no news by itself.
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

// Announce returns the events that tell of an action, in their order and
// without ID and Number: what a shipment that had the status before became,
// and the document that the action was about, if it is still there.
func Announce(e Entry, before Status, to Shipment, doc *Document) []Event {
	a := announcements[e.Action]
	var events []Event
	tell := func(kind EventType, doc *Document) {
		events = append(events, Event{Type: kind, At: e.At, Shipment: to, Document: doc})
	}
	if doc != nil && a.attached {
		tell(DocumentAttached, doc)
	}
	if doc != nil && a.read && readings[doc.Status] != "" {
		tell(readings[doc.Status], doc)
	}
	switch arrived := arrivals[to.Status]; {
	case a.shipment != byStatus:
		tell(a.shipment, nil)
	case arrived != "" && to.Status != before:
		tell(arrived, nil)
	default:
		tell(ShipmentUpdated, nil)
	}
	return events
}
