package e2e

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

// apiDocuments are the OpenAPI documents that the gateway serves. Requests and responses are validated against them.
type apiDocuments struct {
	documents []*openapi3.T
	routers   []routers.Router
}

// loadDocuments fetches and validates the documents of the gateway at base.
func loadDocuments(ctx context.Context, base string) (*apiDocuments, error) {
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.PlainBodyDecoder)
	api := &apiDocuments{}
	for _, path := range []string{"/api/v1/openapi.json", "/api/v1/openapi/tokens.json"} {
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
		api.documents, api.routers = append(api.documents, doc), append(api.routers, router)
	}
	return api, nil
}

// errNoOperation means that no document has the request's path and method.
var errNoOperation = errors.New("the operation is in no API document")

// checkRequest returns nil for a request that a document allows, an error for
// one that it forbids, or errNoOperation. The body of req stays readable.
func (a *apiDocuments) checkRequest(req *http.Request) error {
	input, err := a.input(req)
	if err != nil {
		return err
	}
	return openapi3filter.ValidateRequest(req.Context(), input)
}

// checkResponse returns an error if a response differs from the documents, or
// errNoOperation.
func (a *apiDocuments) checkResponse(req *http.Request, status int, header http.Header, body []byte) error {
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

func (a *apiDocuments) input(req *http.Request) (*openapi3filter.RequestValidationInput, error) {
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
	return nil, errNoOperation
}
