package apidocs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// description is an OpenAPI document, as far as the reference shows it.
type description struct {
	Info struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	} `json:"info"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Paths      ordered[ordered[*operation]] `json:"paths"`
	Webhooks   ordered[ordered[*operation]] `json:"webhooks"`
	Components struct {
		Parameters map[string]*parameter `json:"parameters"`
		Responses  map[string]*response  `json:"responses"`
		Schemas    ordered[*schema]      `json:"schemas"`
	} `json:"components"`

	base string // path of its pages
}

// operation is one method of one path.
type operation struct {
	ID          string       `json:"operationId"`
	Tags        []string     `json:"tags"`
	Permission  string       `json:"x-permission"`
	Summary     string       `json:"summary"`
	Description string       `json:"description"`
	Parameters  []*parameter `json:"parameters"`
	Body        struct {
		Description string         `json:"description"`
		Content     ordered[media] `json:"content"`
	} `json:"requestBody"`
	Responses ordered[*response] `json:"responses"`
	Security  json.RawMessage    `json:"security"`
}

// parameter is a parameter of a query, a path or a header, or a reference to one.
type parameter struct {
	Ref         string          `json:"$ref"`
	Name        string          `json:"name"`
	In          string          `json:"in"`
	Required    bool            `json:"required"`
	Description string          `json:"description"`
	Schema      *schema         `json:"schema"`
	Example     json.RawMessage `json:"example"`
}

// response is a response, or a reference to one.
type response struct {
	Ref         string         `json:"$ref"`
	Description string         `json:"description"`
	Content     ordered[media] `json:"content"`
}

// media is a body of one media type.
type media struct {
	Schema   *schema         `json:"schema"`
	Example  json.RawMessage `json:"example"`
	Examples ordered[struct {
		Summary string          `json:"summary"`
		Value   json.RawMessage `json:"value"`
	}] `json:"examples"`
}

// schema describes a value, or is a reference to a schema.
type schema struct {
	Ref         string           `json:"$ref"`
	Type        any              `json:"type"` // a word, or several
	Format      string           `json:"format"`
	Description string           `json:"description"`
	Enum        []any            `json:"enum"`
	Required    []string         `json:"required"`
	Properties  ordered[*schema] `json:"properties"`
	Items       *schema          `json:"items"`
	AllOf       []*schema        `json:"allOf"`
	OneOf       []*schema        `json:"oneOf"`
	AnyOf       []*schema        `json:"anyOf"`
	Minimum     *json.Number     `json:"minimum"`
	Maximum     *json.Number     `json:"maximum"`
	MinLength   *int             `json:"minLength"`
	MaxLength   *int             `json:"maxLength"`
	MaxItems    *int             `json:"maxItems"`
	Default     any              `json:"default"`
}

// ordered is a JSON object whose members stay in their order.
type ordered[T any] []named[T]

type named[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *ordered[T]) UnmarshalJSON(object []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return fmt.Errorf("%v is no object: %w", begin, err)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		member := named[T]{Name: fmt.Sprint(name)}
		if err := decoder.Decode(&member.Value); err != nil {
			return err
		}
		*o = append(*o, member)
	}
	return nil
}

// get returns the member with a name.
func (o ordered[T]) get(name string) (value T) {
	if i := slices.IndexFunc(o, func(member named[T]) bool { return member.Name == name }); i >= 0 {
		return o[i].Value
	}
	return value
}

// target is the name at the end of a reference.
func target(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// parameter returns what a parameter is or refers to.
func (d *description) parameter(p *parameter) *parameter {
	if p.Ref == "" {
		return p
	}
	return d.Components.Parameters[target(p.Ref)]
}

// response returns what a response is or refers to.
func (d *description) response(r *response) *response {
	if r.Ref == "" {
		return r
	}
	return d.Components.Responses[target(r.Ref)]
}

// schema returns what a schema is or refers to.
func (d *description) schema(s *schema) *schema {
	if s.Ref == "" {
		return s
	}
	return d.Components.Schemas.get(target(s.Ref))
}

// parts are a schema and all that it is composed of.
func (d *description) parts(s *schema) []*schema {
	s = d.schema(s)
	all := []*schema{s}
	for _, part := range s.AllOf {
		all = append(all, d.parts(part)...)
	}
	return all
}
