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
	Endpoint struct {
		endpointView
		Secret string `json:"secret"`
	} `json:"webhook_endpoint"`
}

type oneEndpointView struct {
	Endpoint endpointView `json:"webhook_endpoint"`
}

type endpointsView struct {
	Endpoints []endpointView `json:"webhook_endpoints"`
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

func viewMade(m webhooks.Made) (view madeView) {
	view.Endpoint.endpointView, view.Endpoint.Secret = viewEndpoint(m.Endpoint), m.Secret.Reveal()
	return view
}

func encodeEndpoints(_ *http.Request, all []webhooks.Endpoint) reply {
	return reply{status: http.StatusOK, body: endpointsView{each(all, viewEndpoint)}}
}

func encodeEndpoint(_ *http.Request, e webhooks.Endpoint) reply {
	return reply{status: http.StatusOK, body: oneEndpointView{viewEndpoint(e)}}
}

// noStore keeps answers that hold a secret out of caches.
const noStore = "no-store"

func encodeMade(r *http.Request, m webhooks.Made) reply {
	view := viewMade(m)
	return reply{status: http.StatusCreated, body: view, header: http.Header{
		"Location": {canonicalPath(r) + "/" + view.Endpoint.ID}, "Cache-Control": {noStore},
	}}
}

func encodeRotated(_ *http.Request, m webhooks.Made) reply {
	return reply{status: http.StatusOK, body: viewMade(m), header: http.Header{"Cache-Control": {noStore}}}
}
