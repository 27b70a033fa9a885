package apidocs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// node is a value of an OpenAPI document. A nil node is a missing one.
type node struct {
	names  []string // of the members of an object, in their order
	values []*node  // of the members, or the elements of an array
	text   string   // of a scalar
	json   []byte

	// ref is the name at the end of the reference that the node was resolved from, and beside the description at it.
	ref, beside string
}

// readNode returns the next value of a document, whose numbers are json.Numbers.
func readNode(decoder *json.Decoder, document []byte) (*node, error) {
	before := decoder.InputOffset()
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	first := bytes.TrimLeft(document[before:decoder.InputOffset()], " \t\r\n,:")
	start := int(decoder.InputOffset()) - len(first)
	kind, composed := token.(json.Delim)
	if !composed {
		return &node{text: fmt.Sprint(token), json: first}, nil
	}
	n := new(node)
	for decoder.More() {
		if kind == '{' {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			n.names = append(n.names, fmt.Sprint(name))
		}
		member, err := readNode(decoder, document)
		if err != nil {
			return nil, err
		}
		n.values = append(n.values, member)
	}
	_, err = decoder.Token() // its end
	n.json = document[start:decoder.InputOffset()]
	return n, err
}

// readDocument reads a document and resolves its references.
func readDocument(document []byte) (*node, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	n, err := readNode(decoder, document)
	if err == nil {
		n.resolve(n)
	}
	return n, err
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
	_ = json.Indent(&out, n.json, "", "  ") // it is JSON
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
