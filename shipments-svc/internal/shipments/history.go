package shipments

import (
	"context"
	"time"
)

// Actor is who did something: an API token, or a person on a page.
type Actor struct {
	ID   string `json:"id"`   // "tok_…" or "usr_…"; empty: the service itself
	Name string `json:"name"` // of a person, as it was then; empty: it is not known
}

// Create is how a shipment came to be, in its history.
const Create Action = "create"

// Entry is one change of a shipment: who did what, when, and what became of
// it. A shipment has one for each of its versions.
type Entry struct {
	Version int64     `json:"version"` // that the change made
	At      time.Time `json:"at"`
	By      Actor     `json:"by"`
	Action  Action    `json:"action"`
	Status  Status    `json:"status"`  // after it
	Reason  string    `json:"reason"`  // of a decision; empty: none was given
	Changes []Change  `json:"changes"` // of an Update, an UpdateDocument, or a DeleteDocument

	// Accepted is what the checks had found when the shipment was approved.
	Accepted []Finding `json:"accepted"`

	Document DocumentID `json:"document_id"` // that it is about; zero: the shipment alone
}

// Change is a text of a shipment that was replaced, or the type of a document, or the name of one that was deleted.
type Change struct {
	Field string `json:"field"` // the name of a TextField, or "type" or "filename"
	From  string `json:"from"`
	To    string `json:"to"`
}

// Finding is a check that failed or warned.
type Finding struct {
	Check   string `json:"check"` // its name
	Result  Result `json:"result"`
	Details string `json:"details"`
}

// History returns one page of what happened to a shipment, or ErrNotFound. A
// page past the end is empty and has the true total.
func (s *Service) History(ctx context.Context, org OrgID, q PageQuery) (page Page[Entry], err error) {
	var offset int64
	page.Paging, offset = pagingOf(q.Page, q.PerPage, DefaultPerPage, MaxPerPage)
	page.Elements, page.Total, err = s.repo.History(ctx, org, q.ID, offset, page.PerPage)
	return page, err
}
