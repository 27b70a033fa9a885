package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// managed is a token as the management API shows it.
type managed struct {
	ID, Name, Status, Secret string
	CreatedBy                struct{ Kind, ID, Name string } `json:"created_by"`
	ExpiresAt                *time.Time                      `json:"expires_at"`
	RotatedFrom              string                          `json:"rotated_from"`
	RotatedTo                string                          `json:"rotated_to"`
	Usage                    struct {
		LastUsedAt   *time.Time `json:"last_used_at"`
		LastUsedFrom string     `json:"last_used_from"`
		Requests     int        `json:"requests_24h"`
		Refused      int        `json:"refused_24h"`
	}
}

type managedAnswer struct{ Token, Previous managed }

// manager is an admin token of an organization of one test, with a limit that polling
// does not reach.
func manager(t *testing.T, name string) (organization, token string) {
	t.Helper()
	organization, err := stack.CreateOrganization(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	made, err := stack.CreateToken(t.Context(), organization, "admin", "--limit", "10000")
	if err != nil {
		t.Fatal(err)
	}
	return organization, made.Secret
}

// manage calls the management API and decodes the token in the response.
func manage(t *testing.T, token, method, path, body string, status int) managedAnswer {
	t.Helper()
	a := do(t, call{method: method, path: path, token: token, body: body})
	a.wants(t, status, "")
	if status == http.StatusNoContent {
		return managedAnswer{}
	}
	return decode[managedAnswer](t, a)
}

// A token is created, changed, used, rotated and revoked, and the gateway follows.
func TestATokenIsCreatedRotatedAndRevokedThroughTheAPI(t *testing.T) {
	t.Parallel()
	_, admin := manager(t, "Life")
	made := manage(t, admin, http.MethodPost, "/api/v1/tokens",
		`{"token":{"name":"ERP","permissions":["shipments:read"],"rate_limit":{"limit":60,"window_seconds":60}}}`,
		http.StatusCreated).Token
	if made.CreatedBy.Kind != "token" || made.Status != "active" || made.ExpiresAt == nil ||
		!strings.HasPrefix(made.Secret, "shpt_live_") {
		t.Errorf("got the new token %+v", made)
	}
	path := "/api/v1/tokens/" + made.ID
	manage(t, admin, http.MethodPatch, path, `{"token":{"name":"ERP 2"}}`, http.StatusOK)
	for range 3 {
		if a := do(t, call{path: "/api/v1/shipments", token: made.Secret}); a.window.limit != 60 {
			t.Errorf("the token's limit is %d", a.window.limit)
		}
	}
	var seen managed
	eventually(t, "the report of use", func() bool {
		seen = manage(t, admin, http.MethodGet, path, "", http.StatusOK).Token
		return seen.Usage.Requests >= 3 // in one report or in several
	})
	if seen.Name != "ERP 2" || seen.Secret != "" || seen.Usage.Requests != 3 || seen.Usage.Refused != 0 ||
		seen.Usage.LastUsedFrom != "127.0.0.1" ||
		seen.Usage.LastUsedAt == nil || time.Since(*seen.Usage.LastUsedAt) > time.Hour {
		t.Errorf("after three requests: %+v", seen)
	}

	rotation := manage(t, admin, http.MethodPost, path+"/rotate", `{"grace_seconds":3600}`, http.StatusCreated)
	successor := rotation.Token
	if successor.RotatedFrom != made.ID || rotation.Previous.RotatedTo != successor.ID || successor.Name != "ERP 2" {
		t.Errorf("rotated %+v", rotation)
	}
	do(t, call{path: "/api/v1/shipments", token: successor.Secret}).wants(t, http.StatusOK, "")
	eventually(t, "Sunset", func() bool {
		a := do(t, call{path: "/api/v1/token", token: made.Secret})
		end, err := http.ParseTime(a.header.Get("Sunset"))
		return err == nil && time.Until(end) > 59*time.Minute && time.Until(end) <= time.Hour
	})

	manage(t, admin, http.MethodPost, path+"/revoke", `{"reason":"laptop lost"}`, http.StatusOK)
	refused(t, made.Secret)
	manage(t, successor.Secret, http.MethodDelete, "/api/v1/token", "", http.StatusNoContent)
	refused(t, successor.Secret)
}

// refused waits until a token is refused.
func refused(t *testing.T, token string) {
	t.Helper()
	eventually(t, "the refusal", func() bool {
		return do(t, call{path: "/api/v1/token", token: token, from: "127.0.0.106"}).status == http.StatusUnauthorized
	})
}
