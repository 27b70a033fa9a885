package e2e

import (
	"net/http"
	"slices"
	"testing"
)

type shipment struct {
	ID, Reference, Status, Vessel, Origin, Destination string
	PalletsCount                                       int     `json:"pallets_count"`
	CreatedAt                                          string  `json:"created_at"`
	ApprovedAt                                         *string `json:"approved_at"`
	Pallets                                            []struct {
		PalletNumber string  `json:"pallet_number"`
		ProduceName  string  `json:"produce_name"`
		Calibre      string  `json:"calibre"`
		Boxes        int     `json:"boxes"`
		BoxWeightKg  float64 `json:"box_weight_kg"`
	}
	Checks []struct{ Name, Result, Details string }
}

type page struct {
	Shipments []shipment
	Meta      struct {
		Page, Total int
		PerPage     int `json:"per_page"`
	}
}

type one struct{ Shipment shipment }

const valid = `{"shipment":{"reference":"PO-4711","vessel":"MSC Carmen",` +
	`"origin":"Cape Town, ZA","destination":"Rotterdam, NL"}}`

func TestTheDemoHasShipmentsInEveryStatusWithPalletsAndChecks(t *testing.T) {
	t.Parallel()
	token := fresh(t, "shipments:read").Secret
	results := map[string]bool{}
	for _, status := range []string{"pending", "processing", "ready_for_review", "approved", "rejected"} {
		a := do(t, call{path: "/api/v1/shipments?status=" + status, token: token})
		a.wants(t, http.StatusOK, "")
		list := decode[page](t, a)
		if len(list.Shipments) == 0 || list.Meta.Total < len(list.Shipments) {
			t.Fatalf("%s: %s", status, a.body)
		}
		for _, s := range list.Shipments {
			if s.Status != status {
				t.Errorf("status=%s lists %s, which is %s", status, s.ID, s.Status)
			}
			if (s.ApprovedAt != nil) != (status == "approved") {
				t.Errorf("%s (%s): approved_at %v", s.ID, status, s.ApprovedAt)
			}
			a := do(t, call{path: "/api/v1/shipments/" + s.ID, token: token})
			a.wants(t, http.StatusOK, "")
			detail := decode[one](t, a).Shipment
			if len(detail.Pallets) != s.PalletsCount {
				t.Errorf("%s: pallets_count %d, %d pallets", s.ID, s.PalletsCount, len(detail.Pallets))
			}
			for _, check := range detail.Checks {
				results[check.Result] = true
			}
		}
	}
	for _, result := range []string{"pass", "warn", "fail", "skip"} {
		if !results[result] {
			t.Errorf("no check has result %s", result)
		}
	}
}

func TestAnotherOrganizationsShipmentIs404(t *testing.T) {
	t.Parallel()
	other := decode[page](t, do(t, call{path: "/api/v1/shipments", token: stack.Demo.TokenOtherOrg}))
	if len(other.Shipments) == 0 {
		t.Fatal("the other organization has no shipment")
	}
	token := fresh(t, "admin").Secret
	var bodies []string
	for _, id := range []string{other.Shipments[0].ID, "ship_00000000000000000000000000", "ship_x", "4711"} {
		a := do(t, call{path: "/api/v1/shipments/" + id, token: token})
		a.wants(t, http.StatusNotFound, "not_found")
		p := a.problem(t)
		bodies = append(bodies, p.Title+p.Detail)
	}
	if len(slices.Compact(bodies)) != 1 {
		t.Errorf("the answers differ: %q", bodies)
	}
}
