package e2e

import (
	"net/http"
	"slices"
	"testing"
)

// In one organization, a token of one environment cannot read, list or change the
// data of the other and gets none of its events.
func TestTestAndLiveDataAreSeparate(t *testing.T) {
	t.Parallel()
	organization, err := stack.CreateOrganization(t.Context(), "Apart")
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{}
	for _, environment := range []string{"live", "test"} {
		token, err := stack.CreateToken(t.Context(), organization, "admin", "--environment", environment)
		if err != nil {
			t.Fatal(err)
		}
		secrets[environment] = token.Secret
	}
	key := http.Header{"Idempotency-Key": {"apart-1"}}
	made := map[string]string{}
	for environment, token := range secrets {
		a := do(t, call{method: http.MethodPost, path: "/api/v1/shipments", token: token, body: valid, header: key})
		a.wants(t, http.StatusCreated, "")
		made[environment] = decode[one](t, a).Shipment.ID
	}
	if made["live"] == made["test"] {
		t.Error("an idempotency key of live data answers for test data")
	}
	for environment, token := range secrets {
		own, other := made[environment], made[map[string]string{"live": "test", "test": "live"}[environment]]
		list := decode[page](t, do(t, call{path: "/api/v1/shipments", token: token}))
		if list.Meta.Total != 1 || len(list.Shipments) != 1 || list.Shipments[0].ID != own {
			t.Errorf("%s lists %+v, want %s", environment, list, own)
		}
		for _, c := range []call{
			{path: "/api/v1/shipments/" + other},
			{path: "/api/v1/shipments/" + other + "/history"},
			{path: "/api/v1/shipments/" + other + "/documents"},
			{method: http.MethodPatch, path: "/api/v1/shipments/" + other, body: `{"shipment":{"reference":"mine"}}`},
			{method: http.MethodDelete, path: "/api/v1/shipments/" + other},
		} {
			c.token = token
			do(t, c).wants(t, http.StatusNotFound, "not_found")
		}
		var received []string
		eventually(t, "the event", func() bool {
			received = nil
			for _, e := range decode[struct{ Events []struct{ Data one } }](t,
				do(t, call{path: "/api/v1/events", token: token})).Events {
				received = append(received, e.Data.Shipment.ID)
			}
			return len(received) > 0
		})
		if slices.Contains(received, other) || !slices.Contains(received, own) {
			t.Errorf("%s receives %v, want %s", environment, received, own)
		}
		self := decode[struct {
			Token struct {
				Environment  string
				Organization struct{ ID string }
			}
		}](t, do(t, call{path: "/api/v1/token", token: token})).Token
		if self.Environment != environment || self.Organization.ID != organization {
			t.Errorf("%s gets %+v, want the organization %s", environment, self, organization)
		}
	}
}
