package shipments

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// Correction is a request to read a packing list again with other fields of its
// columns.
type Correction struct {
	DocumentOrder
	Mappings []Assignment // in place of those of an earlier one; empty: what its headings and templates say
	SaveAs   *string      // the name of the template that is kept of it; nil: none is
}

// Bounds of corrections and templates.
const (
	MaxAssignments     = 10
	MaxAssignedColumns = 100 // of an Assignment
	MaxTemplateName    = 100
	MaxSheetName       = 1_000
)

var columnName = regexp.MustCompile(`^[A-Z]{1,3}$`)

// Faults returns what is wrong with the correction, with pointers from it.
func (c Correction) Faults() []Fault {
	var f faults
	switch {
	case c.Mappings == nil:
		f.add(Required, "/mappings",
			"mappings is required; without elements the list is read as its headings and templates say")
	case len(c.Mappings) > MaxAssignments:
		f.add(OutOfRange, "/mappings", "there may be at most %d mappings", MaxAssignments)
		return f
	}
	for i, m := range c.Mappings {
		at := fmt.Sprintf("/mappings/%d", i)
		f.columns(at, m.Columns)
		if m.Sheet != "" {
			f.text(at, "sheet", m.Sheet, MaxSheetName)
		}
		if !slices.Contains([]list.NumberStyle{"", list.PointStyle, list.CommaStyle}, m.NumberStyle) {
			f.add(InvalidValue, at+"/number_style", "number_style must be %s or %s", list.PointStyle, list.CommaStyle)
		}
	}
	if c.SaveAs != nil {
		f.text("", "save_as", *c.SaveAs, MaxTemplateName)
		if len(c.Mappings) != 1 {
			f.add(InvalidValue, "/save_as", "a template is kept of one mapping, not of %d", len(c.Mappings))
		}
	}
	return f
}

// columns validates the fields that are given to columns.
func (f *faults) columns(at string, all []list.AssignedColumn) {
	if len(all) > MaxAssignedColumns {
		f.add(OutOfRange, at+"/columns", "there may be at most %d columns", MaxAssignedColumns)
		return
	}
	seen, fields := map[string]bool{}, map[string]bool{}
	for i, c := range all {
		here := fmt.Sprintf("%s/columns/%d", at, i)
		switch {
		case !columnName.MatchString(c.Column):
			f.add(InvalidValue, here+"/column", "column must be the letters of a column, such as C or AB")
		case seen[c.Column]:
			f.add(InvalidValue, here+"/column", "column %s is given twice", c.Column)
		}
		seen[c.Column] = true
		if c.Field != "" && c.Field != "boxes" && fields[c.Field] { // a matrix has boxes in several
			f.add(InvalidValue, here+"/field", "field %s is given to two columns", c.Field)
		}
		fields[c.Field] = true
		if c.Field != "" && !slices.Contains(list.Fields, c.Field) {
			f.add(InvalidValue, here+"/field", "field must be one of %s", Join(list.Fields))
		}
		if c.Unit != "" && !strings.HasSuffix(c.Field, "weight") {
			f.add(InvalidValue, here+"/unit", "unit is of a weight only")
		} else if units := []string{"", "kg", "g", "lb", "t"}; !slices.Contains(units, c.Unit) {
			f.add(InvalidValue, here+"/unit", "unit must be one of %s", Join(units[1:]))
		}
	}
}

// corrected returns the document of a correction, and the template that is kept of it, or what is wrong with it.
func (s *Service) corrected(ctx context.Context, org OrgID, c Correction) (shown Document, kept Template, err error) {
	if f := c.Faults(); f != nil {
		return shown, kept, &Invalid{Faults: f}
	}
	if shown, err = s.repo.Document(ctx, org, c.ID, c.Document); err != nil {
		return shown, kept, err
	}
	var f faults
	for i, m := range c.Mappings {
		table := shown.table(m.Sheet)
		if table == nil && len(shown.Mappings) > 0 {
			f.add(InvalidValue, fmt.Sprintf("/mappings/%d/sheet", i), "the document has no table on such a sheet")
		}
		ofBoxes := func(c list.AssignedColumn) bool { return c.Field == "boxes" }
		for j, given := range m.Columns {
			twice := ofBoxes(given) && slices.ContainsFunc(m.Columns[:j], ofBoxes)
			if twice && table != nil && table.Layout != list.MatrixLayout {
				f.add(InvalidValue, fmt.Sprintf("/mappings/%d/columns/%d/field", i, j), "field boxes is given to two columns")
			}
			if table != nil && !shown.hasColumn(m.Sheet, given.Column) {
				f.add(InvalidValue, fmt.Sprintf("/mappings/%d/columns/%d/column", i, j), "the table has no column %s", given.Column)
			}
		}
		if c.SaveAs == nil {
			continue
		}
		if table == nil || table.Fingerprint == "" {
			f.add(InvalidValue, "/save_as", "no table of the document has headings that a template could be for")
			continue
		}
		kept = Template{
			Name:        *c.SaveAs,
			Fingerprint: table.Fingerprint,
			NumberStyle: m.NumberStyle,
			Columns:     corrected(table.Columns, m),
		}
	}
	if f != nil {
		err = &Invalid{Faults: f}
	}
	return shown, kept, err
}

// TryMapping returns what a correction would make of a packing list and the checks of its shipment. Nothing is stored.
func (s *Service) TryMapping(ctx context.Context, org OrgID, c Correction) (Attached, error) {
	doc, _, err := s.corrected(ctx, org, c)
	if err != nil {
		return Attached{}, err
	}
	if doc.Type != PackingList || doc.Kind == Unread {
		return Attached{}, ErrNotReadAgain
	}
	file, err := s.files.Open(ctx, FileKey{org, doc.ID})
	if err != nil {
		return Attached{}, fmt.Errorf("open file: %w", err)
	}
	defer func() { _ = file.Close() }() // nothing was written to it
	doc.Given = c.Mappings
	return s.try(ctx, org, CorrectMapping, c.Order, doc, file, func(r *Revision, doc Document, pallets []Pallet) error {
		replaced, _, err := r.document(c.DocumentOrder)
		if err != nil {
			return err
		}
		if fault := r.beyond(pallets, replaced.PalletsExtracted); fault != "" {
			doc, pallets = doc.failed(Failure{Code: string(TooManyPallets), Detail: fault}), nil
		}
		r.put(doc, pallets)
		return nil
	})
}

// CorrectMapping has a packing list read again with other fields of its columns, and
// keeps them as a template, if it is to, once the list was read with them. Where the fields are those of the last
// correction, the list is not read again.
func (s *Service) CorrectMapping(ctx context.Context, org OrgID, c Correction) (Document, error) {
	shown, kept, err := s.corrected(ctx, org, c)
	if err != nil {
		return Document{}, err
	}
	given := slices.Clone(c.Mappings)
	for i := range given {
		given[i].Keep = nil
	}
	if c.SaveAs != nil {
		kept.ID, kept.CreatedAt = TemplateID(s.newID()), instant(s.now())
		kept.UpdatedAt = kept.CreatedAt
		all, err := s.repo.Templates(ctx, org, nil)
		replaces := func(t Template) bool { return t.Fingerprint == kept.Fingerprint }
		if err == nil && len(all) >= MaxTemplates && !slices.ContainsFunc(all, replaces) {
			err = ErrTooManyTemplates
		}
		if err != nil {
			return Document{}, err
		}
	}
	doc, err := s.queue(ctx, org, CorrectMapping, c.DocumentOrder, func(doc *Document) error {
		if doc.Type != PackingList {
			return ErrNotReadAgain
		}
		again := len(doc.Given) == len(given) && (len(doc.Given) == 0 || reflect.DeepEqual(doc.Given, given))
		if again && (c.SaveAs == nil || doc.Status == Processed) {
			return errUnchanged
		}
		if doc.Given = slices.Clone(given); c.SaveAs != nil {
			doc.Given[0].Keep = &kept
		}
		return nil
	})
	if err == nil && c.SaveAs != nil && doc.Status == Processed { // it was read with these before
		err = s.repo.PutTemplate(ctx, org, kept)
	}
	doc.Mappings = shown.Mappings
	return doc, err
}

// table returns the mapping of the first table on a sheet, or of the first where the
// sheet is not named; nil: there is none.
func (d Document) table(sheet string) *list.Mapping {
	for i, m := range d.Mappings {
		if sheet == "" || m.Sheet == sheet {
			return &d.Mappings[i]
		}
	}
	return nil
}

// hasColumn reports whether a table on the sheet, or of any where it is not named, has the column
// or one after it: a column of texts without a heading is not in the mapping.
func (d Document) hasColumn(sheet, column string) bool {
	return slices.ContainsFunc(d.Mappings, func(m list.Mapping) bool {
		return (sheet == "" || m.Sheet == sheet) && slices.ContainsFunc(m.Columns, func(c list.Column) bool {
			return len(c.Column) > len(column) || len(c.Column) == len(column) && c.Column >= column
		})
	})
}

// corrected returns the columns that were used or given, with what a person gives now.
func corrected(read []list.Column, a Assignment) []list.AssignedColumn {
	all := slices.Clone(a.Columns)
	for _, c := range read {
		given := func(by list.Source) bool { return slices.Contains(c.Rules, string(by)) }
		kept := c.Used || given(list.FromTemplate) || given(list.FromPerson)
		again := func(given list.AssignedColumn) bool {
			return given.Column == c.Column || c.Field != "" && given.Field == c.Field
		}
		if kept && !slices.ContainsFunc(a.Columns, again) && len(all) < MaxAssignedColumns {
			all = append(all, list.AssignedColumn{Column: c.Column, Field: c.Field, Unit: c.Unit})
		}
	}
	return all
}

// Template is the mapping of lists with one fingerprint, corrected once.
type Template struct {
	ID          TemplateID            `json:"id"`
	Name        string                `json:"name"`        // need not be unique
	Fingerprint string                `json:"fingerprint"` // no two of an organization have the same
	NumberStyle list.NumberStyle      `json:"number_style"`
	Columns     []list.AssignedColumn `json:"columns"`
	CreatedAt   time.Time             `json:"created_at"`
	UpdatedAt   time.Time             `json:"updated_at"`
}

// MaxTemplates is how many templates an organization has at most.
const MaxTemplates = 200

// TemplatesLock is what Repository.Locked calls the templates.
const TemplatesLock = "mapping_templates"

// ErrNoTemplate means that the organization has no such template.
var ErrNoTemplate = fmt.Errorf("%w: no such template", ErrNotFound)

// ErrTooManyTemplates means that an organization has MaxTemplates.
var ErrTooManyTemplates = errors.New("too many mapping templates")

// TemplateOrder is common to all actions on a template.
type TemplateOrder struct {
	ID      TemplateID
	Expects func(Template) bool // whether the action is meant for the template as it is; nil: it is
}

// TemplateEdit is a request to change a template.
type TemplateEdit struct {
	TemplateOrder
	Name    *string               // nil: as it is
	Columns []list.AssignedColumn // nil: as they are
}

// Faults returns what is wrong with the edit, with pointers from it.
func (e TemplateEdit) Faults() []Fault {
	var f faults
	if e.Name != nil {
		f.text("", "name", *e.Name, MaxTemplateName)
	}
	f.columns("", e.Columns)
	return f
}

// Templates returns the templates of an organization, the oldest first.
func (s *Service) Templates(ctx context.Context, org OrgID, _ struct{}) ([]Template, error) {
	return s.repo.Templates(ctx, org, nil)
}

// Template returns a template, or ErrNoTemplate.
func (s *Service) Template(ctx context.Context, org OrgID, id TemplateID) (Template, error) {
	all, err := s.repo.Templates(ctx, org, nil)
	i := slices.IndexFunc(all, func(t Template) bool { return t.ID == id })
	if err == nil && i < 0 {
		err = ErrNoTemplate
	}
	if err != nil {
		return Template{}, err
	}
	return all[i], nil
}

// UpdateTemplate changes a template, for lists that are read from now on.
func (s *Service) UpdateTemplate(ctx context.Context, org OrgID, e TemplateEdit) (t Template, err error) {
	if f := e.Faults(); f != nil {
		return Template{}, &Invalid{Faults: f}
	}
	err = s.expected(ctx, org, e.TemplateOrder, func(ctx context.Context, now Template) error {
		if t = now; e.Name != nil {
			t.Name = *e.Name
		}
		if e.Columns != nil {
			t.Columns = e.Columns
		}
		t.UpdatedAt = instant(s.now())
		return s.repo.PutTemplate(ctx, org, t)
	})
	return t, err
}

// DeleteTemplate removes a template. What was read with it stays.
func (s *Service) DeleteTemplate(ctx context.Context, org OrgID, o TemplateOrder) (struct{}, error) {
	return struct{}{}, s.expected(ctx, org, o, func(ctx context.Context, t Template) error {
		return s.repo.DeleteTemplate(ctx, org, t.ID)
	})
}

// expected does something with a template that is as expected, or else returns ErrVersion.
func (s *Service) expected(
	ctx context.Context, org OrgID, o TemplateOrder, do func(context.Context, Template) error,
) error {
	return s.repo.Locked(ctx, org, TemplatesLock, func(ctx context.Context) error {
		t, err := s.Template(ctx, org, o.ID)
		if err == nil && o.Expects != nil && !o.Expects(t) {
			err = ErrVersion
		}
		if err != nil {
			return err
		}
		return do(ctx, t)
	})
}

// assignment returns the template as reading takes it.
func (t Template) assignment() Assignment {
	return Assignment{Assignment: list.Assignment{
		Fingerprint: t.Fingerprint, NumberStyle: t.NumberStyle, Columns: t.Columns, Template: t.Name,
	}}
}
