// Package webhooks is the domain of webhooks: the endpoints of organizations, their
// validation, and the state of deliveries.
//
// Guarantees: every method is for one organization; a secret is returned only when it
// is created; a delivery is attempted until it is accepted, at most ten times over
// three days; invalid input is refused with all faults at once.
//
// It imports the standard library and the domain of shipments only.
package webhooks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Limits of endpoints.
const (
	MaxSecrets     = 10 // of an endpoint that sign at a time
	MaxEndpoints   = 20 // of an organization
	MaxURL         = 2_048
	MaxDescription = 200
)

// Overlap is how long deliveries also have the signature of a secret after it was replaced.
const Overlap = 24 * time.Hour

// ID identifies an endpoint within its organization.
type ID = shipments.UUID[Endpoint]

// Status is the status of an endpoint.
type Status string

// The statuses of an endpoint.
const (
	Enabled  Status = "enabled"
	Disabled Status = "disabled" // gets nothing; due deliveries wait
)

// Statuses lists every Status.
var Statuses = []Status{Enabled, Disabled}

// Reason is the reason why an endpoint is Disabled.
type Reason string

// The reasons.
const (
	Requested Reason = "requested" // by a client
	Gone      Reason = "gone"      // response 410
	Failing   Reason = "failing"   // all attempts of MaxFailing failed
)

// MaxFailing is how long all attempts of an endpoint may fail before it is disabled.
const MaxFailing = 5 * 24 * time.Hour

// Endpoint is a webhook endpoint.
type Endpoint struct {
	ID          ID                    `json:"id"`
	URL         string                `json:"url"`
	Description string                `json:"description"` // may be empty
	EventTypes  []shipments.EventType `json:"event_types"` // in the order of shipments.EventTypes; empty: all
	Status      Status                `json:"status"`
	Reason      Reason                `json:"disabled_reason"` // empty unless Disabled
	// FailingSince is the time of the first of the consecutive failed attempts; zero
	// if the last one was accepted.
	FailingSince time.Time `json:"failing_since"`
	// PreviousUntil is when the last of the earlier secrets stops signing; zero without one.
	PreviousUntil time.Time `json:"previous_until"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

// Actions on endpoints, among the activity of an organization.
const (
	Create   shipments.Action = "create_webhook_endpoint"
	Update   shipments.Action = "update_webhook_endpoint"
	Redirect shipments.Action = "redirect_webhook_endpoint" // give it another URL
	Rotate   shipments.Action = "rotate_webhook_endpoint"
	Delete   shipments.Action = "delete_webhook_endpoint"
)

// Draft is a new endpoint.
type Draft struct {
	By          shipments.Actor
	URL         string
	Description string
	EventTypes  []shipments.EventType
}

// Order is common to all actions on an endpoint.
type Order struct {
	ID      ID
	By      shipments.Actor
	Expects func(Endpoint) bool // whether the action is meant for the endpoint as it is; nil: it is
}

// Edit changes fields of an endpoint.
type Edit struct {
	Order
	URL, Description *string                // nil: unchanged
	EventTypes       *[]shipments.EventType // nil: unchanged
	Status           *Status                // nil: unchanged
}

// EndpointWithSecret is an endpoint with its new secret.
type EndpointWithSecret struct {
	Endpoint
	Secret Secret `json:"-"` // it is stored sealed, and nowhere else
}

// EndpointsLock is what Repository.Locked calls the endpoints.
const EndpointsLock = "webhook_endpoints"

// ErrNotFound is a shipments.ErrNotFound: the organization has no such endpoint.
var ErrNotFound = fmt.Errorf("%w: no such webhook endpoint", shipments.ErrNotFound)

// ErrTooMany means that the organization has MaxEndpoints.
var ErrTooMany = errors.New("the organization has as many webhook endpoints as are allowed")

// ErrTooManySecrets means that the endpoint has MaxSecrets.
var ErrTooManySecrets = errors.New("the webhook endpoint has as many secrets as are allowed")

// ErrDisabled means that the endpoint is disabled.
var ErrDisabled = errors.New("the webhook endpoint is disabled")

// secretPrefix is the prefix of secrets of Standard Webhooks.
const secretPrefix = "whsec_"

// Secret is the key of an endpoint's signatures. It prints as its prefix.
type Secret [32]byte

// newSecret returns a random secret.
func newSecret() (s Secret) {
	_, _ = rand.Read(s[:]) // never fails
	return s
}

// Reveal returns the secret's text.
func (s Secret) Reveal() string {
	return secretPrefix + base64.StdEncoding.EncodeToString(s[:])
}

// Sign returns the webhook-signature of a message with this id and Unix time.
func (s Secret) Sign(id string, timestamp int64, body []byte) string {
	mac := hmac.New(sha256.New, s[:])
	_, _ = fmt.Fprintf(mac, "%s.%d.%s", id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Format implements fmt.Formatter, so that no verb shows the secret.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, secretPrefix+"…") }
