package e2e

import (
	"context"
	"net/http"
	"testing"

	"github.com/quayside/quayside/deploy/client"
)

// The shipment is created, updated, given documents, read, approved despite a
// failing check, and listed.
func TestTheGoClientCallsEveryStepOfAShipment(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	api, err := client.New(stack.URL, fresh(t, "shipments:write,shipments:review,documents:write").Secret)
	if err != nil {
		t.Fatal(err)
	}

	var wanted client.CreateShipment
	wanted.Shipment.Reference, wanted.Shipment.Vessel = "GO-1", "MSC Carmen"
	wanted.Shipment.Origin, wanted.Shipment.Destination = "Cape Town, ZA", "Rotterdam, NL"
	params := &client.CreateShipmentParams{IdempotencyKey: new("go-client-" + t.Name())}
	created := must(api.CreateShipmentWithResponse(ctx, params, wanted))
	again := must(api.CreateShipmentWithResponse(ctx, params, wanted))
	if created.JSON201 == nil || again.JSON201 == nil || again.JSON201.Shipment.ID != created.JSON201.Shipment.ID {
		t.Fatalf("created %s, and again %s", created.Body, again.Body)
	}
	id := created.JSON201.Shipment.ID

	changed := must(api.UpdateShipmentWithResponse(ctx, id, &client.UpdateShipmentParams{IfMatch: new(`"0"`)},
		update("MSC Isabella")))
	if p := changed.ApplicationProblemJSONDefault; p == nil || p.Status != http.StatusPreconditionFailed ||
		p.Code != "etag_mismatch" {
		t.Errorf("changed with another version's ETag: %s", changed.Body)
	}
	changed = must(api.UpdateShipmentWithResponse(ctx, id, nil, update("MSC Isabella")))
	if changed.JSON200 == nil || changed.JSON200.Shipment.Vessel != "MSC Isabella" {
		t.Errorf("changed %s", changed.Body)
	}

	content := []byte("Pallet,Variety,Calibre,Boxes,Net weight per box (kg)\n" +
		"P-1,Avocado Hass,18,264,4\nP-1,Avocado Hass,18,264,4\n")
	var list client.AttachDocument
	list.Document.Type, list.Document.Filename, list.Document.ContentBase64 = "packing_list", new("list.csv"), &content
	attached := must(api.AttachDocumentWithResponse(ctx, id, nil, list))
	if attached.JSON201 == nil {
		t.Fatalf("attached %s", attached.Body)
	}
	shipment := read(ctx, t, api, id)
	if shipment.Status != "ready_for_review" || shipment.PalletsCount == 0 || len(shipment.Documents) != 1 {
		t.Errorf("read %+v", shipment)
	}

	refused := must(api.ApproveShipmentWithResponse(ctx, id, nil, client.ApproveShipment{}))
	if p := refused.ApplicationProblemJSONDefault; p == nil || p.Code != "checks_failing" {
		t.Errorf("approved over a failing check: %s", refused.Body)
	}
	approved := must(api.ApproveShipmentWithResponse(ctx, id, nil,
		client.ApproveShipment{OverrideReason: new("Counted at the quay.")}))
	if approved.JSON200 == nil || approved.JSON200.Shipment.ApprovedAt == nil {
		t.Errorf("approved %s", approved.Body)
	}

	listed := must(api.ListShipmentsWithResponse(ctx,
		&client.ListShipmentsParams{Reference: new("GO-1"), Status: new(client.Status("approved"))}))
	if listed.JSON200 == nil || listed.JSON200.Meta.Total != 1 || listed.JSON200.Shipments[0].ID != id {
		t.Errorf("listed %s", listed.Body)
	}
	history := must(api.GetShipmentHistoryWithResponse(ctx, id, nil))
	if h := history.JSON200; h == nil || h.Meta.Total != 6 || h.History[0].Action != "approve" ||
		h.History[5].Action != "create" {
		t.Errorf("history %s", history.Body)
	}
	missing := must(api.GetShipmentWithResponse(ctx, "ship_00000000000000000000000000", nil))
	if p := missing.ApplicationProblemJSONDefault; p == nil || p.Code != "not_found" ||
		missing.HTTPResponse.Header.Get("X-RateLimit-Limit") != "100" {
		t.Errorf("missing %s", missing.Body)
	}
}

// must returns the response, and fails the test if there is none.
func must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

func update(vessel string) (u client.UpdateShipment) {
	u.Shipment.Vessel = &vessel
	return u
}

// read waits until the documents of a shipment have been read.
func read(
	ctx context.Context, t *testing.T, api *client.ClientWithResponses, id client.ShipmentID,
) client.ShipmentDetail {
	t.Helper()
	for etag := `"0"`; ; {
		answer := must(api.GetShipmentWithResponse(ctx, id,
			&client.GetShipmentParams{Prefer: new("wait=25"), IfNoneMatch: &etag}))
		etag = answer.HTTPResponse.Header.Get("ETag")
		switch {
		case answer.StatusCode() == http.StatusNotModified:
		case answer.JSON200 == nil:
			t.Fatalf("read %s", answer.Body)
		case answer.JSON200.Shipment.Status != "processing":
			return answer.JSON200.Shipment
		}
	}
}
