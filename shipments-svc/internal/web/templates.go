package web

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// templatesPage has the templates of mappings.
type templatesPage struct {
	pages.Faults
	Rows []templateRow
}

// templateRow is a template with what can be done with it.
type templateRow struct {
	shipments.Template
	Field          string // of its name
	Rename, Delete string // addresses
}

func (s *site) templates(ctx context.Context, v *visit) (answer, error) {
	p, err := s.templatesPage(ctx, v)
	return page("templates", "Packing list templates", p), err
}

func (s *site) templatesPage(ctx context.Context, v *visit) (p templatesPage, err error) {
	all, err := s.Service.Templates(ctx, v.org, struct{}{})
	for _, t := range all {
		id := transport.TemplateIDs.Format(t.ID)
		query := "?template=" + id
		p.Rows = append(p.Rows, templateRow{
			t, "name-" + id, v.path("templates", "rename") + query, v.path("templates", "delete") + query,
		})
	}
	return p, err
}

func (s *site) renameTemplate(ctx context.Context, v *visit) (answer, error) {
	id, err := transport.TemplateIDs.Parse(v.URL.Query().Get("template"))
	if err == nil {
		err = v.parse()
	}
	if err == nil {
		_, err = s.Service.UpdateTemplate(ctx, v.org, shipments.TemplateEdit{
			TemplateOrder: shipments.TemplateOrder{ID: id}, Name: new(v.text("name")),
		})
	}
	if wrong := faultsOf(err); wrong != nil {
		p, err := s.templatesPage(ctx, v)
		p.Add("name-"+v.URL.Query().Get("template"), wrong[0].Text)
		return page("templates", "Packing list templates", p), err
	}
	return redirect(v.path("templates"), "renamed"), err
}

func (s *site) askDeleteTemplate(ctx context.Context, v *visit) (answer, error) {
	p, err := s.templatesPage(ctx, v)
	for _, row := range p.Rows {
		if row.Field == "name-"+v.URL.Query().Get("template") {
			return page("confirm", "Delete "+row.Name, confirmPage{
				Heading: "Delete " + row.Name + "?", Button: "Delete template", Do: row.Delete, Back: v.path("templates"),
				Text: "Lists with these headings are then read as their headings say. What was read with it stays.",
			}), nil
		}
	}
	return errorPage(http.StatusNotFound), err
}

func (s *site) deleteTemplate(ctx context.Context, v *visit) (answer, error) {
	id, err := transport.TemplateIDs.Parse(v.URL.Query().Get("template"))
	if err == nil {
		_, err = s.Service.DeleteTemplate(ctx, v.org, shipments.TemplateOrder{ID: id})
	}
	return redirect(v.path("templates"), "forgotten"), err
}
