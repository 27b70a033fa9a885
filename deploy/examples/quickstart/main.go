// Command quickstart creates a shipment, attaches its packing list, the file
// that is its argument, waits until it has been read, and shows what was found.
//
// It needs QUAYSIDE_URL and QUAYSIDE_TOKEN in the environment.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/quayside/quayside/deploy/client"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if len(os.Args) != 2 {
		return errors.New("usage: quickstart PACKING-LIST")
	}
	api, err := client.New(os.Getenv("QUAYSIDE_URL"), os.Getenv("QUAYSIDE_TOKEN"))
	if err != nil {
		return err
	}

	var wanted client.CreateShipment
	wanted.Shipment.Reference, wanted.Shipment.Vessel = "CFE-2026-0117", "MSC Carmen"
	wanted.Shipment.Origin, wanted.Shipment.Destination = "Cape Town, ZA", "Rotterdam, NL"
	// The key makes it safe to send this again when no answer came: the shipment is created once.
	created, err := api.CreateShipmentWithResponse(ctx, &client.CreateShipmentParams{IdempotencyKey: new(rand.Text())},
		wanted)
	if err != nil {
		return err
	}
	if created.JSON201 == nil {
		return problem(created.Body)
	}
	id := created.JSON201.Shipment.ID

	content, err := os.ReadFile(os.Args[1]) //nolint:gosec // G703: the caller's file is the point
	if err != nil {
		return err
	}
	var list client.AttachDocument
	list.Document.Type, list.Document.ContentBase64 = "packing_list", &content
	list.Document.Filename = new(filepath.Base(os.Args[1]))
	attached, err := api.AttachDocumentWithResponse(ctx, id, nil, list)
	if err != nil {
		return err
	}
	if attached.JSON201 == nil {
		return problem(attached.Body)
	}

	shipment, err := settled(ctx, api, id)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s, %d pallets\n", shipment.Reference, shipment.Status, shipment.PalletsCount)
	for _, check := range shipment.Checks {
		if check.Result == "warn" || check.Result == "fail" {
			fmt.Printf("%s %s: %s\n", check.Result, check.Name, check.Details)
		}
	}
	return nil
}

// settled returns the shipment once its documents have been read. It asks for
// it once it is another than the one that it has: the answer comes when it
// changes, or after 25 seconds.
func settled(
	ctx context.Context, api *client.ClientWithResponses, id client.ShipmentID,
) (*client.ShipmentDetail, error) {
	for etag := `"0"`; ; {
		answer, err := api.GetShipmentWithResponse(ctx, id,
			&client.GetShipmentParams{Prefer: new("wait=25"), IfNoneMatch: &etag})
		if err != nil {
			return nil, err
		}
		switch {
		case answer.StatusCode() == http.StatusNotModified:
		case answer.JSON200 == nil:
			return nil, problem(answer.Body)
		case answer.JSON200.Shipment.Status != "processing":
			return &answer.JSON200.Shipment, nil
		}
		etag = answer.HTTPResponse.Header.Get("ETag")
	}
}

// problem is the error of an response that explains the failure and the remedy.
func problem(body []byte) error { return errors.New(string(body)) }
