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

	"github.com/goccy/go-yaml"

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
	var text bytes.Buffer
	spaced, err := yaml.YAMLToJSON(description)
	if err == nil {
		err = json.Compact(&text, spaced)
	}
	if err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	return text.Bytes(), nil
}
