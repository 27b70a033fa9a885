package transport_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	openapi "github.com/quayside/quayside/shipments-svc/api"
)

var (
	description = sync.OnceValues(load)
	router      = sync.OnceValues(func() (routers.Router, error) {
		doc, err := description()
		if err != nil {
			return nil, err
		}
		for _, media := range []string{"text/html", "text/csv", "application/pdf", "image/png"} {
			openapi3filter.RegisterBodyDecoder(media, openapi3filter.FileBodyDecoder)
		}
		return gorillamux.NewRouter(doc)
	})
)

func load() (*openapi3.T, error) {
	text, err := openapi.JSON()
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(openapi3.NewLoader().Context); err != nil {
		return nil, err
	}
	doc.Servers = nil // requests here have a host
	// As 3.1, kin-openapi compiles a schema for each value and then uses its own validator, if no
	// keyword of 2020-12 is there.
	doc.OpenAPI = "3.0.3"
	return doc, nil
}

func document(tb testing.TB) *openapi3.T {
	tb.Helper()
	doc, err := description()
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

// described is a client's transport that fails the test when an answer is not
// one that api/openapi.yaml describes, headers included. Every test's requests
// go through it.
type described struct {
	tb   testing.TB
	next http.RoundTripper
}

func (d described) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := d.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	if err := check(decoded(req), res, body); err != nil {
		d.tb.Errorf(
			"%s %s answered %d, which is not as described: %v\n%s", req.Method, req.URL.Path, res.StatusCode, err, body,
		)
	}
	return res, nil
}

// decoded returns req with its path decoded: encoded or not, a path is the same.
func decoded(req *http.Request) *http.Request {
	c := req.Clone(req.Context())
	c.URL.RawPath = ""
	return c
}

func check(req *http.Request, res *http.Response, body []byte) error {
	router, err := router()
	if err != nil {
		return err
	}
	route, params, err := find(router, req)
	if errors.Is(err, routers.ErrPathNotFound) && res.StatusCode == http.StatusNotFound {
		// An unknown path has no description; its response is the one of /problems/{code}.
		req = req.Clone(req.Context())
		req.Method, req.URL.Path = http.MethodGet, "/problems/x"
		route, params, err = find(router, req)
	}
	if err != nil {
		return err
	}
	response := route.Operation.Responses.Status(res.StatusCode)
	if response == nil {
		return errors.New("there is no such status")
	}
	for _, name := range []string{
		"Link", "Location", "ETag", "Preference-Applied", "Allow", "WWW-Authenticate",
		"Retry-After",
	} {
		if _, ok := response.Value.Headers[name]; res.Header.Get(name) != "" && !ok {
			return errors.New("there is no header " + name)
		}
	}
	if media, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";"); len(body) > 0 &&
		response.Value.Content.Get(media) == nil {
		return errors.New("there is no content of type " + media)
	}
	return openapi3filter.ValidateResponse(req.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 res.StatusCode,
		Header:                 res.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true,
			MultiError:            true,
			ExcludeResponseBody:   req.Method == http.MethodHead,
		},
	})
}

// find returns the described operation of a request. HEAD is its GET without
// a body, and a method that a path does not have is answered alike whichever
// it is.
func find(router routers.Router, req *http.Request) (*routers.Route, map[string]string, error) {
	route, params, err := router.FindRoute(req)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if errors.Is(err, routers.ErrMethodNotAllowed) {
			req = req.Clone(req.Context())
			req.Method = method
			route, params, err = router.FindRoute(req)
		}
	}
	return route, params, err
}

// TestUndescribedMembersAreFound checks the check above.
func TestUndescribedMembersAreFound(t *testing.T) {
	t.Parallel()
	const fine = `{"shipments":[],"meta":{"page":1,"per_page":25,"total":0}}`
	described := http.Header{"Link": {"x"}, "Content-Type": {"application/json"}}
	more := http.Header{"Link": {"x"}, "Content-Type": {"application/json"}, "Location": {"/"}}
	for name, c := range map[string]struct {
		status int
		header http.Header
		body   string
		found  bool
	}{
		"as described":       {http.StatusOK, described, fine, false},
		"undescribed status": {http.StatusTeapot, described, fine, true},
		"no Link":            {http.StatusOK, http.Header{"Content-Type": {"application/json"}}, fine, true},
		"undescribed header": {http.StatusOK, more, fine, true},
		"null list":          {http.StatusOK, described, strings.Replace(fine, "[]", "null", 1), true},
	} {
		req := httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/shipments", nil)
		err := check(req, &http.Response{StatusCode: c.status, Header: c.header}, []byte(c.body))
		if (err != nil) != c.found {
			t.Errorf("%s: %v", name, err)
		}
	}
}
