package e2e

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// encode returns a value as JSON text, with literals unchanged.
func encode(v any) []byte {
	var b bytes.Buffer
	write(&b, v)
	return b.Bytes()
}

func write(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case literal:
		b.WriteString(string(v))
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, m.name)
			b.WriteByte(':')
			write(b, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, e)
		}
		b.WriteByte(']')
	default:
		content, err := json.Marshal(v)
		if err != nil {
			content = []byte("null") // an infinite number
		}
		b.Write(content)
	}
}

// slot is a place in a JSON value that can be overwritten.
type slot func(any)

// slots returns every place in v, including v itself.
func slots(v any, set slot) []slot {
	all := []slot{set}
	switch v := v.(type) {
	case object:
		for i := range v {
			all = append(all, slots(v[i].value, func(x any) { v[i].value = x })...)
		}
	case []any:
		for i := range v {
			all = append(all, slots(v[i], func(x any) { v[i] = x })...)
		}
	}
	return all
}

// objects returns a function for each object in v, which replaces the object.
func objects(v any, set func(object)) (found []func(func(object) object)) {
	switch v := v.(type) {
	case object:
		found = append(found, func(change func(object) object) { set(change(v)) })
		for i := range v {
			found = append(found, objects(v[i].value, func(o object) { v[i].value = o })...)
		}
	case []any:
		for i := range v {
			found = append(found, objects(v[i], func(o object) { v[i] = o })...)
		}
	}
	return found
}

func sortedNames(properties openapi3.Schemas) []string {
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }
