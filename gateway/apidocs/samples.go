package apidocs

import (
	"bytes"
	"html/template"
	"strings"
	text "text/template"
)

var sampleTemplates = text.Must(text.ParseFS(templates, "templates/samples.tmpl"))

// request is an example of a request of an operation.
type request struct {
	Method, Path, Body string // Body is JSON, or nothing
	Token              bool
	Headers            []header
}

type header struct{ Name, Value string }

// samples returns a request of an operation with the values of its examples, in several languages.
func samples(method, path string, op *node) (template.HTML, error) {
	var all choice
	r := requestOf(method, path, op)
	for _, language := range []string{"sh", "go", "python", "js"} {
		var source bytes.Buffer
		if err := sampleTemplates.ExecuteTemplate(&source, language, r); err != nil {
			return "", err
		}
		all.Samples = append(all.Samples, sample{language, source.String()})
	}
	return all.HTML(), nil
}

// requestOf has the required parameters, and the JSON body, of an operation's examples.
func requestOf(method, path string, op *node) request {
	security := op.get("security")
	r := request{Method: method, Path: path, Token: security == nil || len(security.values) > 0}
	separator := "?"
	for _, p := range op.get("parameters").elements() {
		name, value, required := p.get("name").string(), p.get("example").string(), p.get("required").string() == "true"
		switch in := p.get("in").string(); {
		case in == "path":
			r.Path = strings.ReplaceAll(r.Path, "{"+name+"}", value)
		case in == "header" && required:
			r.Headers = append(r.Headers, header{name, value})
		case in == "query" && required:
			r.Path += separator + name + "=" + value
			separator = "&"
		}
	}
	body := op.get("requestBody", "content", "application/json")
	example := body.get("example")
	if examples := body.get("examples").elements(); examples != nil {
		example = examples[0].get("value")
	}
	if example != nil {
		r.Headers = append(r.Headers, header{"Content-Type", "application/json"})
		r.Body = example.indented()
	}
	return r
}
