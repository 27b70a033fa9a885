package web

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// mappingPage is the form that corrects how the columns of a packing list were understood.
type mappingPage struct {
	pages.Faults
	shipments.Document
	Version int64 // of the shipment
	Link    string
	Back    string
	Tables  []mappedTable
	Choices []string // the fields that a column can have
	Styles  []list.NumberStyle
	SaveAs  string
}

// mappedTable is a table of the list.
type mappedTable struct {
	list.Mapping
	Number int        // in the names of the form's fields
	form   url.Values // as it was sent; nil: it was not
}

// Name is the name of a column's selector.
func (t mappedTable) Name(c list.Column) string {
	return fmt.Sprintf("c%d-%s", t.Number, c.Column)
}

// Field is the field of a column in the form, or as it was read; "": it is not used.
func (t mappedTable) Field(c list.Column) string {
	if t.form != nil {
		return t.form.Get(t.Name(c))
	}
	return usedField(c)
}

// Style is the style of numbers in the form, or as it was read.
func (t mappedTable) Style() list.NumberStyle {
	if t.form != nil {
		return list.NumberStyle(t.form.Get(fmt.Sprintf("style%d", t.Number)))
	}
	return t.NumberStyle
}

// usedField returns the field that a column was read as; "": it was not used.
func usedField(c list.Column) string {
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
	head, err := s.Service.Head(ctx, v.org, v.shipment)
	if err != nil {
		return mappingPage{}, err
	}
	d, err := s.document(ctx, v)
	if err != nil {
		return mappingPage{}, err
	}
	p := mappingPage{
		Document: d, Version: head.Version, Back: v.here(), Link: v.here() + "/documents/" + v.PathValue("document"),
		Choices: list.Fields, Styles: []list.NumberStyle{list.PointStyle, list.CommaStyle},
	}
	for i, m := range d.Mappings {
		p.Tables = append(p.Tables, mappedTable{m, i, v.PostForm})
	}
	return p, nil
}

// correct has the list read again with the stored correction and what the form changes of the
// reading. Columns that neither names are read as without them.
func (s *site) correct(ctx context.Context, v *visit) (answer, error) {
	o, err := v.seen()
	if err != nil {
		return answer{}, err
	}
	p, err := s.mapping(ctx, v)
	if err != nil {
		return answer{}, err
	}
	c := shipments.Correction{DocumentOrder: o, Mappings: append([]shipments.Assignment{}, p.Given...)}
	for _, t := range p.Tables {
		t.check(&p.Faults)
		c.Mappings = t.corrected(c.Mappings)
	}
	if p.SaveAs = v.text("save_as"); p.SaveAs != "" {
		c.SaveAs = &p.SaveAs
	}
	if p.Faults == nil {
		_, err = s.Service.CorrectMapping(ctx, v.org, c)
	}
	p.Faults = append(p.Faults, faultsOf(err)...)
	if p.Faults != nil {
		return page("mapping", "Columns of "+p.Filename, p), nil
	}
	return redirect(p.Back, "reprocessed"), err
}

// corrected returns the assignments with the fields of the form that are not those of the table.
func (t mappedTable) corrected(all []shipments.Assignment) []shipments.Assignment {
	var changed []list.AssignedColumn
	for _, c := range t.Columns {
		if field := t.Field(c); field != usedField(c) {
			changed = append(changed, list.AssignedColumn{Column: c.Column, Field: field})
		}
	}
	if changed == nil && t.Style() == t.NumberStyle {
		return all
	}
	i := slices.IndexFunc(all, func(a shipments.Assignment) bool { return a.Sheet == t.Sheet })
	if i < 0 {
		i, all = len(all), append(all, shipments.Assignment{Assignment: list.Assignment{Sheet: t.Sheet}})
	}
	again := func(old list.AssignedColumn) bool {
		return slices.ContainsFunc(changed, func(c list.AssignedColumn) bool {
			return c.Column == old.Column || c.Field != "" && c.Field != "boxes" && c.Field == old.Field
		})
	}
	all[i].Columns = append(slices.DeleteFunc(slices.Clone(all[i].Columns), again), changed...)
	all[i].NumberStyle = t.Style()
	return all
}

// pallet are the fields of which a list needs one to have pallets, unless its layout shows them.
var pallet = []string{"pallet_number", "sscc", "pallets"}

// check adds what is wrong with the chosen fields, each at the selector of its column.
func (t mappedTable) check(faults *pages.Faults) {
	if style := t.Style(); style != "" && style != list.PointStyle && style != list.CommaStyle {
		faults.Add(fmt.Sprintf("style%d", t.Number), "Choose how the numbers are written.")
	}
	columns := map[string][]string{} // of each field
	for _, c := range t.Columns {
		if field := t.Field(c); field != "" {
			columns[field] = append(columns[field], c.Column)
		}
	}
	lost := !slices.ContainsFunc(pallet, func(field string) bool { return columns[field] != nil })
	for _, c := range t.Columns {
		field, at := t.Field(c), t.Name(c)
		switch {
		case field == usedField(c):
		case field != "" && !slices.Contains(list.Fields, field):
			faults.Add(at, "Choose what the column is.")
		case len(columns[field]) > 1 && (field != "boxes" || t.Layout != list.MatrixLayout):
			faults.Add(at, fmt.Sprintf("Columns %s are both %s. Choose it for one of them.",
				strings.Join(columns[field], " and "), words(field)))
		case lost && slices.Contains(pallet, usedField(c)):
			faults.Add(at, "Without a pallet number or SSCC the list has no pallets. Choose the column that has it.")
		}
	}
}
