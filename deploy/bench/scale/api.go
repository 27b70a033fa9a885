package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/quayside/quayside/deploy/bench/packinglist"
)

// permissions are all that requests of the benchmark need.
const permissions = "documents:read documents:write shipments:read shipments:review shipments:write"

const jsonType = "application/json"

// api calls the service as one organization.
type api struct {
	client *http.Client
	url    string // of the shipments
	org    string
}

func newAPI(address, org string) api {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	return api{client: &http.Client{Transport: transport, Timeout: time.Minute}, url: "http://" + address + "/api/v1/shipments", org: org}
}

// call sends a request, decodes the response into into unless that is nil, and
// returns the length of the response. Every status but 2xx is an error.
func (a api) call(ctx context.Context, method, path, mediaType string, body []byte, into any) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Organization-Id", a.org)
	req.Header.Set("X-Token-Id", "tok_4fZyo82mVyR1")
	req.Header.Set("X-Token-Permissions", permissions)
	if body != nil {
		req.Header.Set("Content-Type", mediaType)
	}
	res, err := a.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	if res.StatusCode/100 != 2 {
		return 0, fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text)
	}
	if into == nil {
		return len(text), nil
	}
	return len(text), json.Unmarshal(text, into)
}

type page struct {
	Shipments []struct{ ID string }
	Meta      struct{ Total int }
}

// list gets a page of 25 shipments of a status, or of all.
func (a api) list(ctx context.Context, status string, number int) (p page, err error) {
	_, err = a.call(ctx, http.MethodGet, fmt.Sprintf("?status=%s&page=%d", status, number), "", nil, &p)
	return p, err
}

// create creates a shipment and returns its path.
func (a api) create(ctx context.Context) (string, error) {
	var made struct{ Shipment struct{ ID string } }
	_, err := a.call(ctx, http.MethodPost, "", jsonType, []byte(`{"shipment":{
		"reference":"PO-2611-1","vessel":"MSC Carmen","origin":"Cape Town, South Africa","destination":"Rotterdam, Netherlands"}}`), &made)
	return "/" + made.Shipment.ID, err
}

// attach uploads a packing list to a shipment, as a form, and returns the
// document's path.
func (a api) attach(ctx context.Context, shipment, filename string, content []byte) (string, error) {
	mediaType, form := packinglist.Form(filename, content)
	var made struct{ Document struct{ ID string } }
	_, err := a.call(ctx, http.MethodPost, shipment+"/documents", mediaType, form, &made)
	return shipment + "/documents/" + made.Document.ID, err
}

// read polls a document until it is read.
func (a api) read(ctx context.Context, document string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return every(ctx, 5*time.Millisecond, func() (bool, error) {
		var seen struct {
			Document struct {
				Status string
				Error  json.RawMessage
			}
		}
		if _, err := a.call(ctx, http.MethodGet, document, "", nil, &seen); err != nil {
			return false, err
		}
		if seen.Document.Status == "failed" {
			return false, fmt.Errorf("the document was not read: %s", seen.Document.Error)
		}
		return seen.Document.Status == "processed", nil
	})
}
