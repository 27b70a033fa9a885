// Package apidoc validates requests and responses against the OpenAPI
// documents that a running gateway serves.
package apidoc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// paths are where a gateway serves its documents.
var paths = []string{"/api/v1/openapi.json", "/api/v1/openapi/tokens.json"}

// API is the documents of one gateway. It is safe for concurrent use.
type API struct {
	Documents []*openapi3.T
	routers   []routers.Router
}

// Load fetches and validates the documents of the gateway at base, a URL
// without a trailing slash.
func Load(ctx context.Context, base string) (*API, error) {
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.PlainBodyDecoder)
	api := &API{}
	for _, path := range paths {
		address, err := url.Parse(base + path)
		if err != nil {
			return nil, err
		}
		doc, err := openapi3.NewLoader().LoadFromURI(address)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if err := doc.Validate(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		doc.Servers = openapi3.Servers{{URL: base}}
		router, err := gorillamux.NewRouter(doc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		api.Documents, api.routers = append(api.Documents, doc), append(api.routers, router)
	}
	return api, nil
}

// ErrNoOperation means that no document has the request's path and method.
var ErrNoOperation = errors.New("the operation is in no API document")

// CheckRequest returns nil for a request that a document allows, an error for
// one that it forbids, or ErrNoOperation. The body of req stays readable.
func (a *API) CheckRequest(req *http.Request) error {
	input, err := a.input(req)
	if err != nil {
		return err
	}
	return openapi3filter.ValidateRequest(req.Context(), input)
}

// CheckResponse returns an error if a response differs from the documents, or
// ErrNoOperation.
func (a *API) CheckResponse(req *http.Request, status int, header http.Header, body []byte) error {
	input, err := a.input(req)
	if err != nil {
		return err
	}
	return openapi3filter.ValidateResponse(req.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
}

func (a *API) input(req *http.Request) (*openapi3filter.RequestValidationInput, error) {
	for _, router := range a.routers {
		if route, params, err := router.FindRoute(req); err == nil {
			return &openapi3filter.RequestValidationInput{
				Request: req, PathParams: params, Route: route,
				Options: &openapi3filter.Options{
					AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true,
				},
			}, nil
		}
	}
	return nil, ErrNoOperation
}
