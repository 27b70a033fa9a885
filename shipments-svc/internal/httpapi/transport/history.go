package transport

import (
	"net/http"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type historyView struct {
	History []entryView `json:"history"`
	Meta    metaView    `json:"meta"`
}

type entryView struct {
	Version int64              `json:"version"`
	At      string             `json:"at"`
	TokenID string             `json:"token_id,omitempty"`
	UserID  string             `json:"user_id,omitempty"` // of a person, instead of a token
	Action  shipments.Action   `json:"action"`
	Status  shipments.Status   `json:"status"`
	Reason  string             `json:"reason,omitempty"`
	Changes []shipments.Change `json:"changes,omitempty"`

	DocumentID string `json:"document_id,omitempty"`
}

func decodeHistory(r *http.Request) (shipments.HistoryQuery, error) {
	p := readParameters(r)
	q := shipments.HistoryQuery{Page: p.page(), PerPage: p.perPage()}
	if err := p.Err(); err != nil {
		return q, err
	}
	var err error
	q.ID, err = shipmentID(r)
	return q, err
}

func encodeHistory(r *http.Request, page shipments.HistoryPage) reply {
	view := historyView{each(page.Entries, viewEntry), metaView(page.Paging)}
	return reply{status: http.StatusOK, header: http.Header{"Link": {links(r.URL, page.Paging)}}, body: view}
}

func viewEntry(e shipments.Entry) entryView {
	view := entryView{
		Version: e.Version, At: viewTime(e.At),
		Action: e.Action, Status: e.Status, Reason: e.Reason, Changes: e.Changes,
	}
	if strings.HasPrefix(string(e.By), "usr_") {
		view.UserID = string(e.By)
	} else {
		view.TokenID = string(e.By)
	}
	if e.Document != (shipments.DocumentID{}) {
		view.DocumentID = viewDocumentID(e.Document)
	}
	return view
}
