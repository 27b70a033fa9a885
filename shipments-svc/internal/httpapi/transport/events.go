package transport

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type eventsView struct {
	Events []eventView    `json:"events"`
	Meta   eventsMetaView `json:"meta"`
}

type eventsMetaView struct {
	After     int64 `json:"after"`
	Limit     int64 `json:"limit"`
	NextAfter int64 `json:"next_after"`
	// NextCursor is NextAfter with the epoch.
	NextCursor string `json:"next_cursor"`
}

// eventView is an event, in a list and as a webhook's body alike.
type eventView struct {
	eventHeadView
	Sequence int64       `json:"sequence"`
	Epoch    string      `json:"epoch"`
	Data     subjectView `json:"data"`
}

// eventHeadView is what an event and a test delivery have alike.
type eventHeadView struct {
	ID           string              `json:"id"`
	Type         shipments.EventType `json:"type"`
	Timestamp    string              `json:"timestamp"`
	Organization string              `json:"organization_id"`
	Environment  string              `json:"environment"`
}

func viewEventHead(e shipments.Event) eventHeadView {
	organization, environment := shipments.OrganizationOf(e.Org), "live"
	if shipments.OrgID(organization) != e.Org {
		environment = "test"
	}
	return eventHeadView{
		EventIDs.Format(e.ID), e.Type, viewTime(e.At), publicid.Format("org", uuid.UUID(organization)), environment,
	}
}

type subjectView struct {
	Shipment itemView      `json:"shipment"`
	Document *documentView `json:"document,omitempty"`
}

func decodeEvents(r *http.Request) (shipments.EventQuery, error) {
	p := query.Read(r)
	q := shipments.EventQuery{
		After: p.Number("after", 0, math.MaxInt64, ": meta.next_after of the answer before"),
		Limit: p.Limit("limit", shipments.MaxPerPage),
	}
	if cursor, given := p.Text("cursor"); given {
		epoch, number, _ := strings.Cut(cursor, "-")
		after, err := strconv.ParseUint(number, 10, 63)
		if q.After > 0 || err != nil {
			p.Fault("cursor", "cursor must be the meta.next_cursor of an answer, and not given together with after")
		}
		q.After, q.Epoch = int64(after), epoch
	}
	return q, p.Err()
}

func encodeEvents(r *http.Request, page shipments.EventPage) reply {
	view := eventsView{
		each(page.Events, viewEvent),
		eventsMetaView{page.After, page.Limit, page.Next, fmt.Sprintf("%s-%d", page.Epoch, page.Next)},
	}
	next := fmt.Sprintf("<%s?cursor=%s&limit=%d>; rel=%q", canonicalPath(r), view.Meta.NextCursor, page.Limit, "next")
	return reply{status: http.StatusOK, header: http.Header{"Link": {next}}, body: view}
}

func viewEvent(e shipments.Event) eventView {
	e.Shipment.UpdatedAt = e.At // which stored events of earlier versions of the program lack
	view := eventView{
		eventHeadView: viewEventHead(e), Sequence: e.Number, Epoch: e.Epoch,
		Data: subjectView{Shipment: viewItem(e.Shipment)},
	}
	if e.Document != nil {
		view.Data.Document = new(viewDocument(*e.Document))
	}
	return view
}

// testView is the body of a test delivery. It has the form of an event.
type testView struct {
	eventHeadView
	Data struct{} `json:"data"`
}

// Webhook returns the identifier and the body of what is sent to webhook
// endpoints: an event as the API shows it.
func Webhook(e shipments.Event) (id string, body []byte, err error) {
	var view any = viewEvent(e)
	if e.Type == webhooks.Test {
		view = testView{eventHeadView: viewEventHead(e)}
	}
	body, err = encodeJSON(view)
	return EventIDs.Format(e.ID), body, err
}
