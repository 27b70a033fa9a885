package transport

import (
	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// FormatID and ShipmentID, and those below, format and read the public identifiers. A
// malformed one gives the error of one that does not exist.
var FormatID, ShipmentID = idsOf[shipments.ID]("ship", shipments.ErrNotFound)

// FormatDocumentID and DocumentID are those of documents.
var FormatDocumentID, DocumentID = idsOf[shipments.DocumentID]("doc", shipments.ErrNoDocument)

// FormatTemplateID and TemplateID are those of mapping templates.
var FormatTemplateID, TemplateID = idsOf[shipments.TemplateID]("mt", shipments.ErrNoTemplate)

// FormatEventID and EventID are those of events.
var FormatEventID, EventID = idsOf[shipments.EventID]("evt", shipments.ErrNotFound)

// FormatWebhookID and WebhookID are those of webhook endpoints.
var FormatWebhookID, WebhookID = idsOf[webhooks.ID]("we", webhooks.ErrNotFound)

func idsOf[ID ~[16]byte](prefix string, unknown error) (format func(ID) string, read func(string) (ID, error)) {
	format = func(id ID) string { return publicid.Format(prefix, uuid.UUID(id)) }
	read = func(text string) (ID, error) {
		id, ok := publicid.Parse(prefix, text)
		if !ok {
			return ID{}, unknown
		}
		return ID(id), nil
	}
	return format, read
}
