package apidocs

import (
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// The documents of the services, which `make generate` copies.
//
//go:embed openapi/*.yaml
var documents embed.FS

// description is an OpenAPI document.
type description struct {
	*node

	base string // path of its pages
}

// api is one document in the list of the reference.
type api struct {
	Name, Title, Document string
	Text                  template.HTML
	Groups                []group

	described *description
}

// group is the operations with one tag.
type group struct {
	Name       string
	Text       template.HTML
	Operations []shownOperation
}

// shownOperation is the page of an operation.
type shownOperation struct {
	Path, Method, Address string // Path is the page's
	Summary               string
	Text, BodyText        template.HTML
	Parameters            []field
	Body                  []shownMedia
	Form                  []field // of a body with a file
	Responses             []shownResponse
	Samples               template.HTML // none of a webhook
}

// JSONBody is the first example of a JSON body; "": there is none, or a form is sent.
func (o shownOperation) JSONBody() string {
	if len(o.Form) > 0 || len(o.Body) == 0 || len(o.Body[0].Examples) == 0 {
		return ""
	}
	return o.Body[0].Examples[0].Text
}

// Inputs are the fields of the console that must have a value, or need not.
func (o shownOperation) Inputs(required bool) []field {
	return slices.DeleteFunc(slices.Concat(o.Parameters, o.Form), func(f field) bool { return f.Required != required })
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
		one := api{
			Name: shown.name, Title: d.get("info", "title").string(), Document: shown.document,
			Text: render(d.get("info").description()), described: d,
		}
		if one.Groups, err = d.groups(); err != nil {
			return fmt.Errorf("%s: %w", shown.name, err)
		}
		all = append(all, one)
	}
	s.add(document{
		Path: "/docs/reference", Template: "reference", Title: "API reference", Chapter: "Reference", Body: all,
	})
	if err := s.addProblems(); err != nil {
		return err
	}
	for _, one := range all {
		for _, group := range one.Groups {
			for _, op := range group.Operations {
				s.add(document{Path: op.Path, Template: "operation", Title: op.Summary, Chapter: group.Name, Body: op})
			}
		}
		s.addObjects(one.described)
	}
	return nil
}

// addObjects adds the pages of the schemas of objects.
func (s *site) addObjects(d *description) {
	schemas := d.get("components", "schemas")
	for i, schema := range schemas.elements() {
		if name := schemas.names[i]; schema.isObject() {
			body := shownMedia{Name: name, Fields: d.fields("", schema)}
			s.add(document{Path: d.object(name), Template: "object", Title: name, Body: body})
		}
	}
}

// readDescription reads the document of a service.
func readDescription(name string) (*description, error) {
	source, err := documents.ReadFile("openapi/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	root, err := readDocument(source)
	return &description{root, "/docs/reference/" + name}, err
}

// groups returns the operations by tag.
func (d *description) groups() (all []group, err error) {
	for _, tag := range d.get("tags").elements() {
		all = append(all, group{Name: tag.get("name").string(), Text: render(tag.description())})
	}
	for _, paths := range []*node{d.get("paths"), d.get("webhooks")} {
		for i, path := range paths.elements() {
			for j, op := range path.values {
				shown := d.show(strings.ToUpper(path.names[j]), paths.names[i], op)
				if strings.HasPrefix(shown.Address, "/") {
					if shown.Samples, err = samples(shown.Method, shown.Address, op); err != nil {
						return nil, err
					}
				}
				tags := op.get("tags").strings()
				of := slices.IndexFunc(all, func(g group) bool { return slices.Contains(tags, g.Name) })
				all[of].Operations = append(all[of].Operations, shown)
			}
		}
	}
	return all, nil
}

func (d *description) show(method, address string, op *node) shownOperation {
	shown := shownOperation{
		Path: d.base + "/" + op.get("operationId").string(), Method: method, Address: address,
		Summary: op.get("summary").string(), Text: render(op.description()),
		Body: d.media(op.get("requestBody", "content")),
	}
	if body := op.get("requestBody"); body != nil {
		shown.BodyText = render(body.description())
	}
	for _, p := range op.get("parameters").elements() {
		row := d.field(p.get("name").string(), p.get("required").string() == "true", p.get("schema"))
		row.In, row.Text, row.Example = p.get("in").string(), render(p.description()), p.get("example").string()
		list, _, _ := strings.Cut(address, "/{"+row.Name+"}")
		if row.In == "path" && strings.HasPrefix(list, "/api/") && d.get("paths", list, "get") != nil {
			row.List = list
		}
		shown.Parameters = append(shown.Parameters, row)
	}
	if form := op.get("requestBody", "content", "multipart/form-data", "schema"); form != nil {
		shown.Form = d.fields("", form)
		for i := range shown.Form {
			shown.Form[i].In = "form"
		}
	}
	responses := op.get("responses")
	for i, r := range responses.elements() {
		row := shownResponse{Status: responses.names[i], Text: render(r.description())}
		if row.Status[0] == '2' {
			row.Body = d.media(r.get("content"))
		} else {
			row.Code = r.get("content", "application/problem+json", "example", "code").string()
		}
		shown.Responses = append(shown.Responses, row)
	}
	return shown
}

func (d *description) media(content *node) (all []shownMedia) {
	for i, one := range content.elements() {
		shown := shownMedia{Type: content.names[i]}
		if schema := one.get("schema"); schema.ref != "" && schema.isObject() {
			shown.Name, shown.Object = schema.ref, d.object(schema.ref)
		} else {
			shown.Fields = d.fields("", schema)
		}
		if e := one.get("example"); e != nil {
			shown.Examples = append(shown.Examples, example{"Example", e.indented()})
		}
		for _, e := range one.get("examples").elements() {
			shown.Examples = append(shown.Examples, example{e.get("summary").string(), e.get("value").indented()})
		}
		all = append(all, shown)
	}
	return all
}
