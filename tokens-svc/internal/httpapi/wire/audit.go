package wire

import "github.com/quayside/quayside/tokens-svc/internal/audit"

// AuditEvent is an event of an organization's audit log.
type AuditEvent struct {
	Sequence     int64             `json:"sequence"`
	At           Time              `json:"at"`
	Actor        audit.Actor       `json:"actor"`
	Action       audit.Action      `json:"action"`
	Target       string            `json:"target"`
	Details      map[string]string `json:"details,omitempty"`
	PreviousHash audit.Hash        `json:"previous_hash"`
	Hash         audit.Hash        `json:"hash"`
}

// NewAuditEvents returns the JSON form of events.
func NewAuditEvents(events []audit.Event) []AuditEvent {
	shown := make([]AuditEvent, len(events))
	for i, e := range events {
		shown[i] = AuditEvent{e.Sequence, Time(e.At), e.Actor, e.Action, e.Target, e.Details, e.Previous, e.Hash}
	}
	return shown
}
