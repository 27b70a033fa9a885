package transport

import (
	"net/http"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type endpointView struct {
	ID             string                `json:"id"`
	URL            string                `json:"url"`
	Description    string                `json:"description"`
	EventTypes     []shipments.EventType `json:"event_types"`
	Status         webhooks.Status       `json:"status"`
	DisabledReason webhooks.Reason       `json:"disabled_reason,omitempty"`
	FailingSince   string                `json:"failing_since,omitempty"`
	CreatedAt      string                `json:"created_at"`
	UpdatedAt      string                `json:"updated_at"`
	PreviousUntil  string                `json:"previous_secret_expires_at,omitempty"`
}

// madeView shows the secret, which is shown once.
type madeView struct {
	endpointView
	Secret string `json:"secret"`
}

func viewEndpoint(e webhooks.Endpoint) endpointView {
	return endpointView{
		ID: FormatWebhookID(e.ID), URL: e.URL, Description: e.Description,
		EventTypes: e.EventTypes,
		Status:     e.Status, DisabledReason: e.Reason, FailingSince: viewTime(e.FailingSince),
		CreatedAt: viewTime(e.CreatedAt), UpdatedAt: viewTime(e.UpdatedAt),
		PreviousUntil: viewTime(e.PreviousUntil),
	}
}

func viewMade(m webhooks.Made) madeView { return madeView{viewEndpoint(m.Endpoint), m.Secret.Reveal()} }

func encodeMade(r *http.Request, m webhooks.Made) reply {
	re := encodeRotated(r, m)
	re.status = http.StatusCreated
	re.header.Set("Location", canonicalPath(r)+"/"+FormatWebhookID(m.ID))
	return re
}

// encodeRotated keeps the secret out of caches.
func encodeRotated(r *http.Request, m webhooks.Made) reply {
	re := shown(http.StatusOK, endpointMember, viewMade)(r, m)
	re.header = http.Header{"Cache-Control": {"no-store"}}
	return re
}
