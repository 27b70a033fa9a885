package transport_test

import (
	"net/http"
	"testing"
)

const (
	hooksPath = "/api/v1/webhook_endpoints"
	noHook    = hooksPath + "/we_00000000000000000000000000"
	hook      = `{"webhook_endpoint":{"url":"https://hooks.example.com/quayside"}}`
)

// webhookEndpoint is a webhook endpoint as it is shown.
type webhookEndpoint struct {
	ID, URL, Description, Status, Secret string
	EventTypes                           []string `json:"event_types"`
	DisabledReason                       string   `json:"disabled_reason"`
	PreviousUntil                        string   `json:"previous_secret_expires_at"`
	CreatedAt                            string   `json:"created_at"`
	UpdatedAt                            string   `json:"updated_at"`
}

// hook creates a webhook endpoint.
func (a *api) hook(t *testing.T) webhookEndpoint {
	t.Helper()
	return a.endpoint(t, call{method: http.MethodPost, path: hooksPath, body: hook}, http.StatusCreated)
}

// endpoint makes a call that is answered with a webhook endpoint.
func (a *api) endpoint(t *testing.T, c call, status int) webhookEndpoint {
	t.Helper()
	res := a.do(t, c)
	res.wants(t, status, "")
	var view struct {
		Endpoint webhookEndpoint `json:"webhook_endpoint"`
	}
	decode(t, res.body, &view)
	return view.Endpoint
}
