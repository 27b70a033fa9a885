package openapi

import (
	"bytes"
	_ "embed" // for the templates
	"encoding/json"
	"slices"
	"strings"
	"text/template"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

//go:embed samples.tmpl
var sampleText string

var sampleTemplates = template.Must(template.New("").Parse(sampleText))

// sampleLanguages are the templates and, in x-codeSamples, their labels and languages.
var sampleLanguages = []struct{ label, lang string }{
	{"curl", "shell"}, {"Go", "go"}, {"Python", "python"}, {"JavaScript", "javascript"},
}

// request is an example of a request of an operation.
type request struct {
	Method, Path, Body string // Body is JSON, or nothing
	Token              bool
	Headers            []header
}

type header struct{ Name, Value string }

// addSamples adds x-codeSamples to each operation: a request with the values of its examples, in several languages.
func addSamples(doc *yaml.Node) error {
	for path, item := range members(member(doc, "paths")) {
		for method, operation := range members(item) {
			sample, err := requestOf(doc, strings.ToUpper(method), path, operation)
			if err != nil {
				return err
			}
			samples := &yaml.Node{Kind: yaml.SequenceNode}
			for _, language := range sampleLanguages {
				var source bytes.Buffer
				if err := sampleTemplates.ExecuteTemplate(&source, language.label, sample); err != nil {
					return err
				}
				var one yaml.Node
				if err := one.Encode(map[string]string{
					"label": language.label, "lang": language.lang, "source": source.String(),
				}); err != nil {
					return err
				}
				samples.Content = append(samples.Content, &one)
			}
			operation.Content = append(operation.Content, scalar("x-codeSamples"), samples)
		}
	}
	return nil
}

// requestOf has the required parameters, and the JSON body, of an operation's examples.
func requestOf(doc *yaml.Node, method, path string, operation *yaml.Node) (request, error) {
	r := request{Method: method, Path: path, Token: true}
	if security := member(operation, "security"); security != nil && len(security.Content) == 0 {
		r.Token = false
	}
	var query []string
	for _, parameter := range elements(member(operation, "parameters")) {
		parameter = resolve(doc, parameter)
		name, value := text(parameter, "name"), text(parameter, "example")
		switch in := text(parameter, "in"); {
		case in == "path":
			r.Path = strings.ReplaceAll(r.Path, "{"+name+"}", value)
		case in == "header" && text(parameter, "required") == "true":
			r.Headers = append(r.Headers, header{name, value})
		case in == "query" && text(parameter, "required") == "true":
			query = append(query, name+"="+value)
		}
	}
	if len(query) > 0 {
		r.Path += "?" + strings.Join(query, "&")
	}
	media := member(member(member(operation, "requestBody"), "content"), "application/json")
	example := member(media, "example")
	for _, one := range members(member(media, "examples")) {
		example = member(one, "value")
		break
	}
	if example == nil {
		return r, nil
	}
	r.Headers = append(r.Headers, header{"Content-Type", "application/json"})
	var compact, indented bytes.Buffer
	if err := writeJSON(jsontext.NewEncoder(&compact), example); err != nil {
		return r, err
	}
	err := json.Indent(&indented, bytes.TrimSpace(compact.Bytes()), "", "  ")
	r.Body = indented.String()
	return r, err
}

// resolve returns what a node is or refers to.
func resolve(doc, node *yaml.Node) *yaml.Node {
	reference := text(node, "$ref")
	if reference == "" {
		return node
	}
	node = doc
	for name := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
		node = member(node, name)
	}
	return node
}

// member returns a member of a mapping, or nil.
func member(node *yaml.Node, name string) *yaml.Node {
	for other, value := range members(node) {
		if other == name {
			return value
		}
	}
	return nil
}

// text returns a scalar member, or nothing.
func text(node *yaml.Node, name string) string {
	if value := member(node, name); value != nil {
		return value.Value
	}
	return ""
}

// members yields the members of a mapping in order; those of nothing are none.
func members(node *yaml.Node) func(func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		for pair := range slices.Chunk(elements(node), 2) {
			if !yield(pair[0].Value, pair[1]) {
				return
			}
		}
	}
}

// elements are the elements of a sequence; those of nothing are none.
func elements(node *yaml.Node) []*yaml.Node {
	if node == nil {
		return nil
	}
	return node.Content
}

func scalar(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}
