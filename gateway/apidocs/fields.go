package apidocs

import (
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

	// For the console: the only values, whether it is a file, and the path of the list that has what it names.
	Options       []string
	File          bool
	Example, List string
}

// fields returns the members of an object, and of objects within it that have no page of their own.
func (d *description) fields(prefix string, schema *node) (rows []field) {
	for _, part := range schema.parts() {
		properties, required := part.get("properties"), part.get("required").strings()
		for i, member := range properties.elements() {
			name := properties.names[i]
			rows = append(rows, d.field(prefix+name, slices.Contains(required, name), member))
			inner, suffix := member, "."
			if items := member.get("items"); items != nil && member.ref == "" {
				inner, suffix = items, "[]."
			}
			if inner.ref == "" {
				rows = append(rows, d.fields(prefix+name+suffix, inner)...)
			}
		}
	}
	return rows
}

func (d *description) field(name string, required bool, schema *node) field {
	f := field{
		Name: name, Required: required, Type: typeOf(schema), Text: render(schema.description()),
		Options: schema.get("enum").strings(), File: schema.get("format").string() == "binary",
	}
	for inner := schema; inner != nil; inner = inner.get("items") {
		if inner.ref != "" && inner.isObject() {
			f.Object = d.object(inner.ref)
			break
		}
	}
	return f
}

// object is the path of the page of a schema.
func (d *description) object(name string) string { return d.base + "/objects/" + name }

// typeOf says which values a schema allows.
func typeOf(schema *node) string {
	if alternatives := slices.Concat(schema.get("oneOf").elements(), schema.get("anyOf").elements()); alternatives != nil {
		var all []string
		for _, one := range alternatives {
			all = append(all, typeOf(one))
		}
		return strings.Join(all, " or ")
	}
	if schema.ref != "" && schema.isObject() {
		return schema.ref
	}
	limits := func(least, most, unit string) string {
		switch least, most := schema.get(least).string(), schema.get(most).string(); {
		case least != "" && most != "":
			return ", " + least + " to " + most + unit
		case most != "":
			return ", at most " + most + unit
		case least != "":
			return ", at least " + least + unit
		}
		return ""
	}
	if items := schema.get("items"); items != nil {
		return "array of " + typeOf(items) + limits("", "maxItems", " elements")
	}
	words := "object"
	if types := schema.get("type").strings(); types != nil {
		words = strings.Join(types, " or ")
	}
	if values := schema.get("enum").strings(); values != nil {
		words = strings.Join(slices.DeleteFunc(values, func(value string) bool { return value == "" }), ", ")
	}
	if format := schema.get("format").string(); format != "" {
		words += ", " + format
	}
	words += limits("minLength", "maxLength", " characters") + limits("minimum", "maximum", "")
	if value := schema.get("default"); value != nil {
		words += "; default " + value.text
	}
	return words
}
