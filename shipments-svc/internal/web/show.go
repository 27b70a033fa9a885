package web

import (
	"cmp"
	"context"
	"slices"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// showPage is the data of the pages of a shipment.
type showPage struct {
	pages.Faults
	shipments.Detail
	Tab       string // review, documents, pallets, history, or print: all of them below each other
	Texts     []draftField
	Link      string
	Decided   *shipments.Entry // the last decision, if it stands
	Checks    checkRows
	Rows      []palletRow
	Files     []fileRow
	History   []happening
	Comments  int
	Earlier   int64    // entries of the history that are not shown
	Accepted  []string // names of findings that the form accepts
	Types     []shipments.DocumentType
	Decide    bool // the person may, and the shipment is ready, or its documents could not be read
	Edit      bool
	Attach    bool
	Delete    bool
	Comment   bool
	Documents bool     // the person may read documents
	Lines     int64    // of the pallets, of which only the first are shown; 0: all are
	Reason    string   // or a comment, that was typed
	Me        string   // the id of the person, in the history
	Preview   *preview // of a document that is not attached yet
	release   func()   // called when the page was sent
}

// Accepts reports whether the form accepts what a check found.
func (p showPage) Accepts(check string) bool { return slices.Contains(p.Accepted, check) }

// Shows reports whether the page has the content of a tab.
func (p showPage) Shows(tab string) bool { return p.Tab == tab || p.Tab == "print" }

// fileRow is a document with its actions.
type fileRow struct {
	shipments.Document
	Name, Anchor, Link string
	Findings           int // checks that found something in it
}

// showing returns the route of a tab.
func showing(tab string) func(*site, context.Context, *visit) (answer, error) {
	return func(s *site, ctx context.Context, v *visit) (answer, error) {
		p, err := s.shown(ctx, v, tab)
		return p.page(), err
	}
}

func (p showPage) page() answer {
	a := page("shipment", p.Reference, p)
	a.release = p.release
	return a
}

// maxShown is how many bytes of pallets a page shows. All of more are in the workbook.
const maxShown = 1 << 20

// get returns the shipment in the path.
func (s *site) get(ctx context.Context, v *visit) (shipments.GetResult, error) {
	return s.Service.Get(ctx, v.org, shipments.GetQuery{ID: v.shipment, Shown: maxShown})
}

// shown returns the page of the shipment in the path with one of its tabs.
func (s *site) shown(ctx context.Context, v *visit, tab string) (showPage, error) {
	found, err := s.get(ctx, v)
	if err != nil {
		return showPage{}, err
	}
	history, err := s.Service.History(ctx, v.org, shipments.PageQuery{ID: found.ID, PerPage: shipments.MaxPerPage})
	comments, failed := s.Service.Comments(ctx, v.org, found.ID)
	if err = cmp.Or(err, failed); err != nil {
		found.Release()
		return showPage{}, err
	}
	p := showPage{
		Detail: found.Detail, Texts: fieldsOf(found.Draft, shipments.TextFields), Link: v.here(), Tab: tab,
		Types: shipments.DocumentTypes, Me: v.person.Actor(), release: found.Release, Lines: found.Lines,
		Documents: v.may("GET /api/v1/shipments/{id}/documents"),
	}
	if tab != "print" {
		p.permit(v)
	}
	links := placesOf{map[shipments.DocumentID]string{}, map[shipments.DocumentID]string{}, p.Link + "/pallets#pallet-"}
	for _, d := range found.Documents {
		id := transport.DocumentIDs.Format(d.ID)
		row := fileRow{d, cmp.Or(d.Filename, "the pallets that were sent"), id, p.Link + "/documents/" + id, 0}
		for _, c := range found.Checks {
			if _, here := foundIn(c, d.ID); here {
				row.Findings++
			}
		}
		p.Files, links.names[d.ID] = append(p.Files, row), row.Name
		if p.Documents && d.Filename != "" {
			links.files[d.ID] = row.Link
		}
	}
	p.Checks, p.Rows = links.findings(found.Checks, found.Pallets)
	p.History, p.Comments = timeline(history.Elements, comments, links.names), len(comments)
	p.Earlier = history.Total - int64(len(history.Elements))
	decision := func(e shipments.Entry) bool { return e.Action == shipments.Approve || e.Action == shipments.Reject }
	if i := slices.IndexFunc(history.Elements, decision); i >= 0 && history.Elements[i].Status == found.Status {
		p.Decided = &history.Elements[i]
	}
	return p, nil
}

// permit sets what the person may do with the shipment as it is.
func (p *showPage) permit(v *visit) {
	allowed, failed := shipments.Allowed(p.Status), 0
	for _, d := range p.Detail.Documents {
		if d.Status == shipments.Failed {
			failed++
		}
	}
	may := func(action shipments.Action, api string) bool { return slices.Contains(allowed, action) && v.may(api) }
	p.Decide = (p.Status == shipments.ReadyForReview || failed > 0) &&
		may(shipments.Reject, "POST /api/v1/shipments/{id}/approve")
	p.Comment = v.mayComment()
	p.Edit = may(shipments.Update, "PATCH /api/v1/shipments/{id}")
	p.Attach = may(shipments.AttachDocument, "POST /api/v1/shipments/{id}/documents")
	p.Delete = len(p.Detail.Documents) == failed && may(shipments.Delete, "DELETE /api/v1/shipments/{id}")
}
