// Package webhooks is the domain of telling others of events: the endpoints at
// which an organization wants to be told, what is allowed as one, and what
// becomes of each delivery.
//
// Guarantees: every method that reads or writes names the organization for
// which it does so; an endpoint's secret is shown when it is made and never
// again; a delivery is tried until it is answered with success, ten times over
// three days; what breaks a rule is refused whole, with all its faults at once.
//
// It imports the standard library and the domain of shipments only.
package webhooks

import (
	"errors"
	"fmt"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Bounds of endpoints.
const (
	MaxEndpoints   = 20 // of an organization
	MaxURL         = 2_048
	MaxDescription = 200
)

// Overlap is how long deliveries are signed with the previous secret as well,
// once there is a new one.
const Overlap = 24 * time.Hour

// ID identifies an endpoint within its organization.
type ID [16]byte

// Status says whether an endpoint is told of events.
type Status string

// The statuses of an endpoint.
const (
	Enabled  Status = "enabled"
	Disabled Status = "disabled" // nothing is sent; what is due waits
)

// Statuses lists every Status.
var Statuses = []Status{Enabled, Disabled}

// Reason says why an endpoint is Disabled.
type Reason string

// The reasons.
const (
	Requested Reason = "requested" // by a client
	Gone      Reason = "gone"      // it answered 410
	Failing   Reason = "failing"   // all attempts of MaxFailing failed
)

// MaxFailing is for how long all attempts for an endpoint may fail before it is
// disabled.
const MaxFailing = 5 * 24 * time.Hour

// Endpoint is where an organization is told of its events.
type Endpoint struct {
	ID          ID
	URL         string
	Description string                // may be empty
	EventTypes  []shipments.EventType // in the order of shipments.EventTypes; empty: all
	Status      Status
	Reason      Reason // empty unless Disabled
	// FailingSince is when the first of the latest attempts was made that all
	// failed; zero where the last one was accepted.
	FailingSince time.Time
	// PreviousUntil is when the previous secret stops signing; zero where
	// there is none.
	PreviousUntil time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Draft is what a client says about a new endpoint.
type Draft struct {
	URL         string
	Description string
	EventTypes  []shipments.EventType
}

// Edit asks to replace some of what is said about an endpoint.
type Edit struct {
	ID               ID
	URL, Description *string                // nil: stays as it is
	EventTypes       *[]shipments.EventType // nil: stays as it is
	Status           *Status                // nil: stays as it is
}

// Made is an endpoint with its new secret.
type Made struct {
	Endpoint
	Secret Secret
}

// ErrNotFound is a shipments.ErrNotFound: the organization has no such endpoint.
var ErrNotFound = fmt.Errorf("%w: no such webhook endpoint", shipments.ErrNotFound)

// ErrTooMany says that the organization has MaxEndpoints already.
var ErrTooMany = errors.New("the organization has as many webhook endpoints as are allowed")

// ErrDisabled says that nothing is sent to the endpoint for now.
var ErrDisabled = errors.New("the webhook endpoint is disabled")
