package transport

import (
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// endpointMember is the member of bodies that an endpoint is.
const endpointMember = "webhook_endpoint"

// webhookRoutes adds the routes of webhook endpoints.
func webhookRoutes(rt router, hooks *webhooks.Service) {
	rt.idempotent = hooks
	const all, one = "/api/v1/webhook_endpoints", "/api/v1/webhook_endpoints/{id}"
	encodeEndpoint := shown(http.StatusOK, endpointMember, viewEndpoint)
	handle(rt, "GET "+all, decodeNothing, hooks.List, listed("webhook_endpoints", viewEndpoint))
	post(rt, all, decodeEndpoint(hooks), hooks.Create, encodeMade)
	handle(rt, "GET "+one, decodeEndpointID, hooks.Get, encodeEndpoint)
	handle(rt, "PATCH "+one, decodeEndpointEdit(hooks), hooks.Update, encodeEndpoint)
	handle(rt, "DELETE "+one, decodeEndpointID, hooks.Delete, encodeDelete)
	post(rt, one+"/rotate_secret", decodeEndpointAction, hooks.RotateSecret, encodeRotated)
	post(rt, one+"/test", decodeEndpointAction, hooks.SendTest, shown(http.StatusAccepted, "delivery", viewDelivery))
	post(rt, one+"/replay", decodeReplay, hooks.Replay, shown(http.StatusAccepted, "replay", viewReplayed))
	handle(rt, "GET "+one+"/deliveries", decodeDeliveries, hooks.Deliveries, encodeDeliveries)
}

func decodeNothing(r *http.Request) (struct{}, error) {
	return struct{}{}, query.Read(r).Err()
}

func decodeEndpoint(hooks *webhooks.Service) func(*http.Request) (webhooks.Draft, error) {
	return func(r *http.Request) (webhooks.Draft, error) {
		return decodeJSON(r, query.Read(r).Err(), "/"+endpointMember, func(o *jsonbody.Object) webhooks.Draft {
			o = o.Object(endpointMember)
			return webhooks.Draft{
				URL:         o.Text("url"),
				Description: o.Text("description"),
				EventTypes:  eventTypes(o.Texts("event_types")),
			}
		}, hooks.Faults)
	}
}

func decodeEndpointEdit(hooks *webhooks.Service) func(*http.Request) (webhooks.Edit, error) {
	return func(r *http.Request) (webhooks.Edit, error) {
		id, err := decodeEndpointID(r)
		return decodeJSON(r, err, "/"+endpointMember, func(o *jsonbody.Object) webhooks.Edit {
			o = o.Object(endpointMember)
			e := webhooks.Edit{ID: id, URL: o.OptionalText("url"), Description: o.OptionalText("description")}
			if texts := o.Texts("event_types"); texts != nil {
				e.EventTypes = new(eventTypes(texts))
			}
			if status := o.OptionalText("status"); status != nil {
				e.Status = new(webhooks.Status(*status))
			}
			return e
		}, hooks.EditFaults, mergePatch)
	}
}

func eventTypes(texts []string) []shipments.EventType {
	return each(texts, func(text string) shipments.EventType { return shipments.EventType(text) })
}

// decodeEndpointID reads a request that is the id in its path.
func decodeEndpointID(r *http.Request) (webhooks.ID, error) {
	if err := query.Read(r).Err(); err != nil {
		return webhooks.ID{}, err
	}
	return WebhookIDs.Parse(r.PathValue("id"))
}

// decodeEndpointAction reads a request that has an endpoint and an empty object.
func decodeEndpointAction(r *http.Request) (webhooks.ID, error) {
	id, err := decodeEndpointID(r)
	if err != nil || r.ContentLength == 0 {
		return id, err
	}
	return decodeJSON(r, nil, "", func(*jsonbody.Object) webhooks.ID { return id }, noFaults) // it may have no members
}

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
		ID: WebhookIDs.Format(e.ID), URL: e.URL, Description: e.Description,
		EventTypes: e.EventTypes,
		Status:     e.Status, DisabledReason: e.Reason, FailingSince: viewTime(e.FailingSince),
		CreatedAt: viewTime(e.CreatedAt), UpdatedAt: viewTime(e.UpdatedAt),
		PreviousUntil: viewTime(e.PreviousUntil),
	}
}

func viewMade(m webhooks.Made) madeView { return madeView{viewEndpoint(m.Endpoint), m.Secret.Reveal()} }

func encodeMade(r *http.Request, m webhooks.Made) reply {
	re := encodeRotated(r, m)
	re.Status = http.StatusCreated
	re.Header.Set("Location", canonicalPath(r)+"/"+WebhookIDs.Format(m.ID))
	return re
}

// encodeRotated keeps the secret out of caches.
func encodeRotated(r *http.Request, m webhooks.Made) reply {
	re := shown(http.StatusOK, endpointMember, viewMade)(r, m)
	re.Header = http.Header{"Cache-Control": {"no-store"}}
	return re
}
