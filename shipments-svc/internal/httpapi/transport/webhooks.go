package transport

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// endpointMember is the member of bodies that an endpoint is.
const endpointMember = "webhook_endpoint"

// webhookRoutes adds the routes of webhook endpoints.
func webhookRoutes(rt router, hooks *webhooks.Service) {
	const all, one = "/api/v1/webhook_endpoints", "/api/v1/webhook_endpoints/{id}"
	handle(rt, "GET "+all, decodeNothing, hooks.List, listed("webhook_endpoints", viewEndpoint))
	post(rt, all, decodeEndpoint(hooks), hooks.Create, encodeCreatedEndpoint)
	handle(rt, "GET "+one, WebhookIDs.decode, hooks.Get, encodeEndpoint)
	handle(rt, "PATCH "+one, decodeEndpointEdit(hooks), hooks.Update, encodeEndpoint)
	handle(rt, "DELETE "+one, decodeEndpointOrder, hooks.Delete, encodeDelete)
	post(rt, one+"/rotate_secret", decodeEndpointAction, hooks.RotateSecret, encodeSecret)
	post(rt, one+"/test", decodeEndpointAction, hooks.SendTest, shown(http.StatusAccepted, "delivery", viewDelivery))
	post(rt, one+"/replay", decodeReplay, hooks.Replay, shown(http.StatusAccepted, "replay", viewReplayed))
	handle(rt, "GET "+one+"/deliveries", decodeDeliveries, hooks.Deliveries, encodeDeliveries)
}

func decodeNothing(r *http.Request) (struct{}, error) {
	return struct{}{}, query.Read(r).Err()
}

func decodeEndpoint(hooks *webhooks.Service) func(*http.Request) (webhooks.Draft, error) {
	return func(r *http.Request) (webhooks.Draft, error) {
		by := callerOf(r.Context()).actor
		return decodeJSON(r, query.Read(r).Err(), "/"+endpointMember, func(o *jsonbody.Object) webhooks.Draft {
			o = o.Object(endpointMember)
			return webhooks.Draft{
				By:          by,
				URL:         o.Text("url"),
				Description: o.Text("description"),
				EventTypes:  eventTypes(o.Texts("event_types")),
			}
		}, hooks.Faults)
	}
}

func decodeEndpointEdit(hooks *webhooks.Service) func(*http.Request) (webhooks.Edit, error) {
	return func(r *http.Request) (webhooks.Edit, error) {
		order, err := decodeEndpointOrder(r)
		return decodeJSON(r, err, "/"+endpointMember, func(o *jsonbody.Object) webhooks.Edit {
			o = o.Object(endpointMember)
			e := webhooks.Edit{Order: order, URL: o.OptionalText("url"), Description: o.OptionalText("description")}
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

// decodeEndpointOrder reads what every action on an endpoint has besides its body.
func decodeEndpointOrder(r *http.Request) (webhooks.Order, error) {
	id, err := WebhookIDs.decode(r)
	return webhooks.Order{ID: id, By: callerOf(r.Context()).actor, Expects: func(now webhooks.Endpoint) bool {
		return precondition.Failed(r, tagsOfEndpoint(now)...) == 0
	}}, err
}

// decodeEndpointAction reads a request that has an endpoint and an empty object.
func decodeEndpointAction(r *http.Request) (webhooks.Order, error) {
	order, err := decodeEndpointOrder(r)
	if err != nil || r.ContentLength == 0 {
		return order, err
	}
	return decodeJSON(r, nil, "", func(*jsonbody.Object) webhooks.Order { return order }, noFaults) // without members
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

func encodeEndpoint(r *http.Request, e webhooks.Endpoint) reply {
	re := shown(http.StatusOK, endpointMember, viewEndpoint)(r, e)
	re.header = http.Header{"Etag": tagsOfEndpoint(e)[:1]}
	return re
}

// tagsOfEndpoint are the entity-tag of an endpoint as it is, and the other one of the same version: whether its
// deliveries fail makes no version.
func tagsOfEndpoint(e webhooks.Endpoint) []string {
	failing := !e.FailingSince.IsZero()
	e.FailingSince = time.Time{}
	works := tagOfView(viewEndpoint(e))
	fails := strings.TrimSuffix(works, `"`) + `.f"`
	if failing {
		return []string{fails, works}
	}
	return []string{works, fails}
}

// endpointWithSecretView shows the secret, which is shown once.
type endpointWithSecretView struct {
	endpointView
	Secret string `json:"secret"`
}

func viewEndpoint(e webhooks.Endpoint) endpointView {
	return endpointView{
		ID: WebhookIDs.Format(e.ID), URL: e.URL, Description: e.Description, EventTypes: e.EventTypes, Status: e.Status,
		DisabledReason: e.Reason, FailingSince: viewTime(e.FailingSince), CreatedAt: viewTime(e.CreatedAt),
		UpdatedAt: viewTime(e.UpdatedAt), PreviousUntil: viewTime(e.PreviousUntil),
	}
}

func viewEndpointWithSecret(e webhooks.EndpointWithSecret) endpointWithSecretView {
	return endpointWithSecretView{viewEndpoint(e.Endpoint), e.Secret.Reveal()}
}

func encodeCreatedEndpoint(r *http.Request, m webhooks.EndpointWithSecret) reply {
	re := encodeSecret(r, m)
	re.status = http.StatusCreated
	re.header.Set("Location", canonicalPath(r)+"/"+WebhookIDs.Format(m.ID))
	return re
}

// encodeSecret keeps the secret out of caches.
func encodeSecret(r *http.Request, m webhooks.EndpointWithSecret) reply {
	re := shown(http.StatusOK, endpointMember, viewEndpointWithSecret)(r, m)
	re.header = http.Header{"Cache-Control": {"no-store"}, "Etag": tagsOfEndpoint(m.Endpoint)[:1]}
	return re
}

type deliveryView struct {
	EventID   string                  `json:"event_id"`
	EventType shipments.EventType     `json:"event_type"`
	Sequence  int64                   `json:"sequence,omitempty"` // a test has none
	Status    webhooks.DeliveryStatus `json:"status"`
	Next      string                  `json:"next_attempt_at,omitempty"`
	Attempts  []attemptView           `json:"attempts"`
	CreatedAt string                  `json:"created_at"`
}

type attemptView struct {
	At       string           `json:"at"`
	Duration int64            `json:"duration_ms"`
	Outcome  webhooks.Outcome `json:"outcome"`
	Response int              `json:"response_status,omitempty"`
}

type deliveriesView struct {
	Deliveries []deliveryView     `json:"deliveries"`
	Meta       deliveriesMetaView `json:"meta"`
}

type deliveriesMetaView struct {
	Limit      int64  `json:"limit"`
	NextBefore string `json:"next_before,omitempty"`
}

func decodeDeliveries(r *http.Request) (webhooks.DeliveryQuery, error) {
	p := query.Read(r)
	q := webhooks.DeliveryQuery{
		Status: query.OneOf(p, "status", webhooks.DeliveryStatuses), Limit: p.Limit("limit", shipments.MaxPerPage),
	}
	if text, given := p.Text("before"); given {
		id, err := EventIDs.Parse(text)
		if err != nil {
			p.Fault("before", "before must be the identifier of an event: meta.next_before of the answer before")
		}
		q.Before = &id
	}
	if err := p.Err(); err != nil {
		return q, err
	}
	var err error
	q.Endpoint, err = WebhookIDs.Parse(r.PathValue("id"))
	return q, err
}

func encodeDeliveries(r *http.Request, page webhooks.DeliveryPage) reply {
	view := deliveriesView{each(page.Deliveries, viewDelivery), deliveriesMetaView{Limit: page.Limit}}
	re := reply{status: http.StatusOK}
	if page.More {
		view.Meta.NextBefore = view.Deliveries[len(view.Deliveries)-1].EventID
		query := r.URL.Query()
		query.Set("before", view.Meta.NextBefore)
		re.header = http.Header{"Link": {fmt.Sprintf("<%s?%s>; rel=%q", canonicalPath(r), query.Encode(), "next")}}
	}
	re.body = view
	return re
}

func viewDelivery(d webhooks.Delivery) deliveryView {
	return deliveryView{
		EventID: EventIDs.Format(d.Event), EventType: d.Type, Sequence: d.Number, Status: d.Status,
		Next: viewTime(d.Due), Attempts: each(d.Attempts, viewAttempt), CreatedAt: viewTime(d.CreatedAt),
	}
}

func viewAttempt(a webhooks.Attempt) attemptView {
	return attemptView{viewTime(a.At), a.Took.Milliseconds(), a.Outcome, a.Response}
}

// decodeReplay reads the events to send again: event_ids, or after and until.
func decodeReplay(r *http.Request) (webhooks.Replay, error) {
	order, err := decodeEndpointOrder(r)
	return decodeJSON(r, err, "", func(o *jsonbody.Object) webhooks.Replay {
		replay := webhooks.Replay{Order: order, After: int64(o.Int("after")), Until: int64(o.Int("until"))}
		texts, ranged := o.Texts("event_ids"), o.Has("after") || o.Has("until")
		switch {
		case replay.After < 0 || replay.Until < 0:
			o.Wrong(jsonbody.InvalidType, "after", "after and until must be whole numbers from 0")
		case texts != nil && ranged:
			o.Wrong(jsonbody.InvalidValue, "event_ids", "event_ids cannot be given together with after or until")
		case texts == nil && !o.Has("after") && !o.Has("event_ids"):
			o.Wrong(jsonbody.Required, "event_ids", "event_ids is required, or after")
		case texts != nil:
			replay.Events = eventIDs(o, texts)
		}
		return replay
	}, noFaults)
}

func eventIDs(o *jsonbody.Object, texts []string) []shipments.EventID {
	if len(texts) == 0 || len(texts) > webhooks.MaxReplayedNamed {
		o.Wrong(
			jsonbody.OutOfRange, "event_ids",
			fmt.Sprintf("event_ids must have from 1 to %d elements", webhooks.MaxReplayedNamed),
		)
		return nil
	}
	all := make([]shipments.EventID, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = EventIDs.Parse(text); err != nil {
			at := fmt.Sprintf("event_ids/%d", i)
			o.Wrong(jsonbody.InvalidValue, at, "there is no such event, or it is no longer kept")
		}
	}
	return all
}

func viewReplayed(r webhooks.Replayed) webhooks.Replayed { return r }
