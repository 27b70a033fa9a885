// Package openapi serves an OpenAPI description that is written in YAML as JSON,
// with the same content in the same order.
package openapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
)

// Handler returns the handler that serves a description as JSON, to pages of
// any origin. Caches may keep it for five minutes and revalidate it by its ETag.
// It panics if the description, which is part of the program, is not valid YAML.
func Handler(description []byte) http.Handler {
	text, err := JSON(description)
	if err != nil {
		panic(err)
	}
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(text))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Etag", tag)
		header.Set("Cache-Control", "public, max-age=300")
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Access-Control-Expose-Headers", "ETag")
		if precondition.Failed(r, tag) == http.StatusNotModified {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		header.Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = w.Write(text) // it fails if the client is gone
	})
}

// JSON returns the description as JSON.
func JSON(description []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(description, &doc); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	var text bytes.Buffer
	if err := writeJSON(jsontext.NewEncoder(&text), doc.Content[0]); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

// writeJSON writes a YAML value as JSON. Decoding into a map would lose the
// order in which readers meet things.
func writeJSON(enc *jsontext.Encoder, node *yaml.Node) error {
	begin, end := jsontext.BeginArray, jsontext.EndArray
	switch node.Kind {
	case yaml.MappingNode:
		begin, end = jsontext.BeginObject, jsontext.EndObject
	case yaml.SequenceNode:
	case yaml.ScalarNode:
		var value any
		if err := node.Decode(&value); err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		return enc.WriteValue(text)
	default:
		return fmt.Errorf("line %d: anchors and aliases are not supported", node.Line)
	}
	if err := enc.WriteToken(begin); err != nil {
		return err
	}
	for i, element := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			element.Tag = "!!str" // a name is a text, such as the status 200
		}
		if err := writeJSON(enc, element); err != nil {
			return err
		}
	}
	return enc.WriteToken(end)
}
