package webhooks

import "github.com/quayside/quayside/shipments-svc/internal/shipments"

// EndpointKey is an endpoint with its organization.
type EndpointKey struct {
	Org      shipments.OrgID
	Endpoint ID
}

// Job is a claimed delivery.
type Job struct {
	EndpointKey
	Claim   int64 // increases with each claim of a delivery
	URL     string
	Secrets []Secret // for the signatures, the newest first
	// Event is the event. Of a test it has ID, Type and At only.
	Event shipments.Event
	Tries int // attempts since the delivery was requested
}
