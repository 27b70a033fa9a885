package transport

import (
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type templateView struct {
	ID          string                `json:"id"`
	Name        string                `json:"name"`
	Fingerprint string                `json:"fingerprint"`
	NumberStyle list.NumberStyle      `json:"number_style,omitempty"`
	Columns     []list.AssignedColumn `json:"columns"`
	CreatedAt   string                `json:"created_at"`
	UpdatedAt   string                `json:"updated_at"`
}

func decodeCorrection(r *http.Request) (shipments.Correction, error) {
	order, err := decodeDocumentOrder(r)
	return decodeJSON(r, err, "", func(o *jsonbody.Object) shipments.Correction {
		c := shipments.Correction{DocumentOrder: order, SaveAs: o.OptionalText("save_as")}
		if mappings := o.Objects("mappings"); mappings != nil {
			c.Mappings = each(mappings, func(m *jsonbody.Object) shipments.Assignment {
				return shipments.Assignment{Assignment: list.Assignment{
					Sheet: m.Text("sheet"), NumberStyle: list.NumberStyle(m.Text("number_style")), Columns: columns(m),
				}}
			})
		}
		return c
	}, shipments.Correction.Faults)
}

// columns reads the fields of columns; nil: they are missing.
func columns(o *jsonbody.Object) []list.AssignedColumn {
	all := o.Objects("columns")
	if all == nil {
		return nil
	}
	return each(all, func(c *jsonbody.Object) list.AssignedColumn {
		return list.AssignedColumn{Column: c.Text("column"), Field: c.Text("field"), Unit: c.Text("unit")}
	})
}

func decodeTemplateOrder(r *http.Request) (shipments.TemplateOrder, error) {
	id, err := TemplateIDs.decode(r)
	return shipments.TemplateOrder{ID: id, Expects: func(now shipments.Template) bool {
		return precondition.Failed(r, tagOfView(viewTemplate(now))) == 0
	}}, err
}

func decodeTemplateEdit(r *http.Request) (shipments.TemplateEdit, error) {
	order, err := decodeTemplateOrder(r)
	return decodeJSON(r, err, "/mapping_template", func(o *jsonbody.Object) shipments.TemplateEdit {
		o = o.Object("mapping_template")
		return shipments.TemplateEdit{TemplateOrder: order, Name: o.OptionalText("name"), Columns: columns(o)}
	}, shipments.TemplateEdit.Faults, mergePatch)
}

func encodeTemplate(r *http.Request, t shipments.Template) reply {
	re := shown(http.StatusOK, "mapping_template", viewTemplate)(r, t)
	re.header = http.Header{"Etag": {tagOfView(viewTemplate(t))}}
	return re
}

func viewTemplate(t shipments.Template) templateView {
	return templateView{
		ID: TemplateIDs.Format(t.ID), Name: t.Name, Fingerprint: t.Fingerprint,
		NumberStyle: t.NumberStyle, Columns: t.Columns, CreatedAt: viewTime(t.CreatedAt), UpdatedAt: viewTime(t.UpdatedAt),
	}
}
