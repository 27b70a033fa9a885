package apidocs

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/openapi"
)

// The documents of the services, which `make generate` copies.
//
//go:embed openapi/*.yaml
var documents embed.FS

// api is one document in the list of the reference.
type api struct {
	Title, Document string
	Text            template.HTML
	Groups          []group
}

// group is the operations with one tag.
type group struct {
	Name       string
	Text       template.HTML
	Operations []shownOperation
}

// shownOperation is the page of an operation.
type shownOperation struct {
	*operation

	Path, Method, Address string // Path is the page's
	Text, BodyText        template.HTML
	Parameters            []field
	Body                  []shownMedia
	Responses             []shownResponse
	Samples               []sample // none of a webhook
}

// JSONBody is the first example of a JSON body; "": there is none.
func (o shownOperation) JSONBody() string {
	if len(o.Body) == 0 || len(o.Body[0].Examples) == 0 {
		return ""
	}
	return o.Body[0].Examples[0].Text
}

// shownMedia is a body of one media type.
type shownMedia struct {
	Type     string
	Object   string // the page of its objects; "": Fields has them
	Name     string // of the object
	Fields   []field
	Examples []example
}

type example struct{ Summary, Text string }

// shownResponse is a response; errors have a code where they are always the same.
type shownResponse struct {
	Status string
	Text   template.HTML
	Body   []shownMedia
	Code   string
}

// addReference adds the pages of all operations and objects, and their list.
func (s *site) addReference() error {
	var all []api
	for _, shown := range []struct{ name, document string }{
		{"shipments", "/api/v1/openapi.json"}, {"tokens", "/api/v1/openapi/tokens.json"},
	} {
		d, err := readDescription(shown.name)
		if err != nil {
			return err
		}
		groups, err := d.groups()
		if err != nil {
			return fmt.Errorf("%s: %w", shown.name, err)
		}
		one := api{Title: d.Info.Title, Document: shown.document, Text: render(d.Info.Description), Groups: groups}
		for _, group := range one.Groups {
			for _, op := range group.Operations {
				if err := s.add(op.Path, "operation", op.Summary, "/docs/reference", op); err != nil {
					return err
				}
			}
		}
		if err := s.addObjects(d); err != nil {
			return err
		}
		all = append(all, one)
	}
	return s.add("/docs/reference", "reference", "API reference", "/docs/reference", all)
}

// addObjects adds the pages of the schemas of objects.
func (s *site) addObjects(d *description) error {
	for _, schema := range d.Components.Schemas {
		if !d.isObject(schema.Value) {
			continue
		}
		body := shownMedia{Name: schema.Name, Fields: d.fields("", schema.Value)}
		err := s.add(d.object(schema.Name), "object", schema.Name, "/docs/reference", body)
		if err != nil {
			return err
		}
	}
	return nil
}

// readDescription reads a document as it is served.
func readDescription(name string) (*description, error) {
	source, err := documents.ReadFile("openapi/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	text, err := openapi.JSON(source)
	if err != nil {
		return nil, err
	}
	d := &description{base: "/docs/reference/" + name}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// groups returns the operations by tag.
func (d *description) groups() (all []group, err error) {
	for _, tag := range d.Tags {
		all = append(all, group{Name: tag.Name, Text: render(tag.Description)})
	}
	for _, path := range slices.Concat(d.Paths, d.Webhooks) {
		for _, method := range path.Value {
			op := method.Value
			i := slices.IndexFunc(all, func(g group) bool { return slices.Contains(op.Tags, g.Name) })
			shown := d.show(strings.ToUpper(method.Name), path.Name, op)
			if strings.HasPrefix(path.Name, "/") {
				if shown.Samples, err = d.samples(shown.Method, path.Name, op); err != nil {
					return nil, err
				}
			}
			all[i].Operations = append(all[i].Operations, shown)
		}
	}
	return all, nil
}

func (d *description) show(method, address string, op *operation) shownOperation {
	shown := shownOperation{
		operation: op, Path: d.base + "/" + op.ID, Method: method, Address: address,
		Text: render(op.Description), BodyText: render(op.Body.Description), Body: d.media(op.Body.Content),
	}
	for _, p := range op.Parameters {
		p = d.parameter(p)
		row := d.field(p.Name, p.Required, p.Schema)
		row.In, row.Text = p.In, render(p.Description)
		shown.Parameters = append(shown.Parameters, row)
	}
	for _, r := range op.Responses {
		answer := d.response(r.Value)
		row := shownResponse{Status: r.Name, Text: render(answer.Description)}
		if r.Name[0] == '2' {
			row.Body = d.media(answer.Content)
		} else {
			row.Code = codeOf(answer)
		}
		shown.Responses = append(shown.Responses, row)
	}
	return shown
}

// codeOf is the problem code of a response's example.
func codeOf(r *response) string {
	var example struct{ Code string }
	_ = json.Unmarshal(r.Content.get("application/problem+json").Example, &example) // none: no code
	return example.Code
}

func (d *description) media(content ordered[media]) (all []shownMedia) {
	for _, one := range content {
		shown := shownMedia{Type: one.Name}
		if s := one.Value.Schema; s.Ref != "" && d.isObject(d.schema(s)) {
			shown.Name, shown.Object = target(s.Ref), d.object(s.Ref)
		} else {
			shown.Fields = d.fields("", s)
		}
		if one.Value.Example != nil {
			shown.Examples = append(shown.Examples, example{"Example", indent(one.Value.Example)})
		}
		for _, e := range one.Value.Examples {
			shown.Examples = append(shown.Examples, example{e.Value.Summary, indent(e.Value.Value)})
		}
		all = append(all, shown)
	}
	return all
}

func indent(value json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Indent(&out, value, "", "  "); err != nil {
		return string(value)
	}
	return out.String()
}
