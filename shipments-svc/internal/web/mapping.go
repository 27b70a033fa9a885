package web

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

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

// With returns the columns that have a field, in the form or as they were read, or the others.
func (t mappedTable) With(field bool) []list.Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c list.Column) bool {
		return (t.Field(c) != "" || usedField(c) != "") != field
	})
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

// correct has the list read again with the stored correction and what the form changes of the
// reading, or shows what that would change. Columns that neither names are read as without them.
func (s *site) correct(ctx context.Context, v *visit) (answer, error) {
	p, err := s.documentPage(ctx, v)
	if err != nil {
		return answer{}, err
	}
	c := shipments.Correction{DocumentOrder: v.seen(), Mappings: append([]shipments.Assignment{}, p.Given...)}
	for _, t := range p.Tables {
		c.Mappings = t.corrected(c.Mappings)
		if twice := t.twice(); twice != "" {
			err = faulty("/columns", "Two columns are "+words(twice)+". Choose it for one of them.")
		}
	}
	if p.SaveAs = v.text("save_as"); p.SaveAs != "" {
		c.SaveAs = &p.SaveAs
	}
	switch {
	case err != nil:
	case v.text("dry_run") == "true":
		p.Tried, err = s.try(ctx, v, c, p)
	default:
		_, err = s.Service.CorrectMapping(ctx, v.org, c)
	}
	if p.Faults = faultsOf(err); p.Faults == nil && (err != nil || p.Tried == nil) {
		return redirect(p.Back, "reprocessed"), err
	}
	for i, f := range p.Faults {
		if f.Field != "save_as" {
			p.Faults[i].Field = "columns"
		}
	}
	return p.page(), s.look(ctx, v, &p)
}

// twice returns a field that the form gives to a column while another has it; "": none.
func (t mappedTable) twice() string {
	for _, c := range t.Columns {
		field := t.Field(c)
		same := func(other list.Column) bool { return other.Column != c.Column && t.Field(other) == field }
		matrix := field == "boxes" && t.Layout == list.MatrixLayout
		if field != usedField(c) && field != "" && !matrix && slices.ContainsFunc(t.Columns, same) {
			return field
		}
	}
	return ""
}

// change is what a correction would change.
type change struct {
	Document shipments.Document // as it would be read
	Rows     []changed
}

// changed is a value that would be another.
type changed struct{ Name, From, To string }

// try returns what a correction would change of a document and the checks of its shipment.
func (s *site) try(ctx context.Context, v *visit, c shipments.Correction, p documentPage) (*change, error) {
	release, err := s.Uploads.Process(ctx, shipments.OrganizationOf(v.org), p.Size)
	if err != nil {
		return nil, err
	}
	defer release()
	done, err := s.Service.TryMapping(ctx, v.org, c)
	if err != nil {
		return nil, err
	}
	all := change{Document: done.Document}
	compare := func(name, from, to string) {
		if from != to {
			all.Rows = append(all.Rows, changed{name, from, to})
		}
	}
	compare("Pallets", list.Figure(p.PalletsExtracted), list.Figure(done.Document.PalletsExtracted))
	if after := sum(done.Pallets); p.before != nil {
		compare("Boxes", list.Figure(p.before.Boxes), list.Figure(after.Boxes))
		compare("Net weight, kg", p.before.Weight.Figure(), after.Weight.Figure())
	}
	for _, found := range done.Checks {
		i := slices.IndexFunc(p.checks, func(c shipments.Check) bool { return c.Name == found.Name })
		if i >= 0 && found.Result != shipments.Skip {
			compare(words(found.Name), words(p.checks[i].Result), words(found.Result))
		}
	}
	return &all, nil
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
