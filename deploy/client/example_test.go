package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/quayside/quayside/deploy/client"
)

// The shipments that are approved, from a server that stands for the gateway.
func ExampleNew() {
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.URL, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"shipments":[{"reference":"CFE-2026-0419"}],"meta":{"page":1,"per_page":20,"total":1}}`)
	}))
	defer gateway.Close()

	api, err := client.New(gateway.URL, "shpt_live_…")
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := api.ListShipmentsWithResponse(context.Background(),
		&client.ListShipmentsParams{Status: new(client.StatusApproved)})
	switch {
	case err != nil:
		fmt.Println(err) // there is no response
	case list.JSON200 != nil:
		fmt.Println(list.JSON200.Meta.Total, list.JSON200.Shipments[0].Reference)
	default:
		fmt.Println(list.ApplicationProblemJSONDefault.Code)
	}
	// Output:
	// /api/v1/shipments?status=approved Bearer shpt_live_…
	// 1 CFE-2026-0419
}

// A member that is removed is null; one that stays as it is is left out.
func ExampleUpdateShipment() {
	var update client.UpdateShipment
	update.Shipment.Vessel = new("Maersk Lavras")
	update.Shipment.Voyage.SetNull()
	body, err := json.Marshal(update)
	fmt.Println(string(body), err)
	// Output: {"shipment":{"vessel":"Maersk Lavras","voyage":null}} <nil>
}
