package apidocs

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// field is a row of a table: a parameter, or a member of an object.
type field struct {
	Name, In string
	Required bool
	Type     string
	Object   string // the path of the page of its objects; "": it has none
	Text     template.HTML
}

// fields returns the members of an object, and of objects within it that have no page of their own.
func (d *description) fields(prefix string, s *schema) (rows []field) {
	for _, part := range d.parts(s) {
		for _, member := range part.Properties {
			name := prefix + member.Name
			rows = append(rows, d.field(name, slices.Contains(part.Required, member.Name), member.Value))
			inner, suffix := member.Value, "."
			if inner.Items != nil {
				inner, suffix = inner.Items, "[]."
			}
			if inner.Ref == "" {
				rows = append(rows, d.fields(name+suffix, inner)...)
			}
		}
	}
	return rows
}

func (d *description) field(name string, required bool, s *schema) field {
	described := s.Description
	if described == "" {
		described = d.schema(s).Description
	}
	f := field{Name: name, Required: required, Type: d.typeOf(s), Text: render(described)}
	for inner := s; inner != nil; inner = inner.Items {
		if inner.Ref != "" && d.isObject(d.schema(inner)) {
			f.Object = d.object(inner.Ref)
		}
	}
	return f
}

// isObject reports whether a schema is one of objects, which has a page.
func (d *description) isObject(s *schema) bool {
	return slices.ContainsFunc(d.parts(s), func(part *schema) bool { return len(part.Properties) > 0 })
}

// object is the path of the page of a schema.
func (d *description) object(ref string) string { return d.base + "/objects/" + target(ref) }

// typeOf says which values a schema allows.
func (d *description) typeOf(s *schema) string {
	if alternatives := slices.Concat(s.OneOf, s.AnyOf); len(alternatives) > 0 {
		var all []string
		for _, one := range alternatives {
			all = append(all, d.typeOf(one))
		}
		return strings.Join(all, " or ")
	}
	if s.Ref != "" && d.isObject(d.schema(s)) {
		return target(s.Ref)
	}
	s = d.schema(s)
	if s.Items != nil {
		return "array of " + d.typeOf(s.Items) + limits(nil, s.MaxItems, " elements")
	}
	words := typeWords(s.Type)
	if len(s.Enum) > 0 {
		words = strings.Join(strings.Fields(strings.Trim(fmt.Sprint(s.Enum), "[]")), ", ")
	}
	if s.Format != "" {
		words += ", " + s.Format
	}
	words += limits(s.MinLength, s.MaxLength, " characters") + limits(s.Minimum, s.Maximum, "")
	if s.Default != nil {
		words += fmt.Sprint("; default ", s.Default)
	}
	return words
}

// typeWords are the words of a type, of which JSON Schema allows several.
func typeWords(t any) string {
	several, ok := t.([]any)
	if !ok {
		several = []any{t}
	}
	var words []string
	for _, one := range several {
		if one == nil {
			one = "object"
		}
		words = append(words, fmt.Sprint(one))
	}
	return strings.Join(words, " or ")
}

// limits are bounds in words, either of which may be missing.
func limits[T any](least, most *T, unit string) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprint(", ", *least, " to ", *most, unit)
	case most != nil:
		return fmt.Sprint(", at most ", *most, unit)
	case least != nil:
		return fmt.Sprint(", at least ", *least, unit)
	}
	return ""
}
