package transport

import (
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type historyView struct {
	History []entryView      `json:"history"`
	Meta    shipments.Paging `json:"meta"`
}

type entryView struct {
	Version int64              `json:"version"`
	At      string             `json:"at"`
	Actor   *actorView         `json:"actor,omitempty"`    // nil: the service itself
	TokenID string             `json:"token_id,omitempty"` // of Actor, if it is a token
	UserID  string             `json:"user_id,omitempty"`  // of Actor, if it is a person
	Action  shipments.Action   `json:"action"`
	Status  shipments.Status   `json:"status"`
	Reason  string             `json:"reason,omitempty"`
	Changes []shipments.Change `json:"changes,omitempty"`

	Accepted []shipments.Finding `json:"accepted,omitempty"`

	DocumentID string `json:"document_id,omitempty"`
}

type actorView struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// decodePageQuery returns the decoder of a page of what a shipment has, with at most so many elements.
func decodePageQuery(most int64) func(*http.Request) (shipments.PageQuery, error) {
	return func(r *http.Request) (q shipments.PageQuery, err error) {
		p := query.Read(r)
		q.Page, q.PerPage = p.Page(most)
		if err = p.Err(); err == nil {
			q.ID, err = ShipmentIDs.Parse(r.PathValue("id"))
		}
		return q, err
	}
}

var encodeHistory = paged(func(page shipments.Page[shipments.Entry]) (shipments.Paging, any) {
	return page.Paging, historyView{each(page.Elements, viewEntry), page.Paging}
})

func viewEntry(e shipments.Entry) entryView {
	view := entryView{
		Version: e.Version, At: viewTime(e.At),
		Action: e.Action, Status: e.Status, Reason: e.Reason, Changes: e.Changes, Accepted: e.Accepted,
	}
	switch {
	case e.By.ID == "":
	case strings.HasPrefix(e.By.ID, "usr_"):
		view.Actor, view.UserID = &actorView{e.By.ID, e.By.Name}, e.By.ID
	default:
		view.Actor, view.TokenID = &actorView{e.By.ID, e.By.Name}, e.By.ID
	}
	if e.Document != (shipments.DocumentID{}) {
		view.DocumentID = DocumentIDs.Format(e.Document)
	}
	return view
}
