package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// commented is what the history calls a comment.
const commented shipments.Action = "comment"

// happening is an entry of a shipment's history, or a comment as one whose reason is its text.
type happening struct {
	shipments.Entry
	Document string // the name of the document that it is about; "": there is none any more
}

// timeline returns history and comments, the latest first.
func timeline(
	history []shipments.Entry, comments []shipments.Comment, names map[shipments.DocumentID]string,
) (all []happening) {
	for _, e := range history { // that a document was deleted comes before what happened to it
		if e.Action == shipments.DeleteDocument && len(e.Changes) > 0 {
			names[e.Document], e.Changes = e.Changes[0].From, nil
		}
		all = append(all, happening{e, names[e.Document]})
	}
	for _, c := range comments {
		all = append(all, happening{Entry: shipments.Entry{Action: commented, At: c.At, By: c.By, Reason: c.Text}})
	}
	slices.SortStableFunc(all, func(a, b happening) int { return b.At.Compare(a.At) })
	return all
}

// mayComment reports whether the person may comment on shipments: as those who write or review them.
func (v *visit) mayComment() bool {
	return v.may("PATCH /api/v1/shipments/{id}") || v.may("POST /api/v1/shipments/{id}/approve")
}

// comment adds the comment of the form, which is one line as a reason is.
func (s *site) comment(ctx context.Context, v *visit) (answer, error) {
	if !v.mayComment() {
		return errorPage(http.StatusForbidden), nil
	}
	text := strings.Join(strings.Fields(v.text("comment")), " ")
	err := s.Service.Comment(ctx, v.org, v.order(), text)
	wrong := faultsOf(err)
	if wrong == nil {
		return redirect(v.here()+"/history", "commented"), err
	}
	p, err := s.shown(ctx, v, "history")
	p.Faults, p.Reason = wrong, text
	return p.page(), err
}
