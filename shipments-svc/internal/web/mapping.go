package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// mappingPage is the form that corrects how the columns of a packing list were understood.
type mappingPage struct {
	pages.Faults
	shipments.Document
	Link, Back string
	Tables     []mappedTable
	Choices    []string // the fields that a column can have
	Styles     []shipments.NumberStyle
	SaveAs     string
}

// mappedTable is a table of the list.
type mappedTable struct {
	shipments.Mapping
	Number int // in the names of the form's fields
}

// Field is for templates: the field that a column has now, "" if it is not used.
func (mappedTable) Field(c shipments.MappedColumn) string {
	if !c.Used {
		return ""
	}
	return c.Field
}

func (s *site) showMapping(ctx context.Context, v *visit) (answer, error) {
	p, err := s.mapping(ctx, v)
	return page("mapping", "Columns of "+p.Filename, p), err
}

func (s *site) mapping(ctx context.Context, v *visit) (mappingPage, error) {
	d, back, err := s.document(ctx, v)
	if err != nil {
		return mappingPage{}, err
	}
	p := mappingPage{
		Document: d, Back: back, Link: back + "/documents/" + transport.FormatDocumentID(d.ID) + "/mapping",
		Choices: shipments.MappingFields, Styles: []shipments.NumberStyle{shipments.PointStyle, shipments.CommaStyle},
	}
	for i, m := range d.Mappings {
		p.Tables = append(p.Tables, mappedTable{m, i})
	}
	return p, nil
}

// correct has the list read again with the fields of the form. Only what differs from the
// reading is given: the rest stays the reader's.
func (s *site) correct(ctx context.Context, v *visit) (answer, error) {
	if err := v.parse(); err != nil {
		return errorPage(http.StatusNotFound), nil
	}
	p, err := s.mapping(ctx, v)
	if err != nil {
		return answer{}, err
	}
	o, err := v.documentOrder()
	if err != nil {
		return answer{}, err
	}
	c := shipments.Correction{DocumentOrder: o, Mappings: []shipments.Assignment{}}
	for _, t := range p.Tables {
		if a := t.corrected(v); len(a.Columns) > 0 || a.NumberStyle != "" {
			c.Mappings = append(c.Mappings, a)
		}
	}
	if p.SaveAs = v.text("save_as"); p.SaveAs != "" {
		c.SaveAs = &p.SaveAs
	}
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	_, err = s.Service.CorrectMapping(ctx, v.org, c)
	if invalid, ok := errors.AsType[*shipments.Invalid](err); ok {
		p.Faults = pages.Faults{{Field: "save_as", Text: sentence(invalid.Faults[0].Detail)}}
		return page("mapping", "Columns of "+p.Filename, p).as(http.StatusUnprocessableEntity), nil
	}
	if err != nil {
		return answer{}, err
	}
	return redirect(p.Back, "reprocessed"), nil
}

// corrected returns the fields of the form that are not those of the table.
func (t mappedTable) corrected(v *visit) shipments.Assignment {
	a := shipments.Assignment{Sheet: t.Sheet}
	for _, c := range t.Columns {
		field := v.PostForm.Get(fmt.Sprintf("%d-%s", t.Number, c.Column))
		if field != t.Field(c) && (field == "" || slices.Contains(shipments.MappingFields, field)) {
			a.Columns = append(a.Columns, shipments.AssignedColumn{Column: c.Column, Field: field})
		}
	}
	if style := shipments.NumberStyle(v.PostForm.Get(fmt.Sprintf("%d-style", t.Number))); style != t.NumberStyle {
		a.NumberStyle = style
	}
	return a
}
