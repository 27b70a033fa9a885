package webhooks

import (
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// DeliveryStatus says how far telling an endpoint of an event has come.
type DeliveryStatus string

// The statuses of a delivery.
const (
	Pending   DeliveryStatus = "pending"   // will be tried, or tried again
	Delivered DeliveryStatus = "delivered" // was answered with success
	Failed    DeliveryStatus = "failed"    // is not tried any more
)

// DeliveryStatuses lists every DeliveryStatus.
var DeliveryStatuses = []DeliveryStatus{Pending, Delivered, Failed}

// MaxAttempts is how many attempts of one delivery are remembered, the newest.
const MaxAttempts = 100

// Delivery is what became of telling an endpoint of an event. There is one for
// each event at most: to send it again is to go on with it.
type Delivery struct {
	Event     shipments.EventID
	Type      shipments.EventType // Test, or that of the event
	Number    int64               // of the event; 0 of a test
	Status    DeliveryStatus
	Due       time.Time // of the next attempt, unless one is being made; zero unless Pending
	Attempts  []Attempt // the oldest first
	CreatedAt time.Time
}

// Test is the type of what is sent to try out an endpoint. It is no event.
const Test shipments.EventType = "webhook.test"

// Attempt is one try to deliver.
type Attempt struct {
	At       time.Time
	Took     time.Duration
	Outcome  Outcome
	Response int // HTTP status; 0: there was no answer
}

// Outcome says how an attempt ended.
type Outcome string

// The outcomes of an attempt.
const (
	Accepted          Outcome = "accepted"            // answered 2xx
	Refused           Outcome = "refused"             // answered otherwise
	Redirected        Outcome = "redirected"          // answered 3xx, which is not followed
	TimedOut          Outcome = "timed_out"           // not answered in time
	AddressNotAllowed Outcome = "address_not_allowed" // the host leads to an address that is not public
	NameNotFound      Outcome = "name_not_found"      // the host leads nowhere
	TLSFailed         Outcome = "tls_failed"          // no certificate that can be trusted, for example
	NoAnswer          Outcome = "no_answer"           // the connection was refused, broke, or did not speak HTTP
)

// Outcomes lists every Outcome.
var Outcomes = []Outcome{Accepted, Refused, Redirected, TimedOut, AddressNotAllowed, NameNotFound, TLSFailed, NoAnswer}

// gone is the HTTP status with which an endpoint says that it wants no more.
const gone = 410

// retries is how long after each failed attempt the next is made. After the
// last there is none.
var retries = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// jitter is the part of a wait by which it may be longer, so that what failed
// at one moment is not tried again at one moment.
const jitter = 0.2

// Verdict is what becomes of a delivery after an attempt, and what the attempt
// says about its endpoint.
type Verdict struct {
	Status DeliveryStatus
	Due    time.Time // zero unless Pending
	Health Health
}

// Health is what an attempt says about an endpoint.
type Health string

// The findings about an endpoint.
const (
	Works   Health = "works"
	Fails   Health = "fails"   // after MaxFailing without Works it is disabled as Failing
	Left    Health = "left"    // it wants no more: it is disabled as Gone
	Unknown Health = "unknown" // a test failed, which decides nothing
)

// Judge returns what becomes of a delivery after its so many-th attempt since it
// was asked for. A test is tried once. random is from 0 to 1.
func Judge(a Attempt, tries int, kind shipments.EventType, random float64) Verdict {
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
		wait := float64(retries[tries-1]) * (1 + jitter*random)
		return Verdict{Status: Pending, Due: a.At.Add(a.Took).Add(time.Duration(wait)), Health: Fails}
	}
}
