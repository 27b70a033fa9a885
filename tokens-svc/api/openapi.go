// Package api holds the public description of the HTTP interface, openapi.yaml (OpenAPI 3.1).
package api

import (
	_ "embed" // for openapi.yaml
	"net/http"
	"sync"

	"github.com/quayside/quayside/gateway/servicekit/api/openapi"
)

//go:embed openapi.yaml
var description []byte

// Handler returns the handler that serves the description as JSON.
var Handler = sync.OnceValue(func() http.Handler { return openapi.Handler(description) })

// JSON returns the description as JSON.
func JSON() ([]byte, error) { return openapi.JSON(description) }
