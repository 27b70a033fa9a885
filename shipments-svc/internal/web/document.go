package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
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
	Facts           []factRow
	Findings        checkRows
	Sheet           sheetView
	Picture         string // the address of the picture of its page; "": it has none
	Unshown         string // why its table is not shown
	Types           []shipments.DocumentType
	May             struct{ Change, Read, Correct bool } // what the person may do with it now

	Tables  []mappedTable
	Choices []string // the fields that a column can have
	Styles  []list.NumberStyle
	SaveAs  string
	Change  *change // what a correction would change
}

// factRow is what a document says about one subject.
type factRow struct {
	Kind   string
	Values []link
}

func (p documentPage) page() answer { return page("document", p.Name, p) }

func (s *site) showDocument(ctx context.Context, v *visit) (answer, error) {
	p, _, err := s.documentPage(ctx, v)
	return p.page(), err
}

// documentPage returns the page of the document in the path, and its shipment.
func (s *site) documentPage(ctx context.Context, v *visit) (p documentPage, of shipments.Detail, err error) {
	d, err := s.document(ctx, v)
	if err != nil {
		return p, of, err
	}
	found, err := s.get(ctx, v)
	if err != nil {
		return p, of, err
	}
	defer found.Release()
	p = documentPage{
		Document: d, Name: cmp.Or(d.Filename, "The pallets that were sent"), Reference: found.Reference,
		Version: found.Version, Back: v.here(), Link: v.here() + "/documents/" + v.PathValue("document"),
		Types: shipments.DocumentTypes, Choices: list.Fields,
		Styles: []list.NumberStyle{list.PointStyle, list.CommaStyle},
	}
	allowed := func(a shipments.Action, api string) bool {
		return !d.Unfinished() && d.Filename != "" && slices.Contains(shipments.Allowed(found.Status), a) && v.may(api)
	}
	p.May.Change = allowed(shipments.UpdateDocument, "PATCH /api/v1/shipments/{id}/documents/{document}")
	p.May.Read = p.May.Change && d.Kind != shipments.Unread
	p.May.Correct = p.May.Read && d.Type == shipments.PackingList
	for i, m := range d.Mappings {
		p.Tables = append(p.Tables, mappedTable{m, i, v.PostForm})
	}
	here := placesOf{file: map[shipments.DocumentID]string{d.ID: p.Link}}
	p.Facts = factsOf(d, here)
	var inIt []shipments.Check
	for _, c := range found.Checks {
		elsewhere := func(l shipments.Location) bool { return l.Document != d.ID }
		c.Locations = slices.DeleteFunc(slices.Clone(c.Locations), elsewhere)
		if needsAcceptance(c) && len(c.Locations) > 0 {
			inIt = append(inIt, c)
		}
	}
	p.Findings, _ = here.findings(inIt, nil)
	return p, found.Detail, s.look(ctx, v, &p)
}

// lookWait is how long a page waits until a table can be shown. Without it the page is complete.
const lookWait = 10 * time.Second

// look adds what the document looks like at the place of the query.
func (s *site) look(ctx context.Context, v *visit, p *documentPage) error {
	sheet := v.URL.Query().Get("sheet")
	row, _ := strconv.Atoi(v.URL.Query().Get("row")) // another place is that of the first
	if p.Kind == shipments.PDF {
		p.Picture = p.Link + "/pages/" + strconv.Itoa(pageNumber(sheet))
	} else if slices.Contains([]string{"image/png", "image/jpeg"}, p.ContentType) {
		p.Picture = p.Link + "/file"
	}
	if p.Kind == shipments.Unread {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	release, err := s.Uploads.Process(ctx, v.org, p.Size)
	if err == nil {
		defer release()
		var part shipments.TablePart
		part, err = s.Service.Table(ctx, v.org, shipments.TableOrder{
			DocumentOrder: shipments.DocumentOrder{Order: v.order(), Document: v.document}, Sheet: sheet, Row: row,
		})
		p.Sheet = p.view(part)
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

// pageNumber returns the number of the page of a PDF, whose sheets are called "page 3".
func pageNumber(sheet string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(sheet, "page "))
	if err != nil {
		return 1
	}
	return n
}

// picture sends a page of a PDF as a picture.
func (s *site) picture(ctx context.Context, v *visit) (answer, error) {
	o := shipments.PageOrder{DocumentOrder: shipments.DocumentOrder{Order: v.order(), Document: v.document}}
	var err error
	if o.Number, err = strconv.Atoi(v.PathValue("page")); err != nil || o.Number < 1 {
		return answer{}, shipments.ErrNoPage
	}
	shown, err := s.Uploads.Page(s.Service)(ctx, v.org, o)
	return answer{send: func(w http.ResponseWriter) error { return transport.SendPage(w, v.Request, shown) }}, err
}

// maxValues is how many values of a fact are shown.
const maxValues = 6

// factsOf returns what a document says, with links to where.
func factsOf(d shipments.Document, at placesOf) (all []factRow) {
	add := func(kind string, value link) {
		i := slices.IndexFunc(all, func(r factRow) bool { return r.Kind == kind })
		if i < 0 {
			i, all = len(all), append(all, factRow{Kind: kind})
		}
		if len(all[i].Values) == maxValues {
			value = link{Text: "and more"}
		}
		same := func(l link) bool { return l.Text == value.Text }
		if value.Text != "" && value.Text != "0" && !slices.ContainsFunc(all[i].Values, same) {
			all[i].Values = append(all[i].Values, value)
		}
	}
	for _, f := range d.Facts {
		add(words(string(f.Kind)), link{f.Text, at.to(shipments.Source{Document: d.ID, Sheet: f.Sheet, Row: f.Row})})
	}
	add("Container number", link{Text: d.Declared.ContainerNumber})
	add("Pallets", link{Text: list.Figure(d.Declared.Pallets)})
	add("Boxes", link{Text: list.Figure(d.Declared.Boxes)})
	add("Net weight", link{Text: strings.TrimSuffix(d.Declared.NetWeight.Figure()+" kg", "0 kg")})
	return slices.DeleteFunc(all, func(r factRow) bool { return r.Values == nil })
}

// sheetView is a part of a table as it was read.
type sheetView struct {
	Columns        []list.AssignedColumn // with the fields that are read from them
	Rows           []sheetRow
	Count          int // of the rows of the whole table
	Earlier, Later string
	Sheets         []pages.Link
}

// sheetRow is a row with what the checks found in it.
type sheetRow struct {
	Row    int
	Cells  []sheetCell
	Result shipments.Result // the worst; "": nothing was found
	Found  []string         // names of checks
}

type sheetCell struct {
	Text   string
	Marked bool // a check found something in it
}

// inspected are the fields in which checks find something.
var inspected = map[string][]string{
	"sscc_check_digit":         {"sscc", "pallet_number"},
	"duplicate_pallets":        {"pallet_number", "sscc"},
	"pallet_reuse":             {"pallet_number", "sscc"},
	"calibre_known":            {"calibre"},
	"produce_vs_phyto":         {"produce_name", "variety"},
	"boxes_per_pallet_outlier": {"boxes"},
	"box_weight_consistent":    {"box_weight", "net_weight"},
	"pallet_weight_plausible":  {"box_weight", "net_weight", "gross_weight"},
	"weight_unit":              {"box_weight", "net_weight"},
	"container_number":         {"container_number"},
}

// view returns a part of a table with the findings in it marked.
func (p documentPage) view(part shipments.TablePart) sheetView {
	to := func(sheet string, row int) string {
		query := url.Values{"sheet": {sheet}}
		if row > 0 {
			query.Set("row", strconv.Itoa(row))
		}
		return p.Link + "?" + query.Encode() + "#sheet"
	}
	seen := sheetView{Count: part.RowsCount}
	if part.Before > 0 {
		seen.Earlier = to(part.Sheet, part.Before)
	}
	if part.After > 0 {
		seen.Later = to(part.Sheet, part.After)
	}
	for _, name := range part.Sheets {
		sheet := pages.Link{Text: cmp.Or(name, "Table"), To: to(name, 0), Current: name == part.Sheet}
		seen.Sheets = append(seen.Sheets, sheet)
	}
	for _, r := range part.Rows {
		row := sheetRow{Row: r.Row}
		for i, text := range r.Cells {
			if i == len(seen.Columns) {
				column := tables.ColumnName(i + 1)
				seen.Columns = append(seen.Columns, list.AssignedColumn{Column: column, Field: p.field(part.Sheet, column)})
			}
			row.Cells = append(row.Cells, sheetCell{Text: text})
		}
		here := func(l shipments.Location) bool { return l.Sheet == part.Sheet && l.Row == r.Row }
		for _, c := range p.Findings {
			if slices.ContainsFunc(c.Locations, here) {
				row.mark(c, seen.Columns, p.Document.Facts)
			}
		}
		seen.Rows = append(seen.Rows, row)
	}
	for i := range seen.Rows {
		cells := &seen.Rows[i].Cells
		*cells = append(*cells, make([]sheetCell, len(seen.Columns)-len(*cells))...)
	}
	return seen
}

// field returns the field that a column of a sheet is read as, of a page without headings by those of the first.
func (p documentPage) field(sheet, column string) string {
	i := slices.IndexFunc(p.Mappings, func(m list.Mapping) bool { return m.Sheet == sheet })
	if i < 0 && p.Kind != shipments.PDF || len(p.Mappings) == 0 {
		return ""
	}
	for _, c := range p.Mappings[max(i, 0)].Columns {
		if c.Column == column {
			return usedField(c)
		}
	}
	return ""
}

// mark marks what a check found in the row: the cells of the fields that it is about, or of the facts.
func (r *sheetRow) mark(c checkRow, columns []list.AssignedColumn, facts []list.Fact) {
	if r.Found = append(r.Found, c.Name); r.Result != shipments.Fail {
		r.Result = c.Result
	}
	for i := range r.Cells {
		cell := &r.Cells[i]
		states := func(f list.Fact) bool {
			return f.Row == r.Row && f.Text != "" && strings.Contains(cell.Text, f.Text)
		}
		fields := inspected[c.Name]
		if slices.Contains(fields, columns[i].Field) || fields == nil && slices.ContainsFunc(facts, states) {
			cell.Marked = true
		}
	}
}
