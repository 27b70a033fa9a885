package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// documentPage is the page of a document: its facts, what the checks found in it, what it looks like, and how its
// columns are read.
type documentPage struct {
	pages.Faults
	shipments.Document
	Name, Reference string
	Version         int64 // of the shipment
	Link, Back      string
	Findings        checkRows
	Part            shipments.TablePart
	Picture         string // the address of the picture of its page; "": it has none
	Unshown         string // why its table is not shown
	Types           []shipments.DocumentType
	Change          bool // the person may change it now
	placesOf

	Tables  []mappedTable
	Choices []string // the fields that a column can have
	Styles  []list.NumberStyle
	SaveAs  string
	Tried   *change // what a correction would change
	before  *total  // of its pallets; nil: they are too many
	checks  []shipments.Check
}

func (p documentPage) page() answer { return page("document", p.Name, p) }

func (s *site) showDocument(ctx context.Context, v *visit) (answer, error) {
	p, err := s.documentPage(ctx, v)
	if err == nil {
		err = s.look(ctx, v, &p)
	}
	return p.page(), err
}

// documentPage returns the page of the document in the path, without what it looks like.
func (s *site) documentPage(ctx context.Context, v *visit) (p documentPage, err error) {
	d, err := s.document(ctx, v)
	if err != nil {
		return p, err
	}
	found, err := s.get(ctx, v)
	if err != nil {
		return p, err
	}
	p = documentPage{
		Document: d, Name: cmp.Or(d.Filename, "The pallets that were sent"), Reference: found.Reference,
		Version: found.Version, Back: v.here(), Link: v.here() + "/documents/" + v.PathValue("document"),
		Types: shipments.DocumentTypes, Choices: list.Fields, Styles: []list.NumberStyle{list.PointStyle, list.CommaStyle},
	}
	p.files = map[shipments.DocumentID]string{d.ID: p.Link}
	p.Change = !d.Unfinished() && d.Filename != "" && v.may("PATCH /api/v1/shipments/{id}/documents/{document}") &&
		slices.Contains(shipments.Allowed(found.Status), shipments.UpdateDocument)
	for i, m := range d.Mappings {
		p.Tables = append(p.Tables, mappedTable{m, i, v.PostForm})
	}
	var here []shipments.Check
	for _, c := range found.Checks {
		if c, in := foundIn(c, d.ID); in {
			here = append(here, c)
		}
	}
	p.Findings, _ = p.findings(here, nil)
	if p.checks = found.Checks; found.Lines == 0 {
		others := func(p shipments.Pallet) bool { return p.Document != d.ID }
		p.before = new(sum(slices.DeleteFunc(found.Pallets, others)))
	}
	found.Release()
	return p, nil
}

// lookWait is how long a page waits until a table can be shown. Without it the page is complete.
const lookWait = 10 * time.Second

// look adds what the document looks like at the place of the query.
func (s *site) look(ctx context.Context, v *visit, p *documentPage) error {
	sheet := v.URL.Query().Get("sheet")
	switch {
	case p.Kind == shipments.PDF: // its sheets are "page 1" and so on
		p.Picture = p.Link + "/pages/" + cmp.Or(strings.TrimPrefix(sheet, "page "), "1")
	case p.ContentType == "image/png" || p.ContentType == "image/jpeg":
		p.Picture = p.Link + "/file"
	}
	if p.Kind == shipments.Unread || p.Unfinished() { // an unfinished one is being read, and its page loaded again
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	release, err := s.Uploads.Process(ctx, shipments.OrganizationOf(v.org), p.Size)
	if err == nil {
		defer release()
		o := v.pageOrder(v.URL.Query().Get("row"))
		o.Sheet = sheet
		p.Part, err = s.Service.Table(ctx, v.org, o)
	}
	switch {
	case errors.Is(err, shipments.ErrNoPage), errors.Is(err, shipments.ErrNoFile):
		p.Unshown = "Its table cannot be shown: nothing of it could be read as a table."
	case errors.Is(err, limit.ErrShare), errors.Is(err, limit.ErrTotal), errors.Is(err, context.DeadlineExceeded):
		p.Unshown = "Its table cannot be shown now, because too many documents are being shown. Reload in a few seconds."
	default:
		return err
	}
	return nil
}

// pageOrder names a page of the document in the path, or a row; 0 where the text is no number.
func (v *visit) pageOrder(text string) shipments.PageOrder {
	n, _ := strconv.Atoi(text)
	return shipments.PageOrder{DocumentOrder: v.onDocument(), Number: n}
}

// picture sends a page of a PDF as a picture.
func (s *site) picture(_ context.Context, v *visit) (answer, error) {
	o := v.pageOrder(v.PathValue("page"))
	if o.Number < 1 {
		return answer{}, shipments.ErrNoPage
	}
	return answer{send: func(w http.ResponseWriter) error {
		return s.Uploads.SendPage(w, v.Request, s.Service, v.org, o)
	}}, nil
}

// inspected are the fields in which checks find something.
var inspected = map[string][]string{
	"sscc_check_digit": {"sscc", "pallet_number"}, "duplicate_pallets": {"pallet_number", "sscc"},
	"pallet_reuse": {"pallet_number", "sscc"}, "calibre_known": {"calibre"}, "container_number": {"container_number"},
	"produce_vs_phyto": {"produce_name", "variety"}, "boxes_per_pallet_outlier": {"boxes"},
	"box_weight_consistent": {"box_weight", "net_weight"}, "weight_unit": {"box_weight", "net_weight"},
	"pallet_weight_plausible": {"box_weight", "net_weight", "gross_weight"},
}

// Columns are those of the part of the table, with the fields that are read from them; of a page of a PDF without
// headings by those of the first.
func (p documentPage) Columns() (all []list.AssignedColumn) {
	columns, fields := 0, map[string]string{}
	for _, r := range p.Part.Rows {
		columns = max(columns, len(r.Cells))
	}
	for i, m := range p.Mappings {
		if m.Sheet == p.Part.Sheet || i == 0 && p.Kind == shipments.PDF {
			clear(fields)
			for _, c := range m.Columns {
				fields[c.Column] = usedField(c)
			}
		}
	}
	for i := range columns {
		name := tables.ColumnName(i + 1)
		all = append(all, list.AssignedColumn{Column: name, Field: fields[name]})
	}
	return all
}

// Found are the checks that found something in a row of the part.
func (p documentPage) Found(row int) checkRows {
	here := func(l shipments.Location) bool { return l.Sheet == p.Part.Sheet && l.Row == row }
	return slices.DeleteFunc(slices.Clone(p.Findings), func(c checkRow) bool {
		return !slices.ContainsFunc(c.Locations, here)
	})
}

// Marked reports whether a cell is one of those that checks are about: of their fields, or with a fact.
func (p documentPage) Marked(found checkRows, row int, column list.AssignedColumn, text string) bool {
	states := func(f list.Fact) bool { return f.Row == row && f.Text != "" && strings.Contains(text, f.Text) }
	return slices.ContainsFunc(found, func(c checkRow) bool {
		fields := inspected[c.Name]
		return slices.Contains(fields, column.Field) || fields == nil && slices.ContainsFunc(p.Document.Facts, states)
	})
}
