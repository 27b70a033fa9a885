package apidocs

import (
	"bytes"
	"encoding/json"
	"strings"
	"text/template"
)

var sampleTemplates = template.Must(template.ParseFS(templates, "templates/samples.tmpl"))

// sample is the program of a request in one language.
type sample struct{ Label, Source string }

// request is an example of a request of an operation.
type request struct {
	Method, Path, Body string // Body is JSON, or nothing
	Token              bool
	Headers            []header
}

type header struct{ Name, Value string }

// samples returns a request of an operation with the values of its examples, in several languages.
func (d *description) samples(method, path string, op *operation) (all []sample, err error) {
	r := d.request(method, path, op)
	for _, language := range []string{"curl", "Go", "Python", "JavaScript"} {
		var source bytes.Buffer
		if err := sampleTemplates.ExecuteTemplate(&source, language, r); err != nil {
			return nil, err
		}
		all = append(all, sample{language, source.String()})
	}
	return all, nil
}

// request has the required parameters, and the JSON body, of an operation's examples.
func (d *description) request(method, path string, op *operation) request {
	r := request{Method: method, Path: path, Token: string(op.Security) != "[]"}
	separator := "?"
	for _, p := range op.Parameters {
		p = d.parameter(p)
		value := plain(p.Example)
		switch {
		case p.In == "path":
			r.Path = strings.ReplaceAll(r.Path, "{"+p.Name+"}", value)
		case p.In == "header" && p.Required:
			r.Headers = append(r.Headers, header{p.Name, value})
		case p.In == "query" && p.Required:
			r.Path += separator + p.Name + "=" + value
			separator = "&"
		}
	}
	body := op.Body.Content.get("application/json")
	example := body.Example
	if len(body.Examples) > 0 {
		example = body.Examples[0].Value.Value
	}
	if example != nil {
		r.Headers = append(r.Headers, header{"Content-Type", "application/json"})
		r.Body = indent(example)
	}
	return r
}

// plain returns a text without its quotation marks, and any other value as it is.
func plain(value json.RawMessage) string {
	var text string
	if err := json.Unmarshal(value, &text); err == nil {
		return text
	}
	return string(value)
}
