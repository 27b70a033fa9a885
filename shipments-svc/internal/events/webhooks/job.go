package webhooks

import "github.com/quayside/quayside/shipments-svc/internal/shipments"

// Place is an endpoint and whose it is.
type Place struct {
	Org      shipments.OrgID
	Endpoint ID
}

// Job is a delivery that was claimed to be attempted.
type Job struct {
	Place
	Claim   int64 // a later claim of the same delivery has a higher one
	URL     string
	Secrets []Secret // that sign it, the newest first
	// Event is what is told. Of a test it has ID, Type and At only.
	Event shipments.Event
	Tries int // attempts that were made since it was asked for
}
