package web

import (
	"context"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// templatesPage has the templates of mappings.
type templatesPage struct {
	pages.Faults
	Rows []shipments.Template
}

func (s *site) templates(ctx context.Context, v *visit) (answer, error) {
	return s.templatesAnswer(ctx, v, nil)
}

func (s *site) templatesAnswer(ctx context.Context, v *visit, faults pages.Faults) (answer, error) {
	all, err := s.Service.Templates(ctx, v.org, struct{}{})
	return page("templates", "Packing list templates", templatesPage{faults, all}), err
}

// template returns the identifier of the template in the query.
func (v *visit) template() (shipments.TemplateID, error) {
	return transport.TemplateIDs.Parse(v.URL.Query().Get("template"))
}

func (s *site) renameTemplate(ctx context.Context, v *visit) (answer, error) {
	id, err := v.template()
	if err == nil {
		_, err = s.Service.UpdateTemplate(ctx, v.org, shipments.TemplateEdit{
			TemplateOrder: shipments.TemplateOrder{ID: id}, Name: new(v.text("name")),
		})
	}
	if wrong := faultsOf(err); wrong != nil {
		wrong[0].Field = "name-" + transport.TemplateIDs.Format(id)
		return s.templatesAnswer(ctx, v, wrong)
	}
	return redirect(v.path("templates"), "renamed"), err
}

func (s *site) askDeleteTemplate(ctx context.Context, v *visit) (answer, error) {
	id, err := v.template()
	if err != nil {
		return answer{}, err
	}
	t, err := s.Service.Template(ctx, v.org, id)
	return page("confirm", "Delete "+t.Name, confirmPage{
		Heading: "Delete " + t.Name + "?", Button: "Delete template", Do: v.URL.RequestURI(), Back: v.path("templates"),
		Text: "Lists with these headings are then read as their headings say. What was read with it stays.",
	}), err
}

func (s *site) deleteTemplate(ctx context.Context, v *visit) (answer, error) {
	id, err := v.template()
	if err == nil {
		_, err = s.Service.DeleteTemplate(ctx, v.org, shipments.TemplateOrder{ID: id})
	}
	return redirect(v.path("templates"), "forgotten"), err
}
