package web

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// showPage is the data of the page of a shipment.
type showPage struct {
	pages.Faults
	shipments.Detail
	Texts     []draftField
	Link      string
	Checks    checkRows
	Rows      []palletRow
	Files     []fileRow
	History   []shipments.Entry
	Earlier   int64     // entries of the history that are not shown
	Findings  checkRows // the checks that fail or warn
	Failing   bool      // one of them fails
	Accepted  []string  // names of findings that the form accepts
	Types     []shipments.DocumentType
	Decide    bool // the person may, and the shipment is ready, or its documents could not be read
	Edit      bool
	Attach    bool
	Delete    bool
	Documents bool  // the person may read documents
	Lines     int64 // of the pallets, of which only the first are shown; 0: all are
	Reason    string
	Me        string   // the id of the person, in the history
	Preview   *preview // of a document that is not attached yet
	release   func()   // called when the page was sent
}

// checkRow is a check with links to what it found.
type checkRow struct {
	shipments.Check
	Places []link
}

// checkRows are checks, failing first, and last those that could not be made.
type checkRows []checkRow

// Accepts reports whether the form accepts what a check found.
func (p showPage) Accepts(check string) bool { return slices.Contains(p.Accepted, check) }

func (rows checkRows) Made() checkRows    { return rows[:rows.made()] }
func (rows checkRows) Skipped() checkRows { return rows[rows.made():] }

func (rows checkRows) made() int {
	at := slices.IndexFunc(rows, func(r checkRow) bool { return r.Result == shipments.Skip })
	if at < 0 {
		return len(rows)
	}
	return at
}

// link leads to where a check found something.
type link struct{ Text, To string }

// fileRow is a document with its actions.
type fileRow struct {
	shipments.Document
	Anchor, Link      string
	Delete, Reprocess bool
}

func (s *site) show(ctx context.Context, v *visit) (answer, error) {
	p, err := s.shown(ctx, v)
	return p.page(), err
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

// shown returns the page of the shipment in the path.
func (s *site) shown(ctx context.Context, v *visit) (showPage, error) {
	found, err := s.get(ctx, v)
	if err != nil {
		return showPage{}, err
	}
	history, err := s.Service.History(ctx, v.org, shipments.HistoryQuery{ID: found.ID, PerPage: shipments.MaxPerPage})
	if err != nil {
		found.Release()
		return showPage{}, err
	}
	allowed, failed := shipments.Allowed(found.Status), 0
	for _, d := range found.Documents {
		if d.Status == shipments.Failed {
			failed++
		}
	}
	p := showPage{
		Detail: found.Detail, Texts: fieldsOf(found.Draft, shipments.TextFields), Link: v.here(), History: history.Elements,
		Types: shipments.DocumentTypes, Me: v.person.Actor(),
		Decide: (found.Status == shipments.ReadyForReview || failed > 0) && slices.Contains(allowed, shipments.Reject) &&
			v.may("POST /api/v1/shipments/{id}/approve"),
		Edit:   slices.Contains(allowed, shipments.Update) && v.may("PATCH /api/v1/shipments/{id}"),
		Attach: slices.Contains(allowed, shipments.AttachDocument) && v.may("POST /api/v1/shipments/{id}/documents"),
		Delete: slices.Contains(allowed, shipments.Delete) && len(found.Documents) == failed &&
			v.may("DELETE /api/v1/shipments/{id}"),
		Documents: v.may("GET /api/v1/shipments/{id}/documents"), release: found.Release, Lines: found.Lines,
	}
	p.Earlier = history.Total - int64(len(p.History))
	names := map[shipments.DocumentID]string{}
	for _, d := range found.Documents {
		if p.Documents {
			names[d.ID] = cmp.Or(d.Filename, "the pallets that were sent")
		}
	}
	p.Checks, p.Rows = findings("pallet-", found.Checks, found.Pallets, names)
	for _, c := range p.Checks {
		if needsAcceptance(c.Check) {
			p.Findings = append(p.Findings, c)
			p.Failing = p.Failing || c.Result == shipments.Fail
		}
	}
	for _, d := range found.Documents {
		name := transport.DocumentIDs.Format(d.ID)
		p.Files = append(p.Files, fileRow{
			Document: d, Anchor: name, Link: p.Link + "/documents/" + name,
			Delete:    p.Attach && !d.Unfinished(),
			Reprocess: p.Attach && d.Kind != shipments.Unread && !d.Unfinished(),
		})
	}
	return p, nil
}

// order is that of results on the page.
var order = []shipments.Result{shipments.Fail, shipments.Warn, shipments.Pass, shipments.Skip}

// palletRow is a pallet with the worst result of the checks that name it.
type palletRow struct {
	shipments.Pallet
	ID     string           // of the row
	Result shipments.Result // fail or warn; "": no check names it
}

// findings returns checks, failing first, with links to the pallet that was read at a place, or
// else to the document, if it has a name here; and the pallets, marked.
func findings(
	prefix string, checks []shipments.Check, pallets []shipments.Pallet, names map[shipments.DocumentID]string,
) (rows checkRows, marked []palletRow) {
	at := map[shipments.Source]int{}
	for i, p := range pallets {
		marked = append(marked, palletRow{Pallet: p, ID: prefix + number(int64(i))})
		at[p.Source] = i
		for _, c := range p.Contents {
			at[shipments.Source{Document: p.Document, Sheet: c.Sheet, Row: c.Row}] = i
		}
	}
	for _, c := range checks {
		row := checkRow{Check: c}
		for _, l := range c.Locations {
			where := link{Text: locationText(l, names[l.Document])}
			if i, ok := at[l.Source]; ok && l.Row > 0 {
				where.To = "#" + marked[i].ID
				if c.Result == shipments.Fail || c.Result == shipments.Warn && marked[i].Result == "" {
					marked[i].Result = c.Result
				}
			} else if names[l.Document] != "" {
				where.To = "#" + transport.DocumentIDs.Format(l.Document)
			}
			if where.Text != "" {
				row.Places = append(row.Places, where)
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b checkRow) int {
		return cmp.Compare(slices.Index(order, a.Result), slices.Index(order, b.Result))
	})
	return rows, marked
}

// locationText says where something was found: "pallet P1, row 7 of Sheet1, list.xlsx".
func locationText(l shipments.Location, document string) string {
	var parts []string
	if l.PalletNumber != "" {
		parts = append(parts, "pallet "+l.PalletNumber)
	}
	if l.Row > 0 {
		row := "row " + number(int64(l.Row))
		if l.Sheet != "" {
			row += " of " + l.Sheet
		}
		parts = append(parts, row)
	}
	if document != "" {
		parts = append(parts, document)
	}
	return strings.Join(parts, ", ")
}
