package wire

import "github.com/quayside/quayside/tokens-svc/internal/audit"

// Actor is the actor of an event.
type Actor struct {
	Kind      audit.Kind `json:"kind"`
	ID        string     `json:"id,omitempty"`
	Name      string     `json:"name"`
	Address   string     `json:"address,omitempty"`
	RequestID string     `json:"request_id,omitempty"`
}

// AuditEvent is an event of an organization's audit log.
type AuditEvent struct {
	Sequence     int64             `json:"sequence"`
	At           Time              `json:"at"`
	Actor        Actor             `json:"actor"`
	Action       audit.Action      `json:"action"`
	Target       string            `json:"target"`
	Details      map[string]string `json:"details,omitempty"`
	PreviousHash string            `json:"previous_hash"`
	Hash         string            `json:"hash"`
}

// NewAuditEvents returns the JSON form of events.
func NewAuditEvents(events []audit.Event) []AuditEvent {
	shown := make([]AuditEvent, len(events))
	for i, e := range events {
		shown[i] = AuditEvent{
			Sequence:     e.Sequence,
			At:           Time(e.At),
			Actor:        newActor(e.Actor),
			Action:       e.Action,
			Target:       e.Target,
			Details:      e.Details,
			PreviousHash: e.Previous.String(),
			Hash:         e.Hash.String(),
		}
	}
	return shown
}

func newActor(a audit.Actor) Actor {
	shown := Actor{Kind: a.Kind, ID: a.ID, Name: a.Name, RequestID: a.RequestID}
	if a.Address.IsValid() {
		shown.Address = a.Address.String()
	}
	return shown
}
