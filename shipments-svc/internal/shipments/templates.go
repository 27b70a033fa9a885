package shipments

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// TemplateID identifies a template of an organization. Newer ones sort higher.
type TemplateID [16]byte

// UnmarshalText implements encoding.TextUnmarshaler, of a UUID.
func (id *TemplateID) UnmarshalText(text []byte) error { return (*ID)(id).UnmarshalText(text) }

// Template is the mapping of lists with one fingerprint, corrected once.
type Template struct {
	ID          TemplateID       `json:"id"`
	Name        string           `json:"name"`        // need not be unique
	Fingerprint string           `json:"fingerprint"` // no two of an organization have the same
	NumberStyle NumberStyle      `json:"number_style"`
	Columns     []AssignedColumn `json:"columns"`
	CreatedAt   time.Time        `json:"created_at"`
	UpdatedAt   time.Time        `json:"updated_at"`
}

// MaxTemplates is how many templates an organization has at most.
const MaxTemplates = 200

// ErrNoTemplate means that the organization has no such template.
var ErrNoTemplate = fmt.Errorf("%w: no such template", ErrNotFound)

// ErrTooManyTemplates means that an organization has MaxTemplates.
var ErrTooManyTemplates = errors.New("too many mapping templates")

// TemplateEdit is a request to change a template.
type TemplateEdit struct {
	ID      TemplateID
	Name    *string          // nil: as it is
	Columns []AssignedColumn // nil: as they are
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

// UpdateTemplate changes a template, for lists that are read from now on.
func (s *Service) UpdateTemplate(ctx context.Context, org OrgID, e TemplateEdit) (Template, error) {
	if f := e.Faults(); f != nil {
		return Template{}, &Invalid{Faults: f}
	}
	return s.repo.ChangeTemplate(ctx, org, e, instant(s.now()))
}

// DeleteTemplate removes a template. What was read with it stays.
func (s *Service) DeleteTemplate(ctx context.Context, org OrgID, id TemplateID) (struct{}, error) {
	return struct{}{}, s.repo.DeleteTemplate(ctx, org, id)
}

// assignment returns the template as reading takes it.
func (t Template) assignment() Assignment {
	return Assignment{Fingerprint: t.Fingerprint, NumberStyle: t.NumberStyle, Columns: t.Columns, Template: t.Name}
}
