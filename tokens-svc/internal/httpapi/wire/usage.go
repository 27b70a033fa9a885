package wire

import "github.com/quayside/quayside/tokens-svc/internal/tokens"

// Usage is when a token was last used, and how much in the last 24 hours.
type Usage struct {
	LastUsedAt   *Time  `json:"last_used_at,omitempty"`
	LastUsedFrom string `json:"last_used_from,omitempty"`
	Requests     int64  `json:"requests_24h"`
	Refused      int64  `json:"refused_24h"`
}

// NewUsage returns the JSON form of u.
func NewUsage(u tokens.Usage) *Usage {
	shown := &Usage{LastUsedAt: optional(u.LastUsedAt), Requests: u.Requests(), Refused: u.Refused()}
	if u.LastUsedFrom.IsValid() {
		shown.LastUsedFrom = u.LastUsedFrom.String()
	}
	return shown
}
