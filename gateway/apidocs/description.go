package apidocs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// node is a value of an OpenAPI document. A nil node is a missing one.
type node struct {
	names  []string // of the members of an object, in their order
	values []*node  // of the members, or the elements of an array
	text   string   // of a scalar
	whole  any      // as the YAML library has it

	// ref is the name at the end of the reference that the node was resolved from, and beside the description at it.
	ref, beside string
}

// readDocument reads a document and resolves its references.
func readDocument(document []byte) (*node, error) {
	var whole any
	if err := yaml.UnmarshalWithOptions(document, &whole, yaml.UseOrderedMap()); err != nil {
		return nil, err
	}
	n := newNode(whole)
	n.resolve(n)
	return n, nil
}

func newNode(whole any) *node {
	n := &node{whole: whole}
	switch value := whole.(type) {
	case yaml.MapSlice:
		for _, member := range value {
			n.names = append(n.names, fmt.Sprint(member.Key))
			n.values = append(n.values, newNode(member.Value))
		}
	case []any:
		for _, element := range value {
			n.values = append(n.values, newNode(element))
		}
	default:
		n.text = fmt.Sprint(value)
	}
	return n
}

// resolve puts what is referred to in the place of all references below n.
func (n *node) resolve(root *node) {
	for i, member := range n.values {
		if ref := member.get("$ref").string(); ref != "" {
			path := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
			resolved := *root.get(path...) // it shares the members, which are resolved at their own place
			resolved.ref, resolved.beside = path[len(path)-1], member.get("description").string()
			n.values[i] = &resolved
			continue
		}
		member.resolve(root)
	}
}

// get returns the member that the names lead to.
func (n *node) get(names ...string) *node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		i := slices.Index(n.names, name)
		if i < 0 {
			return nil
		}
		n = n.values[i]
	}
	return n
}

// elements returns the elements of an array, or the values of an object.
func (n *node) elements() []*node {
	if n == nil {
		return nil
	}
	return n.values
}

// string returns the text of a scalar.
func (n *node) string() string {
	if n == nil {
		return ""
	}
	return n.text
}

// strings returns the texts of an array, or of a scalar.
func (n *node) strings() (all []string) {
	if n != nil && n.values == nil {
		return []string{n.text}
	}
	for _, element := range n.elements() {
		all = append(all, element.text)
	}
	return all
}

// indented returns the value as JSON that people read.
func (n *node) indented() string {
	var out bytes.Buffer
	line, _ := yaml.MarshalWithOptions(n.whole, yaml.JSON()) // it was read
	_ = json.Indent(&out, bytes.TrimSpace(line), "", "  ")
	return out.String()
}

// description returns the description at a reference, or else that of the node.
func (n *node) description() string { return cmp.Or(n.beside, n.get("description").string()) }

// parts are a schema and all that it is composed of.
func (n *node) parts() []*node {
	all := []*node{n}
	for _, part := range n.get("allOf").elements() {
		all = append(all, part.parts()...)
	}
	return all
}

// isObject reports whether a schema is one of objects, which has a page.
func (n *node) isObject() bool {
	return slices.ContainsFunc(n.parts(), func(part *node) bool { return part.get("properties") != nil })
}
