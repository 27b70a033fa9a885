package wire

import (
	"net/netip"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Usage is when a token was last used, and how much in the last 24 hours.
type Usage struct {
	LastUsedAt   Time       `json:"last_used_at,omitzero"`
	LastUsedFrom netip.Addr `json:"last_used_from,omitzero"`
	Requests     int64      `json:"requests_24h"`
	Refused      int64      `json:"refused_24h"`
}

// NewUsage returns the JSON form of u.
func NewUsage(u tokens.Usage) *Usage {
	return &Usage{Time(u.LastUsedAt), u.LastUsedFrom, u.Requests(), u.Refused()}
}
