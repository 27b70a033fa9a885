package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// WebhooksPath is the address of the pages of webhook endpoints.
const WebhooksPath = "/webhooks"

// maxDeliveries is how many deliveries the page of an endpoint shows at a time.
const maxDeliveries = 20

// webhookPage is the page of an endpoint.
type webhookPage struct {
	Endpoint   webhooks.Endpoint
	Form       webhookForm
	Deliveries []webhooks.Delivery
	Status     webhooks.DeliveryStatus // of the deliveries that are shown; "": all
	Tabs       []pages.Tab
	Older      string // the address of the next page; "": none
}

// hooks is the address of a page of the organization's webhooks.
func (v *visit) hooks(rest ...string) string {
	return strings.Join(append([]string{WebhooksPath, v.person.Organization}, rest...), "/")
}

// onEndpoint is an action of the person on the endpoint in the path.
func (v *visit) onEndpoint() webhooks.Order {
	return webhooks.Order{ID: v.endpoint, By: v.order().By}
}

func (s *site) listWebhooks(ctx context.Context, v *visit) (answer, error) {
	all, err := s.Webhooks.List(ctx, v.org, struct{}{})
	return page("webhooks", "Webhooks", all), err
}

func (s *site) showWebhook(ctx context.Context, v *visit) (answer, error) {
	e, err := s.webhook(ctx, v)
	if err != nil {
		return answer{}, err
	}
	return s.webhookAnswer(ctx, v, e, formOf(e))
}

// webhook returns the endpoint in the path.
func (s *site) webhook(ctx context.Context, v *visit) (webhooks.Endpoint, error) {
	return s.Webhooks.Get(ctx, v.org, v.endpoint)
}

// webhookAnswer is the page of an endpoint, with its form as it was filled in.
func (s *site) webhookAnswer(ctx context.Context, v *visit, e webhooks.Endpoint, f webhookForm) (answer, error) {
	query := v.URL.Query()
	q := webhooks.DeliveryQuery{
		Endpoint: e.ID, Status: webhooks.DeliveryStatus(query.Get("status")), Limit: maxDeliveries,
	}
	if id, err := transport.EventIDs.Parse(query.Get("before")); err == nil {
		q.Before = &id
	}
	found, err := s.Webhooks.Deliveries(ctx, v.org, q)
	if err != nil {
		return answer{}, err
	}
	f.Do = v.hooks(transport.WebhookIDs.Format(e.ID))
	p := webhookPage{
		Endpoint: e, Form: f, Deliveries: found.Deliveries, Status: q.Status,
		Tabs: tabs(v, f.Do, webhooks.DeliveryStatuses, q.Status),
	}
	if found.More {
		query.Set("before", transport.EventIDs.Format(p.Deliveries[len(p.Deliveries)-1].Event))
		p.Older = "?" + query.Encode()
	}
	return page("webhook", "Webhook endpoint", p).as(pages.Status(f)), nil
}

// sendTest sends a test event to the endpoint in the path.
func (s *site) sendTest(ctx context.Context, v *visit) (answer, error) {
	_, err := s.Webhooks.SendTest(ctx, v.org, v.onEndpoint())
	return redirect(v.hooks(v.PathValue("id")), "tested"), err
}

// replay sends one event again.
func (s *site) replay(ctx context.Context, v *visit) (answer, error) {
	again := webhooks.Replay{Order: v.onEndpoint(), Events: []shipments.EventID{v.event}}
	_, err := s.Webhooks.Replay(ctx, v.org, again)
	return redirect(v.hooks(v.PathValue("id")), "replayed"), err
}

// deliveryPage is a delivery with the request that is sent.
type deliveryPage struct {
	webhooks.Delivery
	Link string // of the endpoint
	URL  string
	Body string // "": the event is no longer kept
}

// delivery shows what is sent of an event, and the responses.
func (s *site) delivery(ctx context.Context, v *visit) (answer, error) {
	e, err := s.webhook(ctx, v)
	if err != nil {
		return answer{}, err
	}
	d, err := s.Webhooks.Delivery(ctx, v.org, e.ID, v.event)
	if err != nil {
		return answer{}, err
	}
	body, err := s.sent(ctx, v, d)
	p := deliveryPage{d, v.hooks(v.PathValue("id")), e.URL, body}
	return page("delivery", string(d.Type), p), err
}

// sent returns the body of a delivery, or "" if its event is no longer kept.
func (s *site) sent(ctx context.Context, v *visit, d webhooks.Delivery) (string, error) {
	event := shipments.Event{Org: v.org, ID: d.Event, Type: d.Type, At: d.CreatedAt} // of a test
	if d.Number > 0 {
		found, err := s.Service.Events(ctx, v.org, shipments.EventQuery{After: d.Number - 1, Limit: 1})
		if errors.As(err, new(*shipments.ExpiredError)) || err == nil && len(found.Events) == 0 {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		event = found.Events[0]
	}
	_, body, err := transport.Webhook(event)
	var text bytes.Buffer
	if err == nil {
		err = json.Indent(&text, body, "", "  ")
	}
	return text.String(), err
}
