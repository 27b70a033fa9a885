package webhooks

import (
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// DeliveryStatus is the status of a delivery.
type DeliveryStatus string

// The statuses of a delivery.
const (
	Pending   DeliveryStatus = "pending"   // to be attempted
	Delivered DeliveryStatus = "delivered" // accepted by the receiver
	Failed    DeliveryStatus = "failed"    // given up
)

// DeliveryStatuses lists every DeliveryStatus.
var DeliveryStatuses = []DeliveryStatus{Pending, Delivered, Failed}

// MaxAttempts is the number of attempts of a delivery that are kept, the newest.
const MaxAttempts = 100

// Delivery is the delivery of an event to an endpoint. There is at most one for each
// event; a replay continues it.
type Delivery struct {
	Event     shipments.EventID   `json:"event_id"`
	Type      shipments.EventType `json:"type"`         // Test, or the type of the event
	Number    int64               `json:"event_number"` // of the event; 0 of a test
	Status    DeliveryStatus      `json:"status"`
	Due       time.Time           `json:"due_at"`   // of the next attempt; zero unless Pending
	Attempts  []Attempt           `json:"attempts"` // the oldest first
	CreatedAt time.Time           `json:"created_at"`
}

// Test is the type of a test delivery, which is not an event.
const Test shipments.EventType = "webhook.test"

// Attempt is an attempt to deliver.
type Attempt struct {
	At       time.Time     `json:"at"`
	Took     time.Duration `json:"took_ns"`
	Outcome  Outcome       `json:"outcome"`
	Response int           `json:"response"` // HTTP status; 0: no response
	// RetryAfter is how long the receiver asks to wait; 0: it does not.
	RetryAfter time.Duration `json:"-"`
}

// Outcome is the outcome of an attempt.
type Outcome string

// The outcomes of an attempt.
const (
	Accepted          Outcome = "accepted"            // response 2xx
	Refused           Outcome = "refused"             // any other response
	Redirected        Outcome = "redirected"          // response 3xx, which is not followed
	TimedOut          Outcome = "timed_out"           // no response in time
	AddressNotAllowed Outcome = "address_not_allowed" // the host has no public address, or none
	TLSFailed         Outcome = "tls_failed"          // for example an untrusted certificate
	NoAnswer          Outcome = "no_answer"           // the connection was refused or broken, or is not HTTP
)

// Outcomes lists every Outcome.
var Outcomes = []Outcome{Accepted, Refused, Redirected, TimedOut, AddressNotAllowed, TLSFailed, NoAnswer}

// gone is the HTTP status that disables an endpoint.
const gone = 410

// retries are the backoffs after failed attempts.
var retries = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// jitter is the maximum part by which a backoff is extended, so that deliveries that
// failed together are not retried together.
const jitter = 0.2

// Verdict is the state of a delivery after an attempt, and the health of its endpoint.
type Verdict struct {
	Status DeliveryStatus
	Due    time.Time // zero unless Pending
	Health Health
}

// Health is the health of an endpoint after an attempt.
type Health string

// The values of Health.
const (
	Works   Health = "works"
	Fails   Health = "fails"   // disabled as Failing after MaxFailing without Works
	Left    Health = "left"    // disabled as Gone
	Unknown Health = "unknown" // a test failed, which does not count
)

// Evaluate returns the Verdict of an attempt, counted from the request of the delivery. A
// test is attempted once. random is from 0 to 1.
func Evaluate(a Attempt, tries int, kind shipments.EventType, random float64) Verdict {
	switch {
	case a.Outcome == Accepted:
		return Verdict{Status: Delivered, Health: Works}
	case a.Response == gone:
		return Verdict{Status: Failed, Health: Left}
	case kind == Test:
		return Verdict{Status: Failed, Health: Unknown}
	case tries > len(retries):
		return Verdict{Status: Failed, Health: Fails}
	default:
		wait := time.Duration(float64(retries[tries-1]) * (1 + jitter*random))
		wait = max(wait, min(a.RetryAfter, retries[len(retries)-1]))
		return Verdict{Status: Pending, Due: a.At.Add(a.Took).Add(wait), Health: Fails}
	}
}

// EndpointKey is an endpoint with its organization.
type EndpointKey struct {
	Org      shipments.OrgID `json:"organization_id"`
	Endpoint ID              `json:"endpoint_id"`
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
