package transport

import (
	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// The public identifiers of the API.
var (
	ShipmentIDs = ids[shipments.ID]{"ship", shipments.ErrNotFound}
	DocumentIDs = ids[shipments.DocumentID]{"doc", shipments.ErrNoDocument}
	TemplateIDs = ids[shipments.TemplateID]{"mt", shipments.ErrNoTemplate}
	EventIDs    = ids[shipments.EventID]{"evt", shipments.ErrNotFound}
	WebhookIDs  = ids[webhooks.ID]{"we", webhooks.ErrNotFound}
)

// ids formats and parses the public identifiers of one kind. A malformed one is the error
// of one that does not exist.
type ids[ID ~[16]byte] struct {
	prefix  string
	unknown error
}

// Format returns the public identifier.
func (i ids[ID]) Format(id ID) string { return publicid.Format(i.prefix, uuid.UUID(id)) }

// Parse returns the identifier that text is.
func (i ids[ID]) Parse(text string) (ID, error) {
	id, ok := publicid.Parse(i.prefix, text)
	if !ok {
		return ID{}, i.unknown
	}
	return ID(id), nil
}
